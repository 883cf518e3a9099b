/**
 * Things that carry others: what can be ridden, sat on, crossed or set with smaller things.
 *
 * @module
 */

/** How a thing carries. Shares are of the carrier's height. */
export interface Carrier {
  /** Who is upon it rides, sits, goes along it or stands on it. */
  readonly as: "mount" | "seat" | "deck" | "top";
  /** Height of the place above the carrier's foot, or above its middle if it flies. */
  readonly seat: number;
  /** How tall what it carries may be. */
  readonly most: number;
  /** Half the width on which several stand, and where its middle is. */
  readonly half: number;
  readonly shift: number;
}

type Row = readonly [
  as: Carrier["as"],
  seat: number,
  most: number,
  half: number,
  shift: number,
];

const ROWS: Readonly<Record<string, Row>> = {
  horse: ["mount", 0.6, 0.8, 0, -0.08],
  unicorn: ["mount", 0.6, 0.8, 0, -0.08],
  zebra: ["mount", 0.6, 0.8, 0, -0.08],
  camel: ["mount", 0.74, 0.7, 0, -0.05],
  elephant: ["mount", 0.84, 0.6, 0, -0.05],
  cow: ["mount", 0.66, 0.8, 0, -0.1],
  deer: ["mount", 0.5, 0.7, 0, -0.1],
  lion: ["mount", 0.62, 0.8, 0, -0.1],
  tiger: ["mount", 0.62, 0.8, 0, -0.1],
  bear: ["mount", 0.72, 0.8, 0, -0.1],
  polar_bear: ["mount", 0.72, 0.8, 0, -0.1],
  dinosaur: ["mount", 0.54, 0.6, 0, -0.2],
  dragon: ["mount", 0.08, 0.5, 0, 0.05],
  whale: ["mount", 0.42, 0.6, 0, 0],
  turtle: ["mount", 0.5, 0.8, 0, -0.1],
  bicycle: ["mount", 0.62, 1.15, 0, -0.16],
  sailboat: ["deck", 0.06, 0.34, 0.2, -0.16],
  ship: ["deck", 0.34, 0.3, 0.5, 0],
  bridge: ["deck", 0.34, 0.3, 1, 0],
  sofa: ["seat", 0.4, 1, 0.6, 0],
  bed: ["seat", 0.5, 0.9, 0.7, 0],
  chair: ["seat", 0.46, 0.95, 0, 0],
  table: ["top", 0.97, 0.5, 0.6, 0],
  rock: ["top", 0.86, 1, 0.2, 0],
  cube: ["top", 1, 0.9, 0.2, 0],
};

/** Every thing that carries. */
export const CARRIERS: ReadonlyMap<string, Carrier> = new Map(
  Object.entries(ROWS).map(([thing, [as, seat, most, half, shift]]) => [
    thing,
    { as, seat, most, half, shift },
  ]),
);

/** Whether `preposition` puts a thing upon `carrier`: one is over a bridge, but above a table. */
export function carriesBy(carrier: string, preposition: string): boolean {
  const as = CARRIERS.get(carrier)?.as;
  if (as === undefined) return false;
  if (preposition === "in" || preposition === "inside" || preposition === "aboard") {
    return carrier === "sailboat" || carrier === "ship" || carrier === "bed" || carrier === "chair";
  }
  const onlyAlong = ["over", "across", "crosses", "crossing", "cross", "along"];
  return !onlyAlong.includes(preposition) || carrier === "bridge";
}
