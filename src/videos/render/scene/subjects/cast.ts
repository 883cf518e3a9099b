/**
 * Gives every subject of a scene its place on the stage: who stands where, how large, how deep.
 *
 * @module
 */
import type { Place, Subject } from "../scene.ts";
import { randomAt } from "../stage/random.ts";
import type { Stage } from "../stage/stage.ts";
import { type Station, type Traits, traitsOf } from "../thing_traits.ts";

/** One thing on the stage. */
export interface Actor {
  readonly subject: Subject;
  readonly traits: Traits;
  /** World position while nothing moves: foot, waterline or middle, as the thing is drawn. */
  readonly x: number;
  readonly y: number;
  /** World height. */
  readonly height: number;
  /** As for a layer. */
  readonly depth: number;
  readonly station: Station;
  /** Which of its kind it is, from 0. */
  readonly index: number;
  /** Tells one from another: shifts its rhythm, varies its looks. */
  readonly seed: number;
}

const WATERS = new Set<Place>(["sea", "lake", "harbour", "island", "river", "beach", "waterfall"]);
/** Where each further kind goes, in half widths. */
const SLOTS: readonly number[] = [0, 0.52, -0.54, 0.26, -0.28, 0.74];

/** Everyone on the stage, the farthest first. */
export function castOf(stage: Stage): readonly Actor[] {
  const kinds = stage.scene.subjects.filter(({ thing }) => traitsOf(thing).station !== "sky");
  const actors = kinds.flatMap((subject, kind) =>
    placeKind(stage, subject, { kind, of: kinds.length })
  );
  return actors.sort((one, other) => one.depth - other.depth || one.y - other.y);
}

function placeKind(
  stage: Stage,
  subject: Subject,
  rank: { readonly kind: number; readonly of: number },
): Actor[] {
  const traits = traitsOf(subject.thing);
  const station = stationIn(stage.scene.place, traits.station);
  const { count } = subject;
  const seed = stage.scene.seed + rank.kind * 389;
  const height = heightOf(stage, { subject, traits, rank });
  const side = randomAt(stage.scene.seed, 601) < 0.5 ? -1 : 1;
  const slot = rank.of === 2 ? [-0.4, 0.46][rank.kind]! : SLOTS[rank.kind % SLOTS.length]!;
  return Array.from({ length: count }, (_, index) => {
    const spread = spreadOf({ count, index, seed, station });
    const reach = stage.halfWidth * (rank.of > 1 && count < 4 ? 0.5 : 0.8);
    const level = levelOf(stage, { station, kind: rank.kind, count, up: spread.up });
    const scale = level.scale * (1 + (randomAt(seed, index, 602) - 0.5) * (count > 1 ? 0.14 : 0));
    const free = Math.max(0, stage.halfWidth - height * scale * traits.aspect * 0.5);
    const x = count > 3
      ? spread.x * stage.halfWidth * 0.84
      : side * slot * stage.halfWidth + spread.x * reach;
    return {
      subject,
      traits,
      station,
      x: count > 3 ? x : Math.max(-free, Math.min(free, x)),
      // What flies keeps its head in the picture.
      y: Math.max(level.y, stage.top * 0.94 + reachUp(station) * height * scale),
      height: height * scale,
      depth: level.depth,
      index,
      seed: seed + index * 17,
    };
  });
}

/** How much of a thing's height is above where it is put, if it is put into the air. */
function reachUp(station: Station): number {
  return station === "air" || station === "high" ? 0.5 : -Infinity;
}

function stationIn(place: Place, own: Station): Station {
  if (place === "underwater") return own === "ground" || own === "back" ? own : "deep";
  if (place === "space" || place === "sky") return own === "high" ? "high" : "air";
  if ((own === "water" || own === "deep") && !WATERS.has(place)) {
    return own === "water" ? "ground" : "air";
  }
  if (place === "room" && own === "high") return "air";
  const afloat = place === "sea" && (own === "ground" || own === "back");
  return afloat ? "water" : own;
}

function heightOf(
  stage: Stage,
  of: { subject: Subject; traits: Traits; rank: { kind: number; of: number } },
): number {
  const { subject, traits, rank } = of;
  const { distance } = stage.scene.camera;
  const { count } = subject;
  const shot = distance === "wide" ? 0.62 : distance === "aerial" ? 0.6 : 1;
  const many = count === 1
    ? 1.12
    : count === 2
    ? 0.86
    : count <= 4
    ? 0.72
    : count <= 8
    ? 0.6
    : 0.46;
  const small = traits.size < 0.2 ? Math.max(1, many * 1.25) : many;
  const minor = rank.kind === 0 ? 1 : 0.84;
  const height = traits.size * subject.scale * shot * small * minor;
  const widest = stage.halfWidth * 2 * (count === 1 ? 0.84 : count === 2 ? 0.46 : 0.34);
  const { move } = stage.scene.camera;
  const nears = distance === "close" || move === "zoom_in" || move === "zoom_out";
  return Math.min(height, widest / traits.aspect, nears ? 0.5 : 0.72);
}

/** Shares -1 to 1 across and 0 to 1 upwards. */
function spreadOf(
  of: { count: number; index: number; seed: number; station: Station },
): { x: number; up: number } {
  const { count, index, seed, station } = of;
  if (count === 1) return { x: 0, up: 0 };
  const even = (index + 0.5) / count * 2 - 1;
  const jitter = (randomAt(seed, index, 603) - 0.5) * 0.9 / count;
  const flies = station === "air" || station === "high" || station === "deep";
  // Steps of the golden section never line up in rows.
  const up = flies
    ? (index * 0.618 + randomAt(seed, 604)) % 1
    : count === 2
    ? index * 0.4
    : (index * 0.618) % 1;
  return { x: even + jitter, up };
}

function levelOf(
  stage: Stage,
  of: { station: Station; kind: number; count: number; up: number },
): { y: number; depth: number; scale: number } {
  const { ground, top } = stage;
  const { station, kind, count, up } = of;
  const { place } = stage.scene;
  switch (station) {
    case "ground": {
      const behind = Math.min(0.75, up * 0.6 + (kind > 0 ? 0.12 * kind : 0));
      return { y: ground * (1 - behind * 0.55), depth: 1 - behind * 0.3, scale: 1 - behind * 0.42 };
    }
    case "back": {
      const behind = Math.min(0.9, 0.1 + up * 0.5 + (kind > 0 ? 0.2 : 0));
      return {
        y: ground * (0.86 - behind * 0.5),
        depth: 0.94 - behind * 0.3,
        scale: 1 - behind * 0.32,
      };
    }
    case "water": {
      const near = place === "beach" ? 0.34 : 0.72;
      const behind = Math.min(0.8, up * 0.75 + (kind > 0 ? 0.15 : 0));
      const scale = (place === "beach" ? 0.66 : 1) * (1 - behind * 0.5);
      return { y: ground * near * (1 - behind * 0.7), depth: 0.97 - behind * 0.35, scale };
    }
    case "deep":
      return place === "underwater"
        ? {
          y: count === 1 ? -0.06 + 0.12 * (kind % 2) : 0.1 - up * (0.14 - top * 0.78),
          depth: 0.98 - 0.1 * (up > 0.5 ? 1 : 0),
          scale: 1 - 0.25 * ((up * 7) % 1),
        }
        : { y: ground * 0.6 * (1 - up * 0.5), depth: 0.96 - up * 0.2, scale: 1 - up * 0.35 };
    case "air":
      return {
        y: (count === 1 ? -0.08 : ground * 0.2 + (top * 0.8 - ground * 0.2) * up) - 0.05 * kind,
        depth: 1 - 0.2 * ((up * 5) % 1),
        scale: 1 - 0.3 * ((up * 7) % 1),
      };
    case "high":
    case "sky":
      return {
        y: count === 1 ? top * (0.5 - 0.06 * kind) : top * (0.25 + 0.58 * up),
        depth: 0.96 - 0.25 * ((up * 5) % 1),
        scale: 1 - 0.34 * ((up * 7) % 1),
      };
  }
}
