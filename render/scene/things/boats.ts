/**
 * Boats and ships; the waterline is at the origin.
 *
 * @module
 */
import { shadeColour } from "../canvas/colour.ts";
import { type DrawThing, isMoving, type Pen } from "./pen.ts";

/** The drawings of vessels. */
export const BOATS: Readonly<Record<string, DrawThing>> = {
  sailboat: drawSailboat,
  ship: drawShip,
  submarine: drawSubmarine,
};

function drawSailboat(pen: Pen): void {
  const { canvas, colour } = pen;
  const fill = isMoving(pen) ? Math.sin(pen.seconds * 1.7) * 0.015 : 0;
  canvas.path.polygon([-0.012, -0.12, -0.008, -1.0, 0.008, -1.0, 0.012, -0.12]);
  canvas.fill(0x6a4a30);
  canvas.path.smooth([
    0.03,
    -0.96,
    0.16 + fill,
    -0.7,
    0.32 + fill,
    -0.42,
    0.4,
    -0.2,
    0.22,
    -0.19,
    0.03,
    -0.2,
  ], 5);
  canvas.fill({
    colour: shadeColour(colour, 0.2),
    to: shadeColour(colour, -0.14),
    top: -0.95,
    bottom: -0.2,
  });
  canvas.path.smooth([
    -0.03,
    -0.9,
    -0.12 + fill,
    -0.6,
    -0.3 + fill,
    -0.34,
    -0.36,
    -0.22,
    -0.2,
    -0.21,
    -0.03,
    -0.22,
  ], 5);
  canvas.fill({
    colour: shadeColour(colour, -0.04),
    to: shadeColour(colour, -0.32),
    top: -0.9,
    bottom: -0.2,
  });
  canvas.path.polygon([-0.008, -1.0, 0.11, -0.965 + fill, -0.008, -0.93]);
  canvas.fill(0xd8382e);
  canvas.path.smooth([
    -0.46,
    -0.15,
    0,
    -0.12,
    0.52,
    -0.17,
    0.4,
    0,
    0.3,
    0.05,
    -0.3,
    0.05,
    -0.4,
    -0.02,
  ], 5);
  canvas.fill({ colour: 0x9a5f38, to: 0x56321e, top: -0.16, bottom: 0.05 });
  canvas.path.polygon([-0.45, -0.14, 0, -0.115, 0.5, -0.155, 0.49, -0.12, 0, -0.085, -0.44, -0.11]);
  canvas.fill(0xf2e8d4);
}

function drawShip(pen: Pen): void {
  const { canvas, colour, darkness } = pen;
  const lit = darkness > 0.15;
  for (let puff = 0; puff < 8; puff++) {
    const age = (puff / 8 + (isMoving(pen) ? pen.seconds * 0.16 : 0)) % 1;
    canvas.path.ellipse(-0.12 - age * 0.7, -1 - age * 0.26, 0.06 + age * 0.13, 0.05 + age * 0.09);
    canvas.fill({ colour: 0x9a9ca4, alpha: 0.55 * (1 - age) });
  }
  canvas.path.polygon([-0.2, -0.98, 0, -0.98, 0.03, -0.6, -0.2, -0.6]);
  canvas.fill({ colour: 0xd8463a, to: 0x9a2c26, top: -1, bottom: -0.6 });
  canvas.path.polygon([-0.205, -0.98, 0.0, -0.98, 0.005, -0.9, -0.205, -0.9]);
  canvas.fill(0x2a2a30);
  canvas.path.polygon([
    -0.62,
    -0.32,
    -0.56,
    -0.52,
    -0.4,
    -0.52,
    -0.36,
    -0.68,
    0.24,
    -0.68,
    0.3,
    -0.52,
    0.46,
    -0.52,
    0.52,
    -0.32,
  ]);
  canvas.fill({ colour: 0xf8f6f0, to: 0xcfd4da, top: -0.68, bottom: -0.32 });
  for (let row = 0; row < 2; row++) {
    for (let port = 0; port < 9; port++) {
      const x = -0.5 + port * 0.11 + row * 0.02;
      if (row === 1 && (port < 2 || port > 6)) continue;
      const y = -0.44 - row * 0.16;
      canvas.path.polygon([x, y, x + 0.06, y, x + 0.06, y + 0.06, x, y + 0.06]);
    }
  }
  canvas.fill({ colour: lit ? 0xffd67c : 0x4f7088, shines: lit });
  canvas.path.smooth([
    -0.88,
    -0.34,
    0,
    -0.3,
    0.98,
    -0.4,
    0.84,
    -0.12,
    0.74,
    0.05,
    -0.72,
    0.05,
    -0.82,
    -0.1,
  ], 5);
  canvas.fill({
    colour: shadeColour(colour, 0.12),
    to: shadeColour(colour, -0.3),
    top: -0.36,
    bottom: 0.05,
  });
  canvas.path.polygon([-0.8, -0.045, 0.79, -0.045, 0.74, 0.05, -0.72, 0.05]);
  canvas.fill(0xa8342c);
  for (let port = 0; port < 8; port++) canvas.path.ellipse(-0.6 + port * 0.17, -0.2, 0.024, 0.024);
  canvas.fill({ colour: lit ? 0xffd67c : 0xe8eef2, shines: lit });
}

function drawSubmarine(pen: Pen): void {
  const { canvas, colour } = pen;
  canvas.path.polygon([
    0.02,
    -0.42,
    0.02,
    -0.78,
    0.16,
    -0.78,
    0.16,
    -0.72,
    0.07,
    -0.72,
    0.07,
    -0.42,
  ]);
  canvas.fill(shadeColour(colour, -0.4));
  canvas.path.smooth([-0.22, -0.26, -0.18, -0.5, 0.2, -0.5, 0.26, -0.26]);
  canvas.fill(shadeColour(colour, -0.12));
  canvas.path.polygon([-0.86, 0, -1.08, -0.3, -1.0, 0, -1.08, 0.3]);
  canvas.fill(shadeColour(colour, -0.3));
  const turn = isMoving(pen) ? Math.cos(pen.seconds * 14) : 0.7;
  canvas.path.ellipse(-1.06, 0, 0.04, 0.22 * Math.abs(turn) + 0.03);
  canvas.fill(0x6a6e74);
  canvas.path.smooth([
    -0.96,
    0,
    -0.6,
    -0.29,
    0.4,
    -0.32,
    0.84,
    -0.18,
    0.96,
    0,
    0.84,
    0.2,
    0.4,
    0.31,
    -0.6,
    0.27,
  ]);
  canvas.fill({
    colour: shadeColour(colour, 0.24),
    to: shadeColour(colour, -0.35),
    top: -0.3,
    bottom: 0.3,
  });
  for (const x of [-0.3, 0.08, 0.46]) {
    canvas.path.ellipse(x, -0.03, 0.12, 0.12);
    canvas.fill(shadeColour(colour, -0.42));
    canvas.path.ellipse(x, -0.03, 0.085, 0.085);
    canvas.fill({ colour: 0xfff0b4, to: 0x8ad4e8, top: -0.1, bottom: 0.05, shines: true });
  }
}
