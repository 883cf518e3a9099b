/**
 * Furniture.
 *
 * @module
 */
import { shadeColour } from "../canvas/colour.ts";
import { randomAt } from "../stage/random.ts";
import { drawFlame } from "./lights.ts";
import type { DrawThing, Pen } from "./pen.ts";

/** The drawings of furniture. */
export const FURNITURE: Readonly<Record<string, DrawThing>> = {
  sofa: drawSofa,
  table: drawTable,
  chair: drawChair,
  bed: drawBed,
  fireplace: drawFireplace,
  bookshelf: drawBookshelf,
};

/** A box with rounded corners. */
function cushion(
  pen: Pen,
  box: { left: number; right: number; top: number; bottom: number; colour: number },
): void {
  const { left, right, top, bottom, colour } = box;
  const r = Math.min(0.08, (right - left) / 2, (bottom - top) / 2);
  const { path } = pen.canvas;
  path.polygon([
    left + r,
    top,
    right - r,
    top,
    right - r * 0.3,
    top + r * 0.3,
    right,
    top + r,
    right,
    bottom - r,
    right - r * 0.3,
    bottom - r * 0.3,
    right - r,
    bottom,
    left + r,
    bottom,
    left + r * 0.3,
    bottom - r * 0.3,
    left,
    bottom - r,
    left,
    top + r,
    left + r * 0.3,
    top + r * 0.3,
  ]);
  pen.canvas.fill({
    colour: shadeColour(colour, 0.12),
    to: shadeColour(colour, -0.22),
    top,
    bottom,
  });
}

function post(pen: Pen, x: number, half: number, top: number): void {
  pen.canvas.path.polygon([x - half, top, x + half, top, x + half * 0.8, 0, x - half * 0.8, 0]);
}

function drawSofa(pen: Pen): void {
  const { canvas, colour } = pen;
  for (const x of [-0.9, 0.9]) post(pen, x, 0.04, -0.14);
  canvas.fill(0x4a3020);
  cushion(pen, { left: -0.95, right: 0.95, top: -0.98, bottom: -0.3, colour });
  for (const x of [-0.44, 0.44]) {
    cushion(pen, {
      left: x - 0.43,
      right: x + 0.43,
      top: -0.86,
      bottom: -0.36,
      colour: shadeColour(colour, 0.1),
    });
    cushion(pen, {
      left: x - 0.43,
      right: x + 0.43,
      top: -0.46,
      bottom: -0.24,
      colour: shadeColour(colour, 0.2),
    });
  }
  cushion(pen, {
    left: -0.9,
    right: 0.9,
    top: -0.26,
    bottom: -0.08,
    colour: shadeColour(colour, -0.12),
  });
  for (const x of [-0.95, 0.95]) {
    cushion(pen, { left: x - 0.12, right: x + 0.12, top: -0.66, bottom: -0.06, colour });
  }
}

function drawTable(pen: Pen): void {
  const { canvas, colour } = pen;
  for (const x of [-0.68, 0.68]) post(pen, x, 0.05, -0.9);
  canvas.fill({
    colour: shadeColour(colour, -0.2),
    to: shadeColour(colour, -0.4),
    top: -0.9,
    bottom: 0,
  });
  canvas.path.polygon([-0.74, -1, 0.74, -1, 0.84, -0.92, -0.84, -0.92]);
  canvas.fill(shadeColour(colour, 0.16));
  canvas.path.polygon([-0.84, -0.92, 0.84, -0.92, 0.84, -0.85, -0.84, -0.85]);
  canvas.fill(shadeColour(colour, -0.14));
}

function drawChair(pen: Pen): void {
  const { canvas, colour } = pen;
  for (const x of [-0.24, 0.24]) post(pen, x, 0.03, -0.46);
  canvas.path.limb([-0.26, -0.44, 0.06], [-0.3, -0.98, 0.05]);
  canvas.fill(shadeColour(colour, -0.25));
  for (const y of [-0.92, -0.76, -0.6]) canvas.path.limb([-0.29, y, 0.07], [-0.24, y, 0.07]);
  canvas.fill(colour);
  cushion(pen, { left: -0.32, right: 0.32, top: -0.5, bottom: -0.4, colour });
}

function drawBed(pen: Pen): void {
  const { canvas, colour } = pen;
  cushion(pen, { left: -1.08, right: -0.94, top: -1, bottom: 0, colour: 0x7a4f30 });
  cushion(pen, { left: 0.96, right: 1.08, top: -0.56, bottom: 0, colour: 0x7a4f30 });
  canvas.path.polygon([-0.98, -0.34, 1, -0.34, 1, -0.12, -0.98, -0.12]);
  canvas.fill(0x6a4428);
  cushion(pen, { left: -0.96, right: 0.98, top: -0.52, bottom: -0.26, colour: 0xf2efe8 });
  cushion(pen, { left: -0.92, right: -0.5, top: -0.68, bottom: -0.46, colour: 0xfdfbf6 });
  cushion(pen, { left: -0.46, right: 1, top: -0.56, bottom: -0.2, colour });
}

function drawFireplace(pen: Pen): void {
  const { canvas, colour } = pen;
  canvas.path.polygon([-0.34, -0.9, -0.3, -1.9, 0.3, -1.9, 0.34, -0.9]);
  canvas.path.polygon([-0.54, 0, -0.54, -0.9, 0.54, -0.9, 0.54, 0]);
  canvas.fill({ colour, to: shadeColour(colour, -0.25), top: -1.9, bottom: 0 });
  for (let row = 0; row < 18; row++) {
    const y = -0.05 - row * 0.1;
    const half = row < 8 ? 0.54 : 0.32;
    canvas.path.limb([-half, y, 0.008], [half, y, 0.008]);
    for (let brick = 0; brick < 5; brick++) {
      const x = -half + (brick + (row % 2 ? 0.3 : 0.7)) * half * 0.4;
      canvas.path.limb([x, y, 0.007], [x, y - 0.1, 0.007]);
    }
  }
  canvas.fill({ colour: shadeColour(colour, 0.5), alpha: 0.4 });
  canvas.path.smooth([-0.34, 0, -0.34, -0.46, 0, -0.66, 0.34, -0.46, 0.34, 0], 5);
  canvas.fill({ colour: 0x1e1512, to: 0x4a2414, top: -0.66, bottom: 0 });
  canvas.path.polygon([-0.64, -0.86, 0.64, -0.86, 0.6, -0.96, -0.6, -0.96]);
  canvas.fill(0x6a4428);
  canvas.path.limb([-0.2, -0.03, 0.07], [0.2, -0.06, 0.07]);
  canvas.path.limb([-0.16, -0.1, 0.06], [0.18, -0.02, 0.06]);
  canvas.fill(0x54341f);
  canvas.glow(0, -0.2, 1.1, { colour: 0xff9a3c, alpha: 0.5 });
  drawFlame(pen, { x: -0.12, y: -0.05, height: 0.3, key: 1 });
  drawFlame(pen, { x: 0.13, y: -0.05, height: 0.32, key: 4 });
  drawFlame(pen, { x: 0, y: -0.04, height: 0.44, key: 8 });
}

const SPINES: readonly number[] = [0xa8443c, 0x3f6a94, 0xd0a04a, 0x4f8a62, 0x7a5a94, 0xe2d6bc];

function drawBookshelf(pen: Pen): void {
  const { canvas, colour } = pen;
  canvas.path.polygon([-0.35, 0, -0.35, -1, 0.35, -1, 0.35, 0]);
  canvas.fill({ colour, to: shadeColour(colour, -0.2), top: -1, bottom: 0 });
  for (let row = 0; row < 4; row++) {
    const foot = -0.05 - row * 0.235;
    canvas.path.polygon([-0.31, foot, -0.31, foot - 0.2, 0.31, foot - 0.2, 0.31, foot]);
    canvas.fill(shadeColour(colour, -0.5));
    for (let book = 0; book < 10; book++) {
      const tall = 0.13 + 0.05 * randomAt(pen.seed, row, book);
      const x = -0.3 + book * 0.06;
      canvas.path.polygon([x, foot, x, foot - tall, x + 0.05, foot - tall, x + 0.05, foot]);
      canvas.fill(SPINES[Math.floor(randomAt(pen.seed, row + 9, book) * SPINES.length)]!);
    }
  }
}
