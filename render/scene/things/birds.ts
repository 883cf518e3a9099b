/**
 * Birds, on the wing and on their feet.
 *
 * @module
 */
import { shadeColour } from "../canvas/colour.ts";
import { type DrawThing, isMoving, type Pen } from "./pen.ts";

/** The drawings of birds. */
export const BIRDS: Readonly<Record<string, DrawThing>> = {
  bird: (pen) => drawFlier(pen, { span: 1.1, belly: 0xf2e6d6, beak: 0xf0a030, pace: 9 }),
  crow: (pen) => drawFlier(pen, { span: 1.3, belly: 0x33333c, beak: 0x1a1a1e, pace: 7 }),
  gull: (pen) =>
    drawFlier(pen, { span: 1.6, belly: 0xffffff, beak: 0xf0b030, pace: 5, tip: 0x34383e }),
  eagle: (pen) =>
    drawFlier(pen, { span: 1.6, belly: 0x57361c, beak: 0xf0b830, pace: 3.2, head: 0xf6f2ea }),
  duck: (pen) => drawFloater(pen, { neck: 0.3, head: 0x2f7a4c, beak: 0xf0b030 }),
  swan: (pen) => drawFloater(pen, { neck: 0.66, head: pen.colour, beak: 0xf08a2c }),
  penguin: drawPenguin,
  owl: drawOwl,
  chicken: drawChicken,
};

interface FlierLook {
  readonly span: number;
  readonly belly: number;
  readonly beak: number;
  readonly pace: number;
  readonly tip?: number;
  readonly head?: number;
}

function drawFlier(pen: Pen, look: FlierLook): void {
  const { canvas, colour } = pen;
  const beat = pen.motion === "still" ? 0.4 : Math.sin(pen.seconds * look.pace);
  const wing = (near: boolean): void => {
    const rise = -(0.18 + 0.62 * beat) * look.span * 0.6;
    const x = near ? 0.02 : 0.12;
    const reach = near ? -0.2 : 0.06;
    canvas.path.smooth([
      x + 0.2,
      -0.02,
      x + 0.12 + reach * 0.3,
      rise * 0.62 - 0.06,
      x - 0.16 + reach,
      rise * 1.25,
      x - 0.3 + reach,
      rise * 1.18 + 0.05,
      x - 0.24 + reach * 0.4,
      rise * 0.5 + 0.06,
      x - 0.26,
      0.06,
    ]);
    canvas.fill({
      colour: shadeColour(colour, near ? 0.12 : -0.3),
      to: shadeColour(look.tip ?? colour, near ? -0.12 : -0.4),
      top: 0,
      bottom: rise * 1.2,
    });
  };
  canvas.within({ y: -beat * 0.07 }, () => {
    wing(false);
    canvas.path.polygon([-0.42, -0.02, -0.86, -0.12, -0.8, 0.02, -0.88, 0.12, -0.42, 0.1]);
    canvas.fill(shadeColour(colour, -0.2));
    canvas.path.smooth([
      -0.6,
      0.0,
      -0.2,
      -0.15,
      0.3,
      -0.15,
      0.52,
      -0.02,
      0.3,
      0.13,
      -0.15,
      0.19,
      -0.45,
      0.1,
    ]);
    canvas.fill({ colour: shadeColour(colour, 0.1), to: look.belly, top: -0.05, bottom: 0.16 });
    canvas.path.ellipse(0.5, -0.1, 0.17, 0.15);
    canvas.fill(look.head ?? shadeColour(colour, 0.06));
    canvas.path.polygon([0.62, -0.16, 0.86, -0.06, 0.62, -0.03]);
    canvas.fill(look.beak);
    canvas.path.ellipse(0.55, -0.13, 0.028, 0.032);
    canvas.fill(0x121014);
    wing(true);
  });
}

function drawFloater(pen: Pen, look: { neck: number; head: number; beak: number }): void {
  const { canvas, colour } = pen;
  const nod = isMoving(pen) ? Math.sin(pen.seconds * 2.1) * 0.025 : 0;
  const top = -0.36 - look.neck;
  canvas.path.smooth([
    -0.68,
    -0.32,
    -0.4,
    -0.36,
    0.1,
    -0.46,
    0.46,
    -0.3,
    0.5,
    -0.04,
    0.2,
    0.03,
    -0.35,
    0.03,
    -0.58,
    -0.1,
  ]);
  canvas.fill({
    colour: shadeColour(colour, 0.12),
    to: shadeColour(colour, -0.22),
    top: -0.45,
    bottom: 0,
  });
  const points: [number, number][] = [[0.36, -0.22], [0.47, -0.34], [0.43, top * 0.72], [
    0.36 + nod,
    top * 0.9,
  ], [0.46 + nod, top]];
  for (let i = 1; i < points.length; i++) {
    const [x0, y0] = points[i - 1]!;
    const [x1, y1] = points[i]!;
    canvas.path.limb([x0, y0, 0.2 - i * 0.022], [x1, y1, 0.18 - i * 0.022]);
  }
  canvas.fill(look.neck > 0.5 ? colour : look.head);
  canvas.path.ellipse(0.49 + nod, top, 0.13, 0.1);
  canvas.fill(look.head);
  canvas.path.polygon([0.58 + nod, top - 0.045, 0.79 + nod, top + 0.03, 0.58 + nod, top + 0.06]);
  canvas.fill(look.beak);
  canvas.path.ellipse(0.53 + nod, top - 0.03, 0.02, 0.022);
  canvas.fill(0x121014);
  canvas.path.smooth([-0.58, -0.36, -0.1, -0.42, 0.26, -0.24, -0.05, -0.1, -0.4, -0.16]);
  canvas.fill({
    colour: shadeColour(colour, 0.02),
    to: shadeColour(colour, -0.28),
    top: -0.4,
    bottom: -0.1,
  });
}

function drawPenguin(pen: Pen): void {
  const { canvas, colour } = pen;
  const step = pen.motion === "still"
    ? 0
    : Math.sin(pen.seconds * (pen.motion === "idle" ? 1.6 : 6));
  canvas.within({ turn: step * 0.06 }, () => {
    canvas.path.ellipse(-0.1, -0.02 - Math.max(0, step) * 0.03, 0.12, 0.035);
    canvas.path.ellipse(0.13, -0.02 - Math.max(0, -step) * 0.03, 0.12, 0.035);
    canvas.fill(0xf0a030);
    canvas.path.smooth([
      -0.24,
      -0.1,
      -0.28,
      -0.5,
      -0.17,
      -0.78,
      0,
      -0.98,
      0.17,
      -0.8,
      0.26,
      -0.5,
      0.24,
      -0.1,
      0,
      -0.02,
    ]);
    canvas.fill({
      colour: shadeColour(colour, 0.14),
      to: shadeColour(colour, -0.2),
      top: -1,
      bottom: 0,
    });
    canvas.path.smooth([
      -0.1,
      -0.1,
      -0.12,
      -0.45,
      0.02,
      -0.66,
      0.17,
      -0.5,
      0.2,
      -0.12,
      0.04,
      -0.05,
    ]);
    canvas.path.ellipse(0.08, -0.78, 0.1, 0.09);
    canvas.fill({ colour: 0xffffff, to: 0xd8e0e8, top: -0.7, bottom: 0 });
    canvas.path.polygon([0.14, -0.82, 0.31, -0.76, 0.14, -0.73]);
    canvas.fill(0xf0a030);
    canvas.path.ellipse(0.08, -0.81, 0.024, 0.028);
    canvas.fill(0x101014);
    canvas.within({ x: -0.16, y: -0.6, turn: 0.25 + step * 0.25 }, () => {
      canvas.path.smooth([-0.03, 0, -0.12, 0.2, -0.08, 0.38, 0.02, 0.2, 0.05, 0.02]);
      canvas.fill(shadeColour(colour, -0.1));
    });
  });
}

function drawOwl(pen: Pen): void {
  const { canvas, colour } = pen;
  const blink = Math.sin(pen.seconds * 1.9 + pen.seed) > 0.97;
  canvas.path.limb([-0.5, 0.02, 0.07], [0.5, -0.01, 0.06]);
  canvas.fill(0x6a4a34);
  canvas.path.smooth([
    -0.3,
    -0.1,
    -0.36,
    -0.5,
    -0.33,
    -0.86,
    -0.3,
    -1.0,
    -0.14,
    -0.92,
    0.14,
    -0.92,
    0.3,
    -1.0,
    0.33,
    -0.86,
    0.36,
    -0.5,
    0.3,
    -0.1,
    0,
    0,
  ]);
  canvas.fill({
    colour: shadeColour(colour, 0.1),
    to: shadeColour(colour, -0.3),
    top: -1,
    bottom: 0,
  });
  canvas.path.ellipse(0, -0.32, 0.2, 0.28);
  canvas.fill(shadeColour(colour, 0.42));
  for (let row = 0; row < 4; row++) {
    for (let feather = -1; feather <= 1; feather++) {
      canvas.path.polygon([
        feather * 0.11 - 0.04,
        -0.48 + row * 0.1,
        feather * 0.11 + 0.04,
        -0.48 + row * 0.1,
        feather * 0.11,
        -0.42 + row * 0.1,
      ]);
    }
  }
  canvas.fill(shadeColour(colour, -0.1));
  for (const side of [-1, 1]) {
    canvas.path.ellipse(side * 0.14, -0.74, 0.145, 0.145);
    canvas.fill(0xf6ecd6);
    canvas.path.ellipse(side * 0.14, -0.74, 0.09, blink ? 0.012 : 0.09);
    canvas.fill(0xf2b020);
    canvas.path.ellipse(side * 0.14, -0.74, 0.05, blink ? 0.01 : 0.052);
    canvas.fill(0x141014);
  }
  canvas.path.polygon([-0.045, -0.68, 0.045, -0.68, 0, -0.57]);
  canvas.fill(0xe09a30);
}

function drawChicken(pen: Pen): void {
  const { canvas, colour } = pen;
  const peck = pen.motion === "still" ? 0 : Math.max(0, Math.sin(pen.seconds * 2.3)) ** 3 * 0.5;
  canvas.path.limb([-0.06, -0.3, 0.04], [-0.08, 0, 0.03]);
  canvas.path.limb([0.1, -0.3, 0.04], [0.12, 0, 0.03]);
  canvas.fill(0xe0a030);
  canvas.path.smooth([
    -0.5,
    -0.86,
    -0.3,
    -0.6,
    0.1,
    -0.56,
    0.34,
    -0.5,
    0.28,
    -0.26,
    0,
    -0.18,
    -0.32,
    -0.32,
    -0.54,
    -0.6,
  ]);
  canvas.fill({
    colour: shadeColour(colour, 0.1),
    to: shadeColour(colour, -0.25),
    top: -0.8,
    bottom: -0.2,
  });
  canvas.within({ x: 0.24, y: -0.48, turn: peck }, () => {
    canvas.path.limb([0, 0.05, 0.26], [0.08, -0.3, 0.18]);
    canvas.fill(shadeColour(colour, 0.08));
    for (const [x, y] of [[0.02, -0.42], [0.08, -0.45], [0.14, -0.42]] as const) {
      canvas.path.ellipse(x, y, 0.045, 0.055);
    }
    canvas.path.ellipse(0.15, -0.2, 0.035, 0.06);
    canvas.fill(0xd6302c);
    canvas.path.polygon([0.16, -0.34, 0.3, -0.28, 0.16, -0.25]);
    canvas.fill(0xf0b030);
    canvas.path.ellipse(0.1, -0.33, 0.02, 0.024);
    canvas.fill(0x121014);
  });
}
