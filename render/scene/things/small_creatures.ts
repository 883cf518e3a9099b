/**
 * Insects.
 *
 * @module
 */
import { mixColour, shadeColour } from "../canvas/colour.ts";
import type { DrawThing, Pen } from "./pen.ts";

/** The drawings of insects. */
export const SMALL_CREATURES: Readonly<Record<string, DrawThing>> = {
  butterfly: drawButterfly,
  bee: drawBee,
  firefly: drawFirefly,
};

function drawButterfly(pen: Pen): void {
  const { canvas, colour } = pen;
  const open = pen.motion === "still" ? 0.9 : 0.55 + 0.45 * Math.sin(pen.seconds * 8);
  canvas.within({ turn: 0.22 }, () => {
    for (const side of [-1, 1]) {
      canvas.within({ scaleX: side * open, scaleY: 1 }, () => {
        canvas.path.smooth([
          0.02,
          -0.06,
          0.22,
          -0.46,
          0.56,
          -0.5,
          0.6,
          -0.22,
          0.32,
          0.02,
          0.03,
          0.03,
        ]);
        canvas.path.smooth([0.02, 0.02, 0.34, 0.06, 0.46, 0.26, 0.3, 0.46, 0.1, 0.3]);
        canvas.fill(shadeColour(colour, -0.72));
        canvas.path.smooth([
          0.05,
          -0.07,
          0.23,
          -0.39,
          0.5,
          -0.42,
          0.52,
          -0.23,
          0.3,
          -0.02,
          0.06,
          0.01,
        ]);
        canvas.path.smooth([0.05, 0.05, 0.31, 0.09, 0.39, 0.25, 0.28, 0.38, 0.12, 0.26]);
        canvas.fill({
          colour: shadeColour(colour, 0.2),
          to: shadeColour(colour, -0.12),
          top: -0.4,
          bottom: 0.4,
        });
        canvas.path.ellipse(0.4, -0.32, 0.06, 0.05);
        canvas.path.ellipse(0.28, 0.22, 0.05, 0.05);
        canvas.fill(mixColour(colour, 0xffffff, 0.75));
      });
    }
    canvas.path.limb([0, -0.2, 0.07], [0, 0.26, 0.04]);
    canvas.path.limb([0, -0.2, 0.014], [-0.12, -0.42, 0.02]);
    canvas.path.limb([0, -0.2, 0.014], [0.12, -0.42, 0.02]);
    canvas.fill(0x2a2024);
  });
}

function drawBee(pen: Pen): void {
  const { canvas, colour } = pen;
  const beat = pen.motion === "still" ? 0.5 : Math.sin(pen.seconds * 40);
  canvas.path.ellipse(-0.1, -0.4 - beat * 0.05, 0.17, 0.32, -0.5 + beat * 0.2);
  canvas.path.ellipse(0.14, -0.42 - beat * 0.05, 0.15, 0.3, 0.25 + beat * 0.2);
  canvas.fill({ colour: 0xeef8ff, alpha: 0.75 });
  canvas.path.ellipse(0, 0, 0.5, 0.32);
  canvas.fill({
    colour: shadeColour(colour, 0.16),
    to: shadeColour(colour, -0.15),
    top: -0.3,
    bottom: 0.3,
  });
  for (const x of [-0.3, -0.06, 0.18]) canvas.path.ellipse(x, 0, 0.065, 0.3 - Math.abs(x) * 0.2);
  canvas.path.ellipse(0.46, -0.02, 0.19, 0.19);
  canvas.fill(0x2a2220);
  canvas.path.ellipse(0.53, -0.06, 0.05, 0.06);
  canvas.fill(0xffffff);
}

function drawFirefly(pen: Pen): void {
  const { canvas, colour } = pen;
  const pulse = pen.motion === "still"
    ? 0.8
    : 0.55 + 0.45 * Math.sin(pen.seconds * 2.4 + pen.seed * 1.7);
  canvas.glow(0, 0, 2.2, { colour, alpha: 0.85 * pulse });
  canvas.path.ellipse(0, 0, 0.22, 0.22);
  canvas.fill({ colour: shadeColour(colour, 0.6), alpha: 0.4 + 0.6 * pulse, shines: true });
}
