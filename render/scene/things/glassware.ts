/**
 * Bottles, glasses and vases.
 *
 * @module
 */
import { shadeColour } from "../canvas/colour.ts";
import { type DrawThing, isMoving, type Pen } from "./pen.ts";

/** The drawings of what holds water. */
export const GLASSWARE: Readonly<Record<string, DrawThing>> = {
  bottle: drawBottle,
  glass: drawGlass,
  vase: drawVase,
};

function drawBottle(pen: Pen): void {
  const { canvas, colour } = pen;
  canvas.path.smooth([
    -0.16,
    -0.01,
    -0.17,
    -0.5,
    -0.06,
    -0.68,
    -0.055,
    -0.94,
    0.055,
    -0.94,
    0.06,
    -0.68,
    0.17,
    -0.5,
    0.16,
    -0.01,
  ], 5);
  canvas.fill({
    colour: shadeColour(colour, 0.2),
    to: shadeColour(colour, -0.25),
    top: -0.94,
    bottom: 0,
    alpha: 0.92,
  });
  canvas.path.polygon([-0.06, -0.92, -0.06, -1, 0.06, -1, 0.06, -0.92]);
  canvas.fill(0xb98a54);
  canvas.path.polygon([-0.165, -0.16, -0.165, -0.4, 0.165, -0.4, 0.165, -0.16]);
  canvas.fill(0xf4ecd8);
  canvas.path.limb([-0.1, -0.44, 0.025], [-0.11, -0.08, 0.02]);
  canvas.fill({ colour: 0xffffff, alpha: 0.5 });
}

function drawGlass(pen: Pen): void {
  const { canvas, colour } = pen;
  const heave = isMoving(pen) ? Math.sin(pen.seconds * 2) * 0.01 : 0;
  canvas.path.polygon([-0.28, -0.98, 0.28, -0.98, 0.22, 0, -0.22, 0]);
  canvas.fill({ colour: 0xf4fbff, alpha: 0.4 });
  canvas.path.polygon([-0.25, -0.66 + heave, 0.25, -0.66 - heave, 0.205, -0.05, -0.205, -0.05]);
  canvas.fill({ colour, to: shadeColour(colour, -0.2), top: -0.66, bottom: 0, alpha: 0.8 });
  canvas.path.ellipse(0, -0.66, 0.25, 0.04);
  canvas.fill(shadeColour(colour, 0.3));
  canvas.path.ellipse(0, -0.98, 0.28, 0.045);
  canvas.fill({ colour: 0xffffff, alpha: 0.55 });
  canvas.path.limb([-0.2, -0.9, 0.025], [-0.165, -0.1, 0.02]);
  canvas.fill({ colour: 0xffffff, alpha: 0.7 });
}

const BLOOMS: readonly number[] = [0xe2466e, 0xf6c92e, 0xf48cb4, 0xb45fb8, 0xf08020];

function drawVase(pen: Pen): void {
  const { canvas, colour } = pen;
  const sway = isMoving(pen) ? Math.sin(pen.seconds * 1.3) * 0.02 : 0;
  const stems = [[-0.26, -0.78], [-0.12, -0.92], [0.04, -0.84], [0.17, -0.94], [0.28, -0.76]];
  for (const [x, y] of stems) canvas.path.limb([x! * 0.3, -0.4, 0.02], [x! + sway, y!, 0.016]);
  canvas.path.smooth([0, -0.42, -0.2, -0.6, -0.36, -0.56, -0.2, -0.48]);
  canvas.path.smooth([0, -0.42, 0.2, -0.62, 0.36, -0.54, 0.2, -0.48]);
  canvas.fill({ colour: 0x5fae4a, to: 0x2f6f34, top: -0.9, bottom: -0.4 });
  for (const [index, [x, y]] of stems.entries()) {
    for (let petal = 0; petal < 6; petal++) {
      const angle = petal / 6 * Math.PI * 2;
      canvas.path.ellipse(
        x! + sway + Math.cos(angle) * 0.05,
        y! + Math.sin(angle) * 0.05,
        0.045,
        0.045,
      );
    }
    canvas.fill(BLOOMS[(index + pen.seed) % BLOOMS.length]!);
    canvas.path.ellipse(x! + sway, y!, 0.03, 0.03);
    canvas.fill(0xffe08a);
  }
  canvas.path.smooth([
    -0.13,
    -0.46,
    -0.1,
    -0.4,
    -0.23,
    -0.22,
    -0.13,
    -0.01,
    0.13,
    -0.01,
    0.23,
    -0.22,
    0.1,
    -0.4,
    0.13,
    -0.46,
  ], 5);
  canvas.fill({
    colour: shadeColour(colour, 0.16),
    to: shadeColour(colour, -0.3),
    top: -0.46,
    bottom: 0,
  });
}
