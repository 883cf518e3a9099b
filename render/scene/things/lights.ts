/**
 * Things that shine.
 *
 * @module
 */
import { shadeColour } from "../canvas/colour.ts";
import { type DrawThing, isMoving, type Pen } from "./pen.ts";

/** The drawings of lights. */
export const LIGHTS: Readonly<Record<string, DrawThing>> = {
  lamp: drawLamp,
  lantern: drawLantern,
  candle: drawCandle,
  campfire: drawCampfire,
};

/** A flame that flickers. */
export function drawFlame(
  pen: Pen,
  at: { x: number; y: number; height: number; key: number },
): void {
  const { canvas } = pen;
  const flicker = isMoving(pen)
    ? Math.sin(pen.seconds * 9 + at.key) * 0.12 + Math.sin(pen.seconds * 15 + at.key * 2) * 0.06
    : 0;
  const tall = at.height * (1 + flicker);
  const lean = at.height * flicker * 0.5;
  for (const [share, colour] of [[1, 0xf0581c], [0.72, 0xffa02c], [0.42, 0xffec9a]] as const) {
    const half = at.height * 0.26 * share;
    canvas.path.smooth([
      at.x - half,
      at.y - half * 0.7,
      at.x - half * 0.6,
      at.y - tall * share * 0.55,
      at.x + lean * share,
      at.y - tall * share,
      at.x + half * 0.6,
      at.y - tall * share * 0.5,
      at.x + half,
      at.y - half * 0.7,
      at.x,
      at.y,
    ]);
    canvas.fill({ colour, shines: true });
  }
}

function drawLamp(pen: Pen): void {
  const { canvas, colour, darkness } = pen;
  const glow = 0.35 + 0.65 * darkness;
  canvas.path.polygon([-0.07, 0, -0.03, -0.06, -0.014, -0.8, 0.014, -0.8, 0.03, -0.06, 0.07, 0]);
  canvas.path.limb([-0.07, -0.78, 0.016], [0.07, -0.78, 0.016]);
  canvas.fill({
    colour: shadeColour(colour, 0.15),
    to: shadeColour(colour, -0.3),
    top: -0.8,
    bottom: 0,
  });
  canvas.glow(0, -0.88, 0.62, { colour: 0xffdc8a, alpha: 0.8 * glow });
  canvas.path.polygon([-0.05, -0.8, -0.075, -0.95, 0.075, -0.95, 0.05, -0.8]);
  canvas.fill({ colour: 0xfff4c8, to: 0xffc85a, top: -0.95, bottom: -0.8, shines: true });
  canvas.path.polygon([-0.095, -0.945, 0, -1.02, 0.095, -0.945]);
  canvas.fill(shadeColour(colour, -0.1));
}

function drawLantern(pen: Pen): void {
  const { canvas, colour } = pen;
  const beat = isMoving(pen) ? 0.9 + 0.1 * Math.sin(pen.seconds * 6 + pen.seed) : 1;
  canvas.glow(0, 0.05, 1.2, { colour, alpha: 0.65 * beat });
  canvas.path.smooth([-0.3, -0.4, 0, -0.5, 0.3, -0.4, 0.36, 0, 0.24, 0.4, -0.24, 0.4, -0.36, 0], 5);
  canvas.fill({ colour, to: shadeColour(colour, 0.62), top: -0.45, bottom: 0.35, shines: true });
  for (const y of [-0.26, -0.08, 0.1, 0.26]) canvas.path.limb([-0.33, y, 0.014], [0.33, y, 0.014]);
  canvas.fill({ colour: shadeColour(colour, -0.4), alpha: 0.4, shines: true });
  canvas.path.polygon([-0.2, 0.38, 0.2, 0.38, 0.18, 0.46, -0.18, 0.46]);
  canvas.fill(shadeColour(colour, -0.6));
}

function drawCandle(pen: Pen): void {
  const { canvas, colour } = pen;
  canvas.path.ellipse(0, -0.02, 0.24, 0.05);
  canvas.fill({ colour: 0xc8a04a, to: 0x7a5a24, top: -0.07, bottom: 0.03 });
  canvas.path.polygon([-0.1, -0.04, -0.1, -0.64, 0.1, -0.66, 0.1, -0.04]);
  canvas.fill({
    colour: shadeColour(colour, 0.2),
    to: shadeColour(colour, -0.22),
    top: -0.66,
    bottom: 0,
  });
  canvas.path.limb([0, -0.64, 0.014], [0, -0.71, 0.014]);
  canvas.fill(0x2a2420);
  canvas.glow(0, -0.8, 0.95, { colour: 0xffb84a, alpha: 0.4 + 0.35 * pen.darkness });
  drawFlame(pen, { x: 0, y: -0.68, height: 0.3, key: 1 });
}

function drawCampfire(pen: Pen): void {
  const { canvas } = pen;
  const beat = isMoving(pen) ? Math.sin(pen.seconds * 7) * 0.08 : 0;
  canvas.glow(0, -0.3, 1.9 + beat, { colour: 0xff8a2c, alpha: 0.35 + 0.4 * pen.darkness });
  for (let stone = 0; stone < 9; stone++) {
    const angle = stone / 9 * Math.PI;
    canvas.path.ellipse(Math.cos(angle) * 0.52, 0.0 + Math.sin(angle) * 0.07, 0.09, 0.06);
  }
  canvas.fill(0x6f6a66);
  canvas.path.limb([-0.38, -0.02, 0.1], [0.3, -0.2, 0.09]);
  canvas.path.limb([0.38, -0.02, 0.1], [-0.3, -0.2, 0.09]);
  canvas.fill({ colour: 0x7a4a2c, to: 0x3f2618, top: -0.25, bottom: 0.03 });
  drawFlame(pen, { x: -0.17, y: -0.1, height: 0.6, key: 2 });
  drawFlame(pen, { x: 0.18, y: -0.1, height: 0.64, key: 4 });
  drawFlame(pen, { x: 0, y: -0.06, height: 0.95, key: 7 });
  for (let spark = 0; spark < 10; spark++) {
    const age = (spark / 10 + (isMoving(pen) ? pen.seconds * 0.5 : 0)) % 1;
    canvas.path.ellipse(Math.sin(spark * 2.3 + age * 3) * 0.26, -0.7 - age * 0.9, 0.014, 0.014);
  }
  canvas.fill({ colour: 0xffd060, shines: true, alpha: 0.9 });
}
