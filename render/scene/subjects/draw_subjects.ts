/**
 * Draws the subjects with their shadows and reflections.
 *
 * @module
 */
import { roomLight } from "../backdrop/room.ts";
import { waterColourAt } from "../backdrop/water.ts";
import { mixColour } from "../canvas/colour.ts";
import type { Place } from "../scene.ts";
import type { Stage } from "../stage/stage.ts";
import { DRAWINGS } from "../things/drawings.ts";
import type { Pen } from "../things/pen.ts";
import type { Actor } from "./cast.ts";
import { type Pose, poseOf } from "./movement.ts";

/** Draws all actors, the farthest first. */
export function drawSubjects(stage: Stage, actors: readonly Actor[]): void {
  const { scene } = stage;
  for (const actor of actors) {
    const pose = poseOf(stage, actor);
    stage.layer(actor.depth, () => {
      const isSwimming = scene.place === "pond" && actor.station === "deep";
      const reflects = actor.station === "water" && scene.place !== "underwater";
      if (reflects) drawReflection(stage, actor, pose);
      drawShadow(stage, actor, pose);
      stage.lightSubjects(actor.depth);
      if (scene.place === "underwater") dipLight(stage);
      else if (INTERIORS.has(scene.place)) lightIndoors(stage);
      stage.canvas.opacity = isSwimming ? 0.84 : 1;
      drawActor(stage, actor, pose);
      stage.canvas.opacity = 1;
      if (isSwimming) drawWake(stage, actor, pose);
      else if (actor.station === "deep" && scene.place !== "underwater") {
        drawSplash(stage, actor, pose);
      }
      if (actor.subject.motion === "sleep") drawSleep(stage, actor);
    });
  }
}

function drawActor(stage: Stage, actor: Actor, pose: Pose): void {
  const { canvas, palette, scene } = stage;
  const { subject, traits } = actor;
  const seconds = stage.moment.seconds * subject.pace + (actor.seed % 97) * 0.37;
  const pen: Pen = {
    canvas,
    colour: subject.colour ?? usualColour(stage, actor, traits.colour),
    seconds,
    motion: scene.frozen ? "still" : subject.motion,
    breathes: subject.breathes === true,
    laden: scene.subjects.some(({ on }) => on === subject.thing),
    darkness: palette.darkness,
    snowy: palette.snowy,
    seed: actor.seed,
  };
  // What stands is turned about its foot, what flies about its middle: both are the origin.
  const lift = floatsThough(actor) ? actor.height * 0.5 : 0;
  canvas.within({
    x: actor.x + pose.dx,
    y: actor.y + pose.dy + lift,
    scaleX: actor.height * pose.scaleX * mirrored(actor),
    scaleY: actor.height * pose.scaleY,
    turn: pose.turn,
  }, () => {
    if (subject.motion === "glow") {
      const beat = 0.4 + 0.2 * Math.sin(seconds * 3);
      canvas.glow(0, -0.3, 1.1, { colour: mixColour(pen.colour, 0xffffff, 0.3), alpha: beat });
    }
    DRAWINGS.get(subject.thing)!(pen);
  });
}

/** Drawn from its foot, but put into the air: in space, everything floats. */
function floatsThough(actor: Actor): boolean {
  const own = actor.traits.station;
  return actor.station === "air" && (own === "ground" || own === "back" || own === "water");
}

/** Of many that do not go anywhere, some look the other way. */
function mirrored(actor: Actor): number {
  const { motion, count } = actor.subject;
  return count > 1 && (motion === "idle" || motion === "still") && actor.seed % 3 === 0 ? -1 : 1;
}

/** Things of which no two are alike, when the words give them no colour. */
const VARIED = new Set([
  "balloon",
  "bicycle",
  "butterfly",
  "car",
  "child",
  "fish",
  "flower",
  "gift",
  "hot_air_balloon",
  "kite",
  "person",
  "umbrella",
  "woman",
]);
const VARIETY: readonly number[] = [0x3f8fd0, 0xf2b632, 0x58a85a, 0xb45fb8, 0xe8743a];

function usualColour(stage: Stage, actor: Actor, own: number): number {
  const { foliage, snowy } = stage.palette;
  const { thing } = actor.subject;
  if (thing === "tree" && !snowy) return foliage[actor.seed % foliage.length]!;
  if (actor.index === 0 || !VARIED.has(thing)) return own;
  return VARIETY[(actor.index - 1) % VARIETY.length]!;
}

/** Places lit by lamps rather than by the sky. */
const INTERIORS = new Set<Place>(["room", "kitchen", "tabletop"]);

function lightIndoors(stage: Stage): void {
  const ambient = mixColour(roomLight(stage), 0xffffff, 0.3);
  stage.canvas.light = { ambient, haze: 0, depth: 0 };
}

function dipLight(stage: Stage): void {
  const { canvas, palette } = stage;
  canvas.light = {
    ambient: mixColour(mixColour(palette.subjectLight, 0xffffff, 0.3), 0x8ad0e8, 0.26),
    haze: 0x1a6a96,
    depth: 0.08,
  };
}

function drawShadow(stage: Stage, actor: Actor, pose: Pose): void {
  const { canvas, palette, scene } = stage;
  const lands = actor.station === "ground" || actor.station === "back";
  if (!lands || scene.place === "space" || actor.carrier !== undefined) return;
  const high = Math.min(1, Math.max(0, -pose.dy) / 0.4);
  const half = actor.height * actor.traits.aspect * 0.46 * (1 - high * 0.45);
  const skew = palette.orb.height < 0.2 ? 0.5 : 0.12;
  canvas.light = { ambient: 0xffffff, haze: 0, depth: 0 };
  const alpha = (0.34 - 0.16 * palette.darkness) * (1 - high * 0.5);
  for (const [grow, share] of [[1.2, 0.22], [1.05, 0.26], [0.9, 0.3], [0.72, 0.3]] as const) {
    canvas.path.ellipse(
      actor.x + pose.dx + half * skew * 0.3,
      actor.y + 0.004,
      half * grow,
      Math.max(0.008, half * 0.13) * grow,
    );
    canvas.fill({ colour: 0x0a1024, alpha: alpha * share });
  }
}

function drawReflection(stage: Stage, actor: Actor, pose: Pose): void {
  const { canvas, palette, moment } = stage;
  const water = mixColour(palette.sky[1], 0x1f5a80, 0.5);
  canvas.light = { ambient: palette.ambient, haze: water, depth: 0.62 };
  canvas.opacity = 0.5;
  canvas.within({ y: actor.y * 2 + pose.dy * 2, scaleX: 1, scaleY: -1 }, () => {
    canvas.within(
      { y: actor.y * 0.35, scaleX: 1, scaleY: 0.65 },
      () => drawActor(stage, actor, pose),
    );
  });
  canvas.opacity = 1;
  canvas.light = { ambient: 0xffffff, haze: 0, depth: 0 };
  const half = actor.height * actor.traits.aspect * 0.5;
  for (let line = 0; line < 9; line++) {
    const y = actor.y + actor.height * (0.03 + 0.065 * line);
    const x = actor.x + pose.dx + Math.sin(moment.seconds * 1.6 + line * 2.2) * half * 0.3;
    const thick = 0.0018 + 0.0006 * line;
    canvas.path.polygon([x - half * 0.8, y, x, y - thick, x + half * 0.8, y, x, y + thick]);
  }
  canvas.fill({ colour: mixColour(palette.sky[2], 0xffffff, 0.2), alpha: 0.34 });
}

/** Water before what swims at its surface. */
function drawSplash(stage: Stage, actor: Actor, pose: Pose): void {
  const { canvas, palette, moment } = stage;
  const surface = actor.y + actor.height * 0.14;
  const half = actor.height * actor.traits.aspect * 0.62;
  const x = actor.x + pose.dx;
  canvas.light = { ambient: palette.ambient, haze: palette.haze, depth: 0 };
  const points: number[] = [];
  for (let step = 0; step <= 16; step++) {
    const share = step / 8 - 1;
    points.push(
      x + share * half,
      surface + Math.sin(step * 1.3 + moment.seconds * 3) * 0.006 + share * share * 0.012,
    );
  }
  canvas.path.polygon([
    ...points,
    x + half * 0.7,
    surface + actor.height * 0.6,
    x - half * 0.7,
    surface + actor.height * 0.6,
  ]);
  const deep = surface + actor.height * 0.6;
  canvas.fill({
    colour: waterColourAt(stage, surface),
    to: waterColourAt(stage, deep),
    top: surface,
    bottom: deep,
    shines: true,
  });
  for (let foam = 0; foam < 11; foam++) {
    const at = x + (foam / 5 - 1) * half * 0.86;
    canvas.path.ellipse(
      at,
      surface + Math.sin(foam * 2 + moment.seconds * 3) * 0.005,
      half * 0.12,
      0.007,
    );
  }
  canvas.fill({ colour: 0xffffff, alpha: 0.8 });
}

/** Light on the water above what swims below it. */
function drawWake(stage: Stage, actor: Actor, pose: Pose): void {
  const { canvas, palette, moment } = stage;
  canvas.light = { ambient: palette.ambient, haze: palette.haze, depth: 0 };
  const half = actor.height * actor.traits.aspect * 0.5;
  for (let line = 0; line < 4; line++) {
    const y = actor.y + pose.dy + actor.height * (line / 3 - 0.5) * 0.7;
    const x = actor.x + pose.dx +
      Math.sin(moment.seconds * 1.7 + line * 2 + actor.seed) * half * 0.4;
    canvas.path.polygon([x - half * 0.8, y, x, y - 0.003, x + half * 0.8, y, x, y + 0.003]);
  }
  canvas.fill({ colour: 0xffffff, alpha: 0.4, shines: true });
}

function drawSleep(stage: Stage, actor: Actor): void {
  const { canvas, moment } = stage;
  for (let letter = 0; letter < 3; letter++) {
    const age = (letter / 3 + moment.seconds * 0.25) % 1;
    const size = 0.014 + 0.016 * age;
    const x = actor.x + actor.height * 0.5 + age * 0.08;
    const y = actor.y - actor.height * 0.7 - age * 0.16;
    canvas.path.limb([x, y, size * 0.3], [x + size, y, size * 0.3]);
    canvas.path.limb([x + size, y, size * 0.3], [x, y + size, size * 0.3]);
    canvas.path.limb([x, y + size, size * 0.3], [x + size, y + size, size * 0.3]);
    canvas.fill({ colour: 0xffffff, alpha: Math.sin(age * Math.PI), shines: true });
  }
}
