/**
 * Gives every subject of a scene its place on the stage: who stands where, how large, how deep.
 *
 * @module
 */
import { pondShores } from "../backdrop/pond.ts";
import { CARRIERS } from "../carriers.ts";
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
  /** The actor that carries it. */
  readonly carrier: Actor | undefined;
  /** How far it can go to either side upon its carrier, world units. */
  readonly room: number;
  /** Which of its kind it is, from 0. */
  readonly index: number;
  /** Tells one from another: shifts its rhythm, varies its looks. */
  readonly seed: number;
}

const INDOORS = new Set<Place>(["room", "kitchen", "tabletop", "studio"]);
/** Small things are as large as this beside what is not small. */
const BESIDE_OTHERS = 0.5;
const WATERS = new Set<Place>([
  "pond",
  "sea",
  "lake",
  "harbour",
  "island",
  "river",
  "beach",
  "waterfall",
]);
/** Where each further kind goes, in half widths. */
const SLOTS: readonly number[] = [0, 0.52, -0.54, 0.26, -0.28, 0.74];

/** Everyone on the stage, the farthest first. */
export function castOf(stage: Stage): readonly Actor[] {
  const { subjects } = stage.scene;
  const kinds = subjects.filter(({ thing, on }) =>
    on === undefined && traitsOf(thing).station !== "sky"
  );
  const actors = kinds.flatMap((subject, kind) =>
    placeKind(stage, subject, { kind, of: kinds.length })
  );
  const carried = subjects.filter(({ on }) => on !== undefined).flatMap((subject, kind) =>
    placeUpon(subject, { actors, seed: stage.scene.seed + 5001 + kind * 389 })
  );
  return [...actors, ...carried].sort((one, other) => one.depth - other.depth || one.y - other.y);
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
      carrier: undefined,
      room: 0,
      index,
      seed: seed + index * 17,
    };
  });
}

/** Those of a kind upon what carries them, several beside each other. */
function placeUpon(
  subject: Subject,
  among: { readonly actors: readonly Actor[]; readonly seed: number },
): Actor[] {
  const traits = traitsOf(subject.thing);
  const carriers = among.actors.filter((actor) => actor.subject.thing === subject.on);
  const carries = CARRIERS.get(subject.on!)!;
  return Array.from({ length: subject.count }, (_, index) => {
    const carrier = carriers[index % carriers.length]!;
    const abreast = Math.ceil(subject.count / carriers.length);
    const rank = Math.floor(index / carriers.length);
    const side = abreast === 1 ? 0 : (rank + 0.5) / abreast * 2 - 1;
    const along = carrier.subject.direction === "left" ? -1 : 1;
    const usual = traits.size / carrier.traits.size * subject.scale;
    const widest = carrier.traits.aspect * 0.9 / abreast / traits.aspect;
    const height = carrier.height * Math.min(carries.most, usual, widest);
    const reach = carries.half * carrier.traits.aspect * 0.5 * carrier.height;
    // Who sits has the hips on the seat, who stands the feet.
    const legs = subject.motion === "sit" && WITH_LEGS.has(subject.thing) ? height * 0.4 : 0;
    const isUp = traits.station === "air" || traits.station === "high" || traits.station === "deep";
    return {
      subject,
      traits,
      station: "ground",
      carrier,
      room: Math.max(0, reach * (abreast === 1 ? 0.72 : 0.3 / abreast)),
      x: carrier.x + carries.shift * carrier.height * along + side * reach * 0.8,
      y: carrier.y - carries.seat * carrier.height + legs - (isUp ? height * 0.42 : 0),
      height,
      // After its carrier in the order of drawing.
      depth: carrier.depth + 1e-6,
      index,
      seed: among.seed + index * 17,
    };
  });
}

const WITH_LEGS = new Set(["person", "woman", "child", "astronaut", "robot"]);

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
  if (INDOORS.has(place) && own === "high") return "air";
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
  const { place, subjects } = stage.scene;
  const isSmall = traits.home === "room" && traits.size <= 0.3;
  const isAlone = subjects.every(({ thing }) => traitsOf(thing).home === "room");
  const isAmidLarger = isSmall && !isAlone && place !== "tabletop";
  const isNear = place === "tabletop" || place === "studio" && isSmall && isAlone;
  const near = isNear ? Math.max(1, 0.4 / traits.size) : 1;
  const height = traits.size * subject.scale * shot * small * minor * near *
    (isAmidLarger ? BESIDE_OTHERS : 1);
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
      // Trees and houses stand on the far bank, or at the wall.
      if (place === "pond" || place === "lake") {
        return { y: 0.016 - up * 0.012, depth: 0.55, scale: place === "pond" ? 0.74 : 0.5 };
      }
      if (INDOORS.has(place)) return { y: 0.06, depth: 0.55, scale: 0.86 };
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
      if (place === "pond") {
        const { far, near } = pondShores(stage);
        const share = count === 1 ? 0.6 : 0.3 + 0.52 * up;
        return { y: far + (near - far) * share, depth: 0.9, scale: 0.5 + 0.5 * share };
      }
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
