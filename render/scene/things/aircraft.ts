/**
 * What flies by engine, gas or string; the middle is at the origin.
 *
 * @module
 */
import { shadeColour } from "../canvas/colour.ts";
import { type DrawThing, isMoving, type Pen } from "./pen.ts";

/** The drawings of aircraft. */
export const AIRCRAFT: Readonly<Record<string, DrawThing>> = {
  plane: drawPlane,
  helicopter: drawHelicopter,
  rocket: drawRocket,
  ufo: drawUfo,
  hot_air_balloon: drawHotAirBalloon,
  balloon: drawBalloon,
  kite: drawKite,
};

function drawPlane(pen: Pen): void {
  const { canvas, colour } = pen;
  canvas.path.polygon([-1.0, -0.06, -1.26, -0.56, -1.02, -0.56, -0.7, -0.08]);
  canvas.fill(0xc8382e);
  canvas.path.polygon([-0.04, -0.06, -0.34, -0.4, -0.2, -0.4, 0.26, -0.08]);
  canvas.fill(shadeColour(colour, -0.35));
  canvas.path.smooth([
    -1.22,
    -0.08,
    -0.6,
    -0.2,
    0.7,
    -0.21,
    1.1,
    -0.11,
    1.26,
    0.03,
    1.05,
    0.15,
    0.4,
    0.19,
    -0.6,
    0.13,
  ]);
  canvas.fill({
    colour: shadeColour(colour, 0.2),
    to: shadeColour(colour, -0.28),
    top: -0.2,
    bottom: 0.2,
  });
  for (let window = 0; window < 11; window++) {
    canvas.path.ellipse(-0.6 + window * 0.13, -0.05, 0.032, 0.04);
  }
  canvas.path.smooth([0.94, -0.11, 1.08, -0.08, 1.12, -0.01, 0.94, -0.02]);
  canvas.fill({ colour: pen.darkness > 0.15 ? 0xffd67c : 0x4f7a9c, shines: pen.darkness > 0.15 });
  canvas.path.polygon([0.2, 0.06, -0.5, 0.52, -0.3, 0.52, 0.52, 0.1]);
  canvas.path.polygon([-0.96, -0.02, -1.24, 0.16, -1.1, 0.16, -0.78, 0]);
  canvas.fill({
    colour: shadeColour(colour, 0.05),
    to: shadeColour(colour, -0.3),
    top: 0,
    bottom: 0.5,
  });
  canvas.path.ellipse(0.1, 0.28, 0.15, 0.075);
  canvas.fill(0x8a929c);
  if (!isMoving(pen)) return;
  canvas.path.polygon([-1.2, 0.02, -3.6, 0.06, -3.6, 0.12, -1.2, 0.06]);
  canvas.fill({ colour: 0xffffff, alpha: 0.34 });
}

function drawHelicopter(pen: Pen): void {
  const { canvas, colour } = pen;
  const blade = isMoving(pen) ? Math.cos(pen.seconds * 22) : 1;
  canvas.path.polygon([
    -0.3,
    -0.12,
    -1.1,
    -0.24,
    -1.16,
    -0.46,
    -1.04,
    -0.46,
    -0.98,
    -0.12,
    -0.3,
    0.1,
  ]);
  canvas.fill(shadeColour(colour, -0.18));
  canvas.path.smooth([
    -0.5,
    -0.02,
    -0.3,
    -0.36,
    0.2,
    -0.4,
    0.56,
    -0.2,
    0.62,
    0.1,
    0.3,
    0.28,
    -0.3,
    0.24,
  ]);
  canvas.fill({
    colour: shadeColour(colour, 0.18),
    to: shadeColour(colour, -0.26),
    top: -0.4,
    bottom: 0.28,
  });
  canvas.path.smooth([0.18, -0.34, 0.5, -0.2, 0.58, 0.06, 0.2, 0.04]);
  canvas.fill({ colour: 0xc8e8f4, to: 0x6fa0bc, top: -0.3, bottom: 0.06 });
  canvas.path.limb([-0.25, 0.42, 0.04], [0.5, 0.42, 0.04]);
  canvas.path.limb([-0.1, 0.24, 0.03], [-0.14, 0.42, 0.03]);
  canvas.path.limb([0.28, 0.24, 0.03], [0.32, 0.42, 0.03]);
  canvas.path.limb([0, -0.36, 0.05], [0, -0.5, 0.05]);
  canvas.path.limb([-0.95 * blade, -0.51, 0.03], [0.95 * blade, -0.49, 0.03]);
  canvas.path.limb([-1.1, -0.35 - 0.2 * blade, 0.03], [-1.1, -0.35 + 0.2 * blade, 0.03]);
  canvas.fill(0x2c3036);
  canvas.path.ellipse(0, -0.5, 0.95, 0.03);
  canvas.fill({ colour: 0xd8dce0, alpha: 0.35 });
}

function drawRocket(pen: Pen): void {
  const { canvas, colour } = pen;
  if (isMoving(pen) && pen.motion !== "idle") {
    const flicker = 0.85 + 0.15 * Math.sin(pen.seconds * 31);
    canvas.glow(0, 0.55, 0.6, { colour: 0xff8a2c, alpha: 0.7 });
    canvas.path.smooth([-0.13, 0.38, -0.1, 0.6, 0, 0.95 * flicker, 0.1, 0.6, 0.13, 0.38], 5);
    canvas.fill({ colour: 0xffb03a, to: 0xf0401c, top: 0.4, bottom: 0.95, shines: true });
    canvas.path.smooth([-0.07, 0.38, -0.05, 0.5, 0, 0.68 * flicker, 0.05, 0.5, 0.07, 0.38], 5);
    canvas.fill({ colour: 0xfff4c0, shines: true });
  }
  canvas.path.smooth([-0.12, 0.08, -0.3, 0.34, -0.3, 0.48, -0.12, 0.34], 4);
  canvas.path.smooth([0.12, 0.08, 0.3, 0.34, 0.3, 0.48, 0.12, 0.34], 4);
  canvas.fill(0xc8382e);
  canvas.path.smooth([
    0,
    -0.6,
    0.13,
    -0.36,
    0.17,
    0,
    0.13,
    0.38,
    -0.13,
    0.38,
    -0.17,
    0,
    -0.13,
    -0.36,
  ]);
  canvas.fill(colour);
  canvas.path.smooth([0.03, -0.54, 0.13, -0.34, 0.17, 0, 0.13, 0.38, 0.02, 0.38, 0.07, 0]);
  canvas.fill({ colour: shadeColour(colour, -0.4), alpha: 0.45 });
  canvas.path.smooth([0, -0.62, 0.08, -0.48, 0.13, -0.34, 0, -0.3, -0.13, -0.34, -0.08, -0.48]);
  canvas.fill(0xc8382e);
  canvas.path.ellipse(0, -0.1, 0.085, 0.085);
  canvas.fill(0x5f6a78);
  canvas.path.ellipse(0, -0.1, 0.06, 0.06);
  canvas.fill({ colour: 0xbfe8ff, to: 0x4f9ad0, top: -0.16, bottom: -0.04, shines: true });
}

function drawUfo(pen: Pen): void {
  const { canvas, colour } = pen;
  const pulse = 0.6 + 0.4 * Math.sin(pen.seconds * 2.4);
  canvas.path.polygon([-0.3, 0.12, 0.3, 0.12, 0.9, 2.3, -0.9, 2.3]);
  canvas.fill({ colour: 0xb8ffd8, alpha: 0.16 + 0.1 * pulse, shines: true });
  canvas.path.smooth([-0.42, -0.08, -0.3, -0.46, 0, -0.56, 0.3, -0.46, 0.42, -0.08]);
  canvas.fill({ colour: 0xe2fbff, to: 0x7ac8d8, top: -0.5, bottom: 0, alpha: 0.92 });
  canvas.path.ellipse(0, 0.02, 1.05, 0.25);
  canvas.fill({
    colour: shadeColour(colour, 0.3),
    to: shadeColour(colour, -0.4),
    top: -0.2,
    bottom: 0.26,
  });
  for (let light = 0; light < 7; light++) {
    const x = (light - 3) * 0.28;
    const on = Math.sin(pen.seconds * 6 - light * 0.9) > 0;
    canvas.path.ellipse(x, 0.07 + 0.05 * Math.cos(x * 1.4), 0.06, 0.05);
    canvas.fill({ colour: on ? 0xfff08a : 0xd06a4a, shines: true });
  }
}

function drawHotAirBalloon(pen: Pen): void {
  const { canvas, colour } = pen;
  const burst = Math.max(0, Math.sin(pen.seconds * 1.4)) ** 4;
  for (const side of [-1, 1]) {
    canvas.path.limb([side * 0.12, 0.18, 0.01], [side * 0.07, 0.38, 0.01]);
  }
  canvas.fill(0x5a4434);
  const stripes = [colour, 0xf8f0dc, colour, 0xf2c23a, colour, 0xf8f0dc, colour];
  for (const [index, tone] of stripes.entries()) {
    const from = index / stripes.length * 2 - 1;
    const to = (index + 1) / stripes.length * 2 - 1;
    const points: number[] = [];
    for (let step = 0; step <= 14; step++) {
      points.push(envelope(step / 14) * from, -0.56 + 0.76 * step / 14);
    }
    for (let step = 14; step >= 0; step--) {
      points.push(envelope(step / 14) * to * 1.005, -0.56 + 0.76 * step / 14);
    }
    canvas.path.polygon(points);
    const side = Math.abs(from + to) / 2;
    canvas.fill({
      colour: shadeColour(tone, 0.12 - side * 0.2),
      to: shadeColour(tone, -0.2 - side * 0.14),
      top: -0.5,
      bottom: 0.2,
    });
  }
  if (pen.darkness > 0.15) {
    canvas.glow(0, -0.1, 0.5, { colour: 0xffb04a, alpha: (0.35 + 0.3 * burst) * pen.darkness });
  }
  canvas.path.smooth([-0.025, 0.34, 0, 0.27 - 0.08 * burst, 0.025, 0.34]);
  canvas.fill({ colour: 0xffb43a, shines: true });
  canvas.path.smooth([-0.09, 0.36, 0.09, 0.36, 0.075, 0.5, -0.075, 0.5], 3);
  canvas.fill({ colour: 0xb07a44, to: 0x6a4424, top: 0.36, bottom: 0.5 });
}

/** Half the balloon's width at a share of its height, from its crown down. */
function envelope(share: number): number {
  return share < 0.45
    ? 0.36 * Math.sqrt(Math.max(0, 1 - ((0.45 - share) / 0.45) ** 2))
    : 0.12 + 0.24 * Math.cos((share - 0.45) / 0.55 * Math.PI / 2);
}

function drawBalloon(pen: Pen): void {
  const { canvas, colour } = pen;
  let [x, y] = [0, 0.06];
  for (let part = 1; part <= 10; part++) {
    const share = part / 10;
    const nextX = Math.sin(share * 5 + (isMoving(pen) ? pen.seconds * 1.8 : 0)) * 0.03 * share;
    canvas.path.limb([x, y, 0.01], [nextX, 0.06 + 0.46 * share, 0.008]);
    [x, y] = [nextX, 0.06 + 0.46 * share];
  }
  canvas.fill(0xe6e2d8);
  canvas.path.polygon([-0.035, 0.08, 0, 0.03, 0.035, 0.08]);
  canvas.path.smooth([
    0,
    -0.5,
    0.2,
    -0.42,
    0.25,
    -0.2,
    0.12,
    -0.02,
    0,
    0.05,
    -0.12,
    -0.02,
    -0.25,
    -0.2,
    -0.2,
    -0.42,
  ]);
  canvas.fill({
    colour: shadeColour(colour, 0.12),
    to: shadeColour(colour, -0.24),
    top: -0.5,
    bottom: 0.05,
  });
  canvas.path.ellipse(-0.1, -0.34, 0.045, 0.075, 0.5);
  canvas.fill({ colour: 0xffffff, alpha: 0.6 });
}

function drawKite(pen: Pen): void {
  const { canvas, colour } = pen;
  const flutter = isMoving(pen) ? pen.seconds * 4 : 0;
  let [x, y] = [-0.1, 0.34];
  for (let part = 1; part <= 8; part++) {
    const share = part / 8;
    const nextX = -0.1 - share * 0.36 + Math.sin(flutter + share * 6) * 0.05 * share;
    const nextY = 0.34 + share * 0.32;
    canvas.path.limb([x, y, 0.014], [nextX, nextY, 0.014]);
    canvas.path.polygon([
      nextX - 0.05,
      nextY - 0.03,
      nextX + 0.05,
      nextY + 0.03,
      nextX + 0.05,
      nextY - 0.03,
      nextX - 0.05,
      nextY + 0.03,
    ]);
    [x, y] = [nextX, nextY];
  }
  canvas.fill(0xf2c83a);
  canvas.within({ turn: 0.3 }, () => {
    const shapes: [number[], number][] = [
      [[0, -0.5, 0.32, -0.1, 0, -0.1], shadeColour(colour, 0.12)],
      [[0, -0.5, -0.32, -0.1, 0, -0.1], 0xf6d64a],
      [[0, 0.42, 0.32, -0.1, 0, -0.1], 0x3f8fd0],
      [[0, 0.42, -0.32, -0.1, 0, -0.1], shadeColour(colour, -0.12)],
    ];
    for (const [points, tone] of shapes) {
      canvas.path.polygon(points);
      canvas.fill(tone);
    }
  });
  canvas.path.limb([0, -0.05, 0.008], [0.9, 2.4, 0.004]);
  canvas.fill({ colour: 0xf4f0e6, alpha: 0.8 });
}
