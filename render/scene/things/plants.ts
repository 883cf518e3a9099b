/**
 * Plants and stones that are subjects.
 *
 * @module
 */
import { drawBroadleaf, drawConifer, drawPalm, type PlantLook } from "../backdrop/plants.ts";
import { shadeColour } from "../canvas/colour.ts";
import { randomAt } from "../stage/random.ts";
import { type DrawThing, isMoving, type Pen } from "./pen.ts";

/** The drawings of plants. */
export const PLANTS: Readonly<Record<string, DrawThing>> = {
  tree: (pen) => drawBroadleaf(pen.canvas, lookOf(pen)),
  cherry_tree: (pen) => drawBroadleaf(pen.canvas, { ...lookOf(pen), snowy: false }),
  pine: (pen) => drawConifer(pen.canvas, lookOf(pen)),
  palm: (pen) => drawPalm(pen.canvas, lookOf(pen)),
  cactus: drawCactus,
  flower: drawFlower,
  sunflower: drawSunflower,
  mushroom: drawMushroom,
  leaf: drawLeaf,
  rock: drawRock,
};

function lookOf(pen: Pen): PlantLook {
  const sway = isMoving(pen)
    ? Math.sin(pen.seconds * 1.2) * (pen.motion === "wave" ? 0.06 : 0.014)
    : 0;
  return { colour: pen.colour, seed: pen.seed, snowy: pen.snowy, sway };
}

function drawCactus(pen: Pen): void {
  const { canvas, colour } = pen;
  canvas.path.limb([0, -0.02, 0.2], [0, -0.88, 0.18]);
  for (const [side, y, up] of [[-1, -0.4, -0.72], [1, -0.5, -0.84]] as const) {
    canvas.path.limb([0, y, 0.13], [side * 0.26, y, 0.13]);
    canvas.path.limb([side * 0.26, y, 0.13], [side * 0.26, up, 0.12]);
  }
  canvas.fill({
    colour: shadeColour(colour, 0.16),
    to: shadeColour(colour, -0.3),
    top: -1,
    bottom: 0,
  });
  for (const x of [-0.05, 0, 0.05]) canvas.path.limb([x, -0.06, 0.008], [x, -0.9, 0.008]);
  canvas.fill({ colour: shadeColour(colour, -0.4), alpha: 0.7 });
  canvas.path.ellipse(0, -0.98, 0.05, 0.035);
  canvas.path.ellipse(0.26, -0.91, 0.04, 0.03);
  canvas.fill(0xf07aa0);
}

function stem(pen: Pen, top: number): number {
  const { canvas } = pen;
  const sway = isMoving(pen)
    ? Math.sin(pen.seconds * 1.5) * (pen.motion === "wave" ? 0.09 : 0.035)
    : 0;
  canvas.path.limb([0, 0, 0.04], [sway * 0.4, top * 0.5, 0.035]);
  canvas.path.limb([sway * 0.4, top * 0.5, 0.035], [sway, top, 0.03]);
  canvas.path.smooth([0, -0.1, 0.1, -0.3, 0.22, -0.36, 0.14, -0.18]);
  canvas.path.smooth([0, -0.18, -0.1, -0.36, -0.22, -0.42, -0.14, -0.24]);
  canvas.fill({ colour: 0x5fae4a, to: 0x2f6f34, top, bottom: 0 });
  return sway;
}

function drawFlower(pen: Pen): void {
  const { canvas, colour } = pen;
  const x = stem(pen, -0.78);
  const open = pen.motion === "grow" ? 0.35 + 0.65 * Math.min(1, pen.seconds / 3) : 1;
  for (let petal = 0; petal < 7; petal++) {
    const angle = petal / 7 * Math.PI * 2 + 0.2;
    canvas.path.ellipse(
      x + Math.cos(angle) * 0.12 * open,
      -0.82 + Math.sin(angle) * 0.12 * open,
      0.095 * open,
      0.065 * open,
      angle,
    );
    canvas.fill(shadeColour(colour, petal % 2 ? 0.12 : -0.08));
  }
  canvas.path.ellipse(x, -0.82, 0.07, 0.07);
  canvas.fill({ colour: 0xffd84a, to: 0xe09a2c, top: -0.88, bottom: -0.76 });
}

function drawSunflower(pen: Pen): void {
  const { canvas, colour } = pen;
  const x = stem(pen, -0.76);
  for (const [count, reach, tone] of [[16, 0.19, -0.16], [15, 0.165, 0.08]] as const) {
    for (let petal = 0; petal < count; petal++) {
      const angle = petal / count * Math.PI * 2 + reach;
      canvas.path.ellipse(
        x + Math.cos(angle) * reach,
        -0.78 + Math.sin(angle) * reach,
        0.085,
        0.036,
        angle,
      );
    }
    canvas.fill(shadeColour(colour, tone));
  }
  canvas.path.ellipse(x, -0.78, 0.125, 0.125);
  canvas.fill(0x4a2c18);
  canvas.path.ellipse(x, -0.78, 0.075, 0.075);
  canvas.fill(0x6f4524);
}

function drawMushroom(pen: Pen): void {
  const { canvas, colour } = pen;
  canvas.path.smooth([-0.16, 0, -0.11, -0.3, -0.12, -0.52, 0.12, -0.52, 0.11, -0.3, 0.17, 0], 5);
  canvas.fill({ colour: 0xf8f0de, to: 0xcbb898, top: -0.5, bottom: 0 });
  canvas.path.smooth([-0.48, -0.44, -0.38, -0.8, 0, -1.0, 0.38, -0.8, 0.48, -0.44, 0, -0.36]);
  canvas.fill({
    colour: shadeColour(colour, 0.16),
    to: shadeColour(colour, -0.28),
    top: -1,
    bottom: -0.36,
  });
  for (
    const [x, y, r] of [[-0.2, -0.68, 0.07], [0.06, -0.82, 0.085], [0.26, -0.6, 0.06], [
      -0.02,
      -0.56,
      0.05,
    ], [-0.36, -0.5, 0.04]] as const
  ) {
    canvas.path.ellipse(x, y, r, r * 0.85);
  }
  canvas.fill(0xfdf8ee);
}

function drawLeaf(pen: Pen): void {
  const { canvas, colour } = pen;
  const tone = shadeColour(colour, (randomAt(pen.seed, 3, 501) - 0.5) * 0.4);
  const flip = isMoving(pen) ? Math.cos(pen.seconds * 2.6) : 1;
  canvas.within({ scaleX: 1, scaleY: 0.35 + 0.65 * Math.abs(flip) }, () => {
    canvas.path.smooth([-0.55, 0, -0.25, -0.32, 0.2, -0.3, 0.6, 0, 0.2, 0.3, -0.25, 0.32]);
    canvas.fill({
      colour: shadeColour(tone, 0.15),
      to: shadeColour(tone, -0.2),
      top: -0.3,
      bottom: 0.3,
    });
    canvas.path.limb([-0.72, 0, 0.05], [0.5, 0, 0.02]);
    canvas.fill(shadeColour(tone, -0.4));
  });
}

function drawRock(pen: Pen): void {
  const { canvas, colour } = pen;
  canvas.path.polygon([-0.78, 0, -0.66, -0.5, -0.3, -0.88, 0.16, -1, 0.56, -0.66, 0.8, 0]);
  canvas.fill({
    colour: shadeColour(colour, 0.12),
    to: shadeColour(colour, -0.3),
    top: -1,
    bottom: 0,
  });
  canvas.path.polygon([0.8, 0, 0.56, -0.66, 0.16, -1, 0.22, -0.5, 0.1, 0]);
  canvas.fill({ colour: shadeColour(colour, -0.5), alpha: 0.45 });
  if (!pen.snowy) return;
  canvas.path.polygon([-0.4, -0.78, -0.3, -0.88, 0.16, -1, 0.44, -0.76, 0.1, -0.82, -0.1, -0.72]);
  canvas.fill(0xf6faff);
}
