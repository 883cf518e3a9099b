/**
 * A dinosaur and a dragon.
 *
 * @module
 */
import { shadeColour } from "../canvas/colour.ts";
import { type DrawThing, isMoving, type Pen } from "./pen.ts";

/** The drawings of creatures nobody has met. */
export const LEGENDS: Readonly<Record<string, DrawThing>> = {
  dinosaur: drawDinosaur,
  dragon: drawDragon,
};

function drawDinosaur(pen: Pen): void {
  const { canvas, colour } = pen;
  const moves = isMoving(pen);
  const step = pen.motion === "run" || pen.motion === "walk"
    ? Math.sin(pen.seconds * (pen.motion === "run" ? 8 : 4))
    : 0;
  const tail = moves ? Math.sin(pen.seconds * 2) * 0.05 : 0;
  const leg = (x: number, swing: number, tone: number): void => {
    canvas.path.limb([x, -0.4, 0.22], [x + 0.05 + swing * 0.1, -0.2, 0.13]);
    canvas.path.limb([x + 0.05 + swing * 0.1, -0.2, 0.12], [x + swing * 0.2, -0.04, 0.08]);
    canvas.path.smooth([
      x - 0.05 + swing * 0.2,
      -0.06,
      x + 0.06 + swing * 0.2,
      -0.07,
      x + 0.17 + swing * 0.2,
      0,
      x - 0.05 + swing * 0.2,
      0,
    ]);
    canvas.fill(tone);
  };
  leg(0.04, -step, shadeColour(colour, -0.42));
  canvas.path.smooth([
    -0.85,
    -0.44 + tail,
    -0.55,
    -0.52 + tail * 0.5,
    -0.25,
    -0.6,
    0.1,
    -0.66,
    0.24,
    -0.78,
    0.26,
    -0.94,
    0.42,
    -1.0,
    0.62,
    -0.93,
    0.68,
    -0.84,
    0.48,
    -0.77,
    0.38,
    -0.66,
    0.3,
    -0.46,
    0.12,
    -0.32,
    -0.15,
    -0.3,
    -0.5,
    -0.42 + tail * 0.5,
  ]);
  canvas.fill({
    colour: shadeColour(colour, 0.14),
    to: shadeColour(colour, -0.25),
    top: -1,
    bottom: -0.3,
  });
  canvas.path.smooth([0.36, -0.66, 0.3, -0.46, 0.12, -0.32, -0.1, -0.3, 0.1, -0.42, 0.24, -0.58]);
  canvas.fill(shadeColour(colour, 0.5));
  for (let spike = 0; spike < 9; spike++) {
    const x = -0.6 + spike * 0.1;
    const y = -0.51 - spike * 0.02 - (spike > 7 ? 0.14 : spike > 6 ? 0.05 : 0);
    canvas.path.polygon([x - 0.05, y, x - 0.02, y - 0.08, x + 0.05, y - 0.005]);
  }
  canvas.fill(shadeColour(colour, -0.4));
  canvas.path.polygon([0.46, -0.8, 0.66, -0.84, 0.64, -0.8, 0.5, -0.77]);
  canvas.fill(0x5a2430);
  canvas.path.polygon([0.54, -0.835, 0.56, -0.8, 0.58, -0.84, 0.6, -0.81, 0.63, -0.85]);
  canvas.path.ellipse(0.43, -0.92, 0.034, 0.036);
  canvas.fill(0xfdf6e2);
  canvas.path.ellipse(0.44, -0.92, 0.018, 0.022);
  canvas.fill(0x14120f);
  canvas.path.limb([0.28, -0.56, 0.06], [0.42, -0.5, 0.04]);
  canvas.path.limb([0.42, -0.5, 0.04], [0.46, -0.43 + tail, 0.03]);
  canvas.fill(shadeColour(colour, -0.2));
  leg(-0.08, step, shadeColour(colour, -0.14));
}

function drawDragon(pen: Pen): void {
  const { canvas, colour } = pen;
  const beat = isMoving(pen) ? Math.sin(pen.seconds * 4) : 0.4;
  const wing = (near: boolean): void => {
    const rise = -0.5 - 0.4 * beat;
    const x = near ? -0.05 : 0.1;
    canvas.path.polygon([
      x + 0.18,
      -0.08,
      x + 0.1,
      rise * 0.8,
      x - 0.1,
      rise * 1.3,
      x - 0.24,
      rise * 0.8,
      x - 0.4,
      rise * 0.95,
      x - 0.4,
      rise * 0.45,
      x - 0.58,
      rise * 0.5,
      x - 0.3,
      0,
    ]);
    canvas.fill({
      colour: shadeColour(colour, near ? 0.25 : -0.25),
      to: shadeColour(colour, -0.4),
      top: rise * 1.2,
      bottom: 0,
    });
    canvas.path.limb([x + 0.14, -0.08, 0.05], [x - 0.1, rise * 1.3, 0.02]);
    canvas.path.limb([x + 0.1, -0.1, 0.03], [x - 0.4, rise * 0.95, 0.014]);
    canvas.fill(shadeColour(colour, -0.35));
  };
  canvas.within({ y: -beat * 0.05 }, () => {
    wing(false);
    let [x, y] = [-0.3, 0.06];
    for (let part = 1; part <= 9; part++) {
      const share = part / 9;
      const nextX = -0.3 - share * 0.75;
      const nextY = 0.06 + Math.sin(share * 4 + pen.seconds * 2) * 0.1 * share;
      canvas.path.limb([x, y, 0.2 * (1.05 - share)], [nextX, nextY, 0.2 * (1.02 - share)]);
      [x, y] = [nextX, nextY];
    }
    canvas.path.polygon([x - 0.12, y, x, y - 0.09, x + 0.03, y, x, y + 0.09]);
    canvas.path.smooth([-0.4, 0, -0.1, -0.13, 0.3, -0.12, 0.45, 0.0, 0.3, 0.14, -0.1, 0.18]);
    canvas.path.limb([0.36, -0.02, 0.2], [0.66, -0.24, 0.13]);
    canvas.path.limb([-0.15, 0.1, 0.12], [-0.26, 0.3, 0.05]);
    canvas.path.limb([0.25, 0.08, 0.11], [0.2, 0.28, 0.05]);
    canvas.path.smooth([0.6, -0.34, 0.76, -0.36, 0.98, -0.24, 0.98, -0.16, 0.74, -0.14, 0.6, -0.2]);
    canvas.fill({
      colour: shadeColour(colour, 0.16),
      to: shadeColour(colour, -0.25),
      top: -0.35,
      bottom: 0.3,
    });
    canvas.path.smooth([-0.2, 0.12, 0.1, 0.1, 0.42, 0.02, 0.3, 0.14, -0.1, 0.18]);
    canvas.path.polygon([0.62, -0.32, 0.48, -0.46, 0.68, -0.36]);
    canvas.fill(0xf0dca0);
    canvas.path.ellipse(0.76, -0.28, 0.026, 0.03);
    canvas.fill({ colour: 0xffd23a, shines: true });
    if (isMoving(pen)) {
      const puff = 0.7 + 0.3 * Math.sin(pen.seconds * 13);
      canvas.path.smooth([0.97, -0.2, 1.15, -0.28, 1.16 + 0.26 * puff, -0.17, 1.15, -0.08]);
      canvas.fill({ colour: 0xff7a22, shines: true, alpha: 0.9 });
      canvas.path.smooth([0.98, -0.19, 1.1, -0.22, 1.1 + 0.14 * puff, -0.17, 1.1, -0.13]);
      canvas.fill({ colour: 0xffe27a, shines: true });
    }
    if (pen.breathes) drawBreath(pen);
    wing(true);
  });
}

/** Fire from the mouth: tongues that shoot forward, grow and fade. */
function drawBreath(pen: Pen): void {
  const { canvas, seconds } = pen;
  canvas.glow(1.4, -0.08, 0.8, { colour: 0xff8a2c, alpha: 0.6 });
  for (const [size, colour] of [[1, 0xf0581c], [0.68, 0xffa02c], [0.36, 0xffec9a]] as const) {
    for (let puff = 0; puff < 9; puff++) {
      const age = (puff / 9 + seconds * 1.5) % 1;
      const x = 0.98 + age * 0.85 * (0.6 + 0.4 * size);
      const y = -0.19 + age * 0.2 + Math.sin(seconds * 11 + puff * 2) * 0.03 * age;
      const reach = (0.035 + 0.15 * age) * size * (1 - age * age * 0.7);
      canvas.path.ellipse(x, y, reach * 1.3, reach);
    }
    canvas.fill({ colour, shines: true, alpha: 0.85 });
  }
}
