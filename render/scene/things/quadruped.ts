/**
 * Four-legged animals from one skeleton: lengths, ears, tail and markings make the breed.
 *
 * @module
 */
import { shadeColour } from "../canvas/colour.ts";
import { drawHead } from "./quadruped_head.ts";
import { drawMarkings, drawTail } from "./quadruped_coat.ts";
import { isMoving, type Pen } from "./pen.ts";
import type { Build, Joint } from "./quadruped_build.ts";

/** Draws an animal of the given build. */
export function drawQuadruped(pen: Pen, build: Build): void {
  const { canvas } = pen;
  if (pen.motion === "sleep") {
    return canvas.within({ y: build.leg + build.girth * 0.1 }, () => drawBody(pen, build, 0));
  }
  const gait = gaitOf(pen);
  const bob = gait.swing === 0
    ? Math.sin(pen.seconds * 2) * (isMoving(pen) ? 0.006 : 0)
    : -Math.abs(Math.sin(gait.phase)) * gait.lift;
  const pitch = pen.motion === "run" ? Math.sin(gait.phase * 2) * 0.05 : 0;
  canvas.within({ y: bob, turn: pitch }, () => {
    drawLegs(pen, build, { ...gait, side: "far" });
    drawBody(pen, build, gait.phase);
    drawLegs(pen, build, { ...gait, side: "near" });
  });
}

interface Gait {
  readonly phase: number;
  /** Radians each leg swings to either side. */
  readonly swing: number;
  readonly lift: number;
}

function gaitOf(pen: Pen): Gait {
  switch (pen.motion) {
    case "run":
    case "jump":
      return { phase: pen.seconds * 9, swing: 0.78, lift: 0.05 };
    case "walk":
      return { phase: pen.seconds * 5, swing: 0.4, lift: 0.014 };
    case "dance":
      return { phase: pen.seconds * 6, swing: 0.3, lift: 0.06 };
    default:
      return { phase: 0, swing: 0, lift: 0 };
  }
}

function drawBody(pen: Pen, build: Build, phase: number): void {
  const { canvas, colour } = pen;
  const half = build.body / 2;
  const back = -build.leg - build.girth;
  const belly = -build.leg;
  const neckFoot = { x: half * 0.8, y: back + build.girth * 0.28 };
  const nod = isMoving(pen) ? Math.sin(phase === 0 ? pen.seconds * 1.3 : phase) * 0.045 : 0.02;
  const angle = build.neckAngle + nod;
  const headAt: Joint = {
    x: neckFoot.x + Math.cos(angle) * build.neck,
    y: neckFoot.y - Math.sin(angle) * build.neck,
  };
  drawTail(pen, build, { x: -half * 0.98, y: back + build.girth * 0.22 });
  canvas.path.smooth([
    -half,
    back + build.girth * 0.3,
    -half * 0.72,
    back,
    0,
    back + build.girth * (build.marks === "hump" ? -0.1 : 0.07),
    half * 0.7,
    back - build.girth * 0.02,
    half * 1.02,
    back + build.girth * 0.32,
    half * 0.95,
    back + build.girth * 0.78,
    half * 0.5,
    belly + build.girth * 0.04,
    -half * 0.3,
    belly - build.girth * 0.12,
    -half * 0.8,
    belly - build.girth * 0.02,
    -half * 1.04,
    back + build.girth * 0.66,
  ]);
  canvas.path.limb([
    neckFoot.x - build.neckWidth * 0.1,
    neckFoot.y + build.girth * 0.12,
    build.neckWidth * 1.45,
  ], [
    headAt.x,
    headAt.y,
    build.neckWidth * 0.85,
  ]);
  canvas.fill({
    colour: shadeColour(colour, 0.14),
    to: shadeColour(colour, -0.3),
    top: back - build.neck * 0.5,
    bottom: belly,
  });
  if (build.belly !== undefined) {
    canvas.path.smooth([
      half * 0.98,
      back + build.girth * 0.42,
      half * 0.94,
      back + build.girth * 0.8,
      half * 0.45,
      belly + build.girth * 0.02,
      -half * 0.4,
      belly - build.girth * 0.13,
      half * 0.3,
      belly - build.girth * 0.22,
      half * 0.7,
      back + build.girth * 0.62,
    ]);
    canvas.fill(build.belly);
  }
  drawMarkings(pen, build);
  drawHead(pen, build, { at: headAt, neckFoot });
}

function drawLegs(pen: Pen, build: Build, gait: Gait & { side: "near" | "far" }): void {
  const { canvas, colour } = pen;
  const half = build.body / 2;
  const far = gait.side === "far";
  const tone = shadeColour(build.marks === "panda" ? 0x2a2a2e : colour, far ? -0.42 : -0.16);
  const hipY = -build.leg - build.girth * 0.22;
  const reach = build.leg + build.girth * 0.22;
  for (const front of [false, true]) {
    const hipX = (front ? half * 0.68 : -half * 0.7) + (far ? 0.05 : -0.02);
    const running = pen.motion === "run" || pen.motion === "jump";
    const shift = (front ? 0 : running ? 2.4 : Math.PI) + (far ? (running ? 0.5 : Math.PI) : 0);
    const turn = Math.sin(gait.phase + shift) * gait.swing;
    const bend = gait.swing * Math.max(0, Math.cos(gait.phase + shift)) * (front ? -1 : 1) * 0.9;
    const kneeX = hipX + Math.sin(turn) * reach * 0.52 + (front ? 0 : -0.02);
    const kneeY = hipY + Math.cos(turn) * reach * 0.52;
    const low = turn + (front ? bend * 1.1 : -bend * 1.1);
    const footX = kneeX + Math.sin(low) * reach * 0.48;
    const footY = Math.min(0, kneeY + Math.cos(low) * reach * 0.48);
    const width = build.legWidth;
    canvas.path.limb([hipX, hipY, width * (front ? 1.6 : 2)], [kneeX, kneeY, width]);
    canvas.path.limb([kneeX, kneeY, width], [footX, footY - width * 0.3, width * 0.74]);
    canvas.fill(tone);
    const shoe = build.socks === undefined
      ? shadeColour(tone, -0.35)
      : shadeColour(build.socks, far ? -0.3 : 0);
    canvas.path.ellipse(footX + width * 0.28, footY - width * 0.3, width * 0.72, width * 0.42);
    if (build.socks !== undefined) {
      canvas.path.limb([(kneeX + footX) / 2, (kneeY + footY) / 2, width * 0.86], [
        footX,
        footY - width * 0.3,
        width * 0.78,
      ]);
    }
    canvas.fill(shoe);
  }
}
