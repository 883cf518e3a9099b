/**
 * Fish and whales.
 *
 * @module
 */
import { mixColour, shadeColour } from "../canvas/colour.ts";
import { type DrawThing, isMoving, type Pen } from "./pen.ts";

/** The drawings of fish and whales. */
export const FISHES: Readonly<Record<string, DrawThing>> = {
  fish: drawFish,
  shark: (pen) =>
    drawSwimmer(pen, { girth: 0.3, belly: 0xe8eef2, dorsal: 0.34, upright: true, snout: 0 }),
  dolphin: (pen) =>
    drawSwimmer(pen, { girth: 0.27, belly: 0xdce8ee, dorsal: 0.24, upright: false, snout: 0.16 }),
  whale: drawWhale,
};

function drawFish(pen: Pen): void {
  const { canvas, colour } = pen;
  const tail = isMoving(pen) ? Math.sin(pen.seconds * 9) : 0;
  canvas.path.smooth([
    -0.5,
    0,
    -0.72,
    -0.32,
    -0.98,
    -0.4 + tail * 0.1,
    -0.84,
    0 + tail * 0.05,
    -0.98,
    0.38 + tail * 0.1,
    -0.7,
    0.28,
  ]);
  canvas.path.smooth([-0.3, -0.26, 0, -0.58, 0.22, -0.5, 0.28, -0.26]);
  canvas.path.smooth([-0.1, 0.28, -0.06, 0.52, 0.14, 0.42, 0.14, 0.26]);
  canvas.fill(shadeColour(colour, -0.24));
  canvas.path.smooth([
    -0.62,
    0,
    -0.3,
    -0.28,
    0.2,
    -0.4,
    0.62,
    -0.26,
    0.86,
    0.02,
    0.6,
    0.27,
    0.15,
    0.37,
    -0.3,
    0.25,
  ]);
  canvas.fill({
    colour: shadeColour(colour, 0.1),
    to: shadeColour(colour, -0.12),
    top: -0.4,
    bottom: 0.4,
  });
  for (const x of [-0.1, 0.28]) {
    canvas.path.smooth([
      x,
      -0.34,
      x + 0.12,
      -0.36,
      x + 0.16,
      0,
      x + 0.1,
      0.33,
      x - 0.02,
      0.33,
      x + 0.05,
      0,
    ]);
  }
  canvas.fill({ colour: mixColour(colour, 0xffffff, 0.8), alpha: 0.85 });
  canvas.path.smooth([0.12, 0.05, -0.06, 0.16 + tail * 0.08, -0.04, 0.28, 0.2, 0.16]);
  canvas.fill(shadeColour(colour, -0.32));
  canvas.path.ellipse(0.6, -0.08, 0.09, 0.09);
  canvas.fill(0xffffff);
  canvas.path.ellipse(0.62, -0.08, 0.052, 0.055);
  canvas.fill(0x14141a);
}

function drawSwimmer(
  pen: Pen,
  look: { girth: number; belly: number; dorsal: number; upright: boolean; snout: number },
): void {
  const { canvas, colour } = pen;
  const beat = isMoving(pen) ? Math.sin(pen.seconds * 5) : 0;
  const { girth } = look;
  canvas.within({ turn: beat * 0.03 }, () => {
    if (look.upright) {
      canvas.path.smooth([
        -0.86,
        0,
        -1.12,
        -0.42,
        -1.24,
        -0.46,
        -1.1,
        -0.02 + beat * 0.03,
        -1.2,
        0.3,
        -1.08,
        0.26,
      ]);
    } else {
      canvas.path.smooth([
        -0.84,
        -0.03,
        -1.1,
        -0.16 + beat * 0.14,
        -1.24,
        -0.1 + beat * 0.22,
        -1.08,
        0.02 + beat * 0.1,
        -1.2,
        0.14 + beat * 0.16,
        -0.98,
        0.1,
      ]);
    }
    canvas.path.smooth([
      -0.12,
      -girth * 0.8,
      -0.06,
      -girth - look.dorsal,
      -0.2,
      -girth - look.dorsal * 1.1,
      0.24,
      -girth * 0.8,
    ]);
    canvas.path.smooth([
      0.3,
      girth * 0.4,
      0.02,
      girth + 0.26,
      -0.06,
      girth + 0.3,
      0.12,
      girth * 0.5,
    ]);
    canvas.fill(shadeColour(colour, -0.22));
    canvas.path.smooth([
      -0.96,
      0.02,
      -0.5,
      -girth * 0.66,
      0.1,
      -girth,
      0.62,
      -girth * 0.72,
      0.94 + look.snout,
      0.02,
      0.88 + look.snout,
      0.09,
      0.5,
      girth * 0.66,
      0,
      girth * 0.84,
      -0.5,
      girth * 0.5,
    ]);
    canvas.fill({
      colour: shadeColour(colour, 0.12),
      to: shadeColour(colour, -0.14),
      top: -girth,
      bottom: girth,
    });
    canvas.path.smooth([
      -0.7,
      0.09,
      0,
      girth * 0.32,
      0.5,
      girth * 0.2,
      0.88 + look.snout,
      0.08,
      0.5,
      girth * 0.64,
      0,
      girth * 0.82,
      -0.5,
      girth * 0.48,
    ]);
    canvas.fill(look.belly);
    canvas.path.ellipse(0.66, -0.05, 0.035, 0.04);
    canvas.fill(0x101418);
    if (!look.upright) return;
    for (const x of [0.3, 0.36, 0.42]) canvas.path.limb([x, -0.06, 0.012], [x - 0.02, 0.08, 0.012]);
    canvas.fill(shadeColour(colour, -0.5));
  });
}

function drawWhale(pen: Pen): void {
  const { canvas, colour } = pen;
  const beat = isMoving(pen) ? Math.sin(pen.seconds * 2.4) : 0;
  canvas.path.smooth([
    -0.8,
    -0.06,
    -1.02,
    -0.34 + beat * 0.12,
    -1.3,
    -0.46 + beat * 0.22,
    -1.12,
    -0.16 + beat * 0.12,
    -1.28,
    0.0 + beat * 0.18,
    -1.0,
    0.02,
    -0.8,
    0.14,
  ]);
  canvas.fill(shadeColour(colour, -0.18));
  canvas.path.smooth([
    -1.0,
    -0.06,
    -0.6,
    -0.22,
    -0.1,
    -0.46,
    0.5,
    -0.48,
    0.92,
    -0.2,
    0.98,
    0.08,
    0.7,
    0.34,
    0.1,
    0.4,
    -0.45,
    0.22,
    -0.85,
    0.08,
  ]);
  canvas.fill({
    colour: shadeColour(colour, 0.14),
    to: shadeColour(colour, -0.2),
    top: -0.5,
    bottom: 0.4,
  });
  canvas.path.smooth([
    0.97,
    0.08,
    0.55,
    0.12,
    0,
    0.16,
    -0.5,
    0.16,
    -0.4,
    0.24,
    0.1,
    0.39,
    0.7,
    0.34,
  ]);
  canvas.fill(0xdce6ec);
  for (const y of [0.2, 0.26, 0.32]) {
    canvas.path.limb([0.85 - y * 0.3, y, 0.012], [0.1, y + 0.03, 0.008]);
  }
  canvas.fill(0x9fb4c0);
  canvas.path.smooth([0.28, 0.2, 0.02, 0.5 + beat * 0.05, -0.12, 0.54 + beat * 0.05, 0.1, 0.18]);
  canvas.fill(shadeColour(colour, -0.3));
  canvas.path.ellipse(0.62, 0.02, 0.036, 0.04);
  canvas.fill(0x101418);
  for (let drop = 0; drop < 22; drop++) {
    const age = (drop / 22 + (isMoving(pen) ? pen.seconds * 0.9 : 0)) % 1;
    const side = drop % 2 ? 1 : -1;
    const x = 0.42 + side * age * 0.22 * (0.4 + (drop % 5) / 5);
    canvas.path.ellipse(x, -0.5 - 0.62 * Math.sin(age * Math.PI * 0.72), 0.028, 0.034);
  }
  canvas.fill({ colour: 0xf4fbff, alpha: 0.85 });
}
