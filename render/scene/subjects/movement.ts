/**
 * Where a moving thing is at a moment, and how it is turned.
 *
 * @module
 */
import type { Motion } from "../scene.ts";
import type { Stage } from "../stage/stage.ts";
import type { Actor } from "./cast.ts";

/** What a motion adds to the place and pose of a thing. */
export interface Pose {
  /** World units. */
  readonly dx: number;
  readonly dy: number;
  /** Radians. */
  readonly turn: number;
  /** Times its width and height; a negative width looks the other way. */
  readonly scaleX: number;
  readonly scaleY: number;
}

/** How far a thing goes while the film lasts, in half widths. */
const RANGES: Partial<Record<Motion, number>> = {
  walk: 0.5,
  run: 1.2,
  sail: 0.42,
  fly: 0.8,
  swim: 0.6,
  roll: 1.1,
  jump: 0.7,
};

/** Shapes that turn in the picture's plane; others turn about their height. */
const FLAT = new Set([
  "ball",
  "circle",
  "square",
  "rectangle",
  "triangle",
  "star",
  "heart",
  "diamond",
  "hexagon",
  "cross",
  "ring",
  "spiral",
  "leaf",
  "kite",
  "umbrella",
  "planet",
]);
/** Things whose drawing itself turns. */
const TURNING_PARTS = new Set(["windmill", "clock", "cube"]);

/** The pose of an actor now; what is carried goes where its carrier goes. */
export function poseOf(stage: Stage, actor: Actor): Pose {
  const own = ownPoseOf(stage, actor);
  if (actor.carrier === undefined) return own;
  const { dx, dy, turn } = ownPoseOf(stage, actor.carrier);
  return { ...own, dx: own.dx + dx, dy: own.dy + dy, turn: own.turn + turn };
}

function ownPoseOf(stage: Stage, actor: Actor): Pose {
  const { subject, seed, height } = actor;
  const { seconds, progress } = stage.moment;
  const time = seconds * subject.pace + (seed % 97) * 0.37;
  const along = subject.direction === "left" ? -1 : 1;
  const still: Pose = { dx: 0, dy: 0, turn: 0, scaleX: along, scaleY: 1 };
  if (stage.scene.frozen || subject.motion === "still") return still;
  const goes = { ...still, dx: alongOf(stage, actor, progress) * along };
  switch (subject.motion) {
    case "walk":
    case "run":
    case "fly":
      return {
        ...goes,
        dy: subject.motion === "fly" ? Math.sin(time * 1.3) * 0.025 : 0,
        turn: subject.motion === "fly" ? Math.sin(time * 0.9) * 0.05 * along : 0,
      };
    case "swim":
      return { ...goes, dy: Math.sin(time * 1.6) * 0.014, turn: Math.sin(time * 1.6 + 1) * 0.03 };
    case "sail":
      return { ...goes, dy: Math.sin(time * 1.5) * 0.008, turn: Math.sin(time * 1.2) * 0.035 };
    case "jump":
      return leap(actor, goes, time, along);
    case "bounce": {
      const beat = (time * 1.1) % 1;
      const up = 4 * beat * (1 - beat);
      const squash = Math.max(0, 0.22 - up) * 0.9;
      return {
        ...still,
        dy: -up * Math.min(0.42, height * 1.5),
        scaleX: along * (1 + squash),
        scaleY: 1 - squash,
      };
    }
    case "roll":
      return goes;
    case "spin":
      if (TURNING_PARTS.has(subject.thing)) return still;
      return FLAT.has(subject.thing)
        ? { ...still, turn: time * 2.4 * along }
        : { ...still, scaleX: steepCosine(time * 3) };
    case "dance":
      return {
        ...still,
        dy: -Math.abs(Math.sin(time * 5)) * height * 0.05,
        turn: Math.sin(time * 2.5) * 0.1,
      };
    case "wave":
      return {
        ...still,
        turn: Math.sin(time * 2.2) * 0.09,
        dx: Math.sin(time * 0.9) * 0.03,
        dy: Math.sin(time * 1.3) * 0.02,
      };
    case "float":
      return {
        ...still,
        dx: Math.sin(time * 0.5) * 0.035,
        dy: Math.sin(time * 0.9) * 0.03,
        turn: Math.sin(time * 0.7) * 0.05,
      };
    case "rise":
    case "fall":
      return carried(stage, actor, time);
    case "grow": {
      const size = 0.3 + 0.7 * progress;
      return { ...still, scaleX: along * size, scaleY: size };
    }
    case "sleep":
    case "sit":
    case "idle":
    case "glow": {
      const breath = 1 + Math.sin(time * 1.8) * 0.008;
      return { ...still, scaleY: breath };
    }
  }
}

/** How far along its way a travelling thing is, in world units, `dx` before its direction. */
function alongOf(stage: Stage, actor: Actor, progress: number): number {
  const { subject } = actor;
  const range = (RANGES[subject.motion] ?? 0) * stage.halfWidth * Math.min(1.5, subject.pace);
  // What goes along a bridge or a deck stays on it.
  if (actor.carrier !== undefined) return actor.room * 2 * (progress - 0.5);
  const tracked = stage.scene.camera.move === "track";
  // The camera goes along: the thing keeps its place in the picture, but for a little.
  if (tracked) return Math.abs(stage.travel) + range * 0.12 * (progress - 0.5);
  return range * (progress - 0.5);
}

function leap(actor: Actor, goes: Pose, time: number, along: number): Pose {
  const beat = (time * 0.62) % 1;
  const up = Math.sin(beat * Math.PI);
  const sea = actor.traits.station === "deep";
  const reach = sea ? actor.height * 1.5 : Math.min(0.26, actor.height * 0.7);
  const sunk = sea ? actor.height * 0.5 : 0;
  return {
    ...goes,
    dy: -up * reach + sunk,
    turn: (sea ? 1.1 : 0.16) * (beat - 0.5) * 2 * along * 0.7,
  };
}

/** Falls or rises, again and again when it is one of many. */
function carried(stage: Stage, actor: Actor, time: number): Pose {
  const { subject, seed, y } = actor;
  const along = subject.direction === "left" ? -1 : 1;
  const falls = subject.motion === "fall";
  const bottom = actor.station === "ground" || actor.station === "back" ? y : stage.ground;
  const high = stage.top * 1.12;
  const way = bottom - high + actor.height;
  const sway = Math.sin(time * 1.4) * 0.05;
  if (subject.count > 2) {
    const share = (time * 0.11 + (seed % 89) / 89) % 1;
    const at = falls ? high + way * share : bottom + actor.height - way * share;
    return { dx: sway, dy: at - y, turn: falls ? time * 1.1 : sway, scaleX: along, scaleY: 1 };
  }
  const share = stage.moment.progress;
  const from = falls ? stage.top * 0.75 : bottom * 0.7;
  const to = falls ? bottom * 0.7 : stage.top * 0.72;
  return {
    dx: sway * 0.4,
    dy: from + (to - from) * share - y,
    turn: sway * 0.3,
    scaleX: along,
    scaleY: 1,
  };
}

/** A cosine that stays near its ends: a thing on edge is seen but for a moment. */
function steepCosine(angle: number): number {
  const cosine = Math.cos(angle);
  return Math.sign(cosine) * Math.max(0.12, Math.abs(cosine) ** 0.6);
}
