/**
 * What lives in the sea and is no fish.
 *
 * @module
 */
import { mixColour, shadeColour } from "../canvas/colour.ts";
import { type DrawThing, isMoving, type Pen } from "./pen.ts";

/** The drawings of sea life. */
export const SEA_LIFE: Readonly<Record<string, DrawThing>> = {
  jellyfish: drawJellyfish,
  turtle: drawTurtle,
  octopus: drawOctopus,
  crab: drawCrab,
};

function drawJellyfish(pen: Pen): void {
  const { canvas, colour } = pen;
  const pulse = pen.motion === "still" ? 0 : Math.sin(pen.seconds * 2.6);
  for (let arm = 0; arm < 7; arm++) {
    let [x, y] = [(arm - 3) * 0.095, -0.12];
    for (let part = 1; part <= 8; part++) {
      const share = part / 8;
      const nextX = (arm - 3) * (0.095 - 0.02 * share) +
        Math.sin(pen.seconds * 2.2 + share * 5 + arm) * 0.05 * share;
      const nextY = -0.12 + share * (0.52 + 0.1 * (arm % 2));
      canvas.path.limb([x, y, 0.04 * (1.1 - share)], [nextX, nextY, 0.04 * (1 - share)]);
      [x, y] = [nextX, nextY];
    }
  }
  canvas.fill({ colour: shadeColour(colour, 0.2), alpha: 0.7 });
  const wide = 0.4 + 0.04 * pulse;
  canvas.glow(0, -0.2, 0.75, { colour, alpha: 0.4 });
  canvas.path.smooth([
    -wide,
    -0.1,
    -wide * 0.86,
    -0.4,
    0,
    -0.56 + pulse * 0.03,
    wide * 0.86,
    -0.4,
    wide,
    -0.1,
    wide * 0.5,
    -0.16,
    0,
    -0.09,
    -wide * 0.5,
    -0.16,
  ]);
  canvas.fill({
    colour: shadeColour(colour, 0.4),
    to: colour,
    top: -0.55,
    bottom: -0.1,
    alpha: 0.88,
  });
  canvas.path.ellipse(-0.12, -0.4, 0.1, 0.06, -0.4);
  canvas.fill({ colour: 0xffffff, alpha: 0.5 });
}

function drawTurtle(pen: Pen): void {
  const { canvas, colour } = pen;
  const stroke = isMoving(pen) ? Math.sin(pen.seconds * 3) : 0;
  const skin = mixColour(colour, 0xc8b878, 0.35);
  for (
    const [x, y, turn] of [[0.34, 0.12, 0.9 + stroke * 0.5], [
      -0.5,
      0.12,
      2.4 - stroke * 0.3,
    ]] as const
  ) {
    canvas.within({ x, y, turn }, () => {
      canvas.path.smooth([-0.06, -0.1, 0.3, -0.12, 0.56, 0.06, 0.3, 0.12, -0.04, 0.1]);
      canvas.fill(shadeColour(skin, -0.12));
    });
  }
  canvas.path.smooth([0.5, 0.06, 0.72, -0.14, 0.98, -0.16, 1.08, 0.0, 0.92, 0.12, 0.6, 0.2]);
  canvas.fill(skin);
  canvas.path.ellipse(0.94, -0.06, 0.035, 0.04);
  canvas.fill(0x101418);
  canvas.path.smooth([-0.74, 0.16, -0.5, -0.26, 0, -0.46, 0.5, -0.24, 0.68, 0.12, 0, 0.26]);
  canvas.fill({
    colour: shadeColour(colour, 0.1),
    to: shadeColour(colour, -0.42),
    top: -0.45,
    bottom: 0.2,
  });
  for (
    const [x, y, r] of [[-0.36, -0.02, 0.15], [0, -0.18, 0.18], [0.34, -0.01, 0.15], [
      -0.02,
      0.08,
      0.12,
    ]] as const
  ) {
    canvas.path.polygon([
      x - r,
      y,
      x - r * 0.5,
      y - r * 0.8,
      x + r * 0.5,
      y - r * 0.8,
      x + r,
      y,
      x + r * 0.5,
      y + r * 0.7,
      x - r * 0.5,
      y + r * 0.7,
    ]);
  }
  canvas.fill({ colour: shadeColour(colour, 0.3), alpha: 0.6 });
}

function drawOctopus(pen: Pen): void {
  const { canvas, colour } = pen;
  for (let arm = 0; arm < 8; arm++) {
    const lean = (arm - 3.5) * 0.14;
    let [x, y] = [lean * 0.5, 0];
    for (let part = 1; part <= 9; part++) {
      const share = part / 9;
      const nextX = lean * (0.5 + 1.3 * share) +
        (pen.motion === "still"
          ? 0
          : Math.sin(pen.seconds * 2 + share * 4 + arm * 1.3) * 0.07 * share);
      const nextY = 0.46 * share - 0.05 * Math.cos(share * 4 + arm);
      canvas.path.limb([x, y, 0.13 * (1.1 - share)], [nextX, nextY, 0.13 * (1.02 - share)]);
      [x, y] = [nextX, nextY];
    }
  }
  canvas.fill(shadeColour(colour, -0.16));
  canvas.path.smooth([-0.3, 0.02, -0.36, -0.34, 0, -0.58, 0.36, -0.34, 0.3, 0.02, 0, 0.12]);
  canvas.fill({
    colour: shadeColour(colour, 0.18),
    to: shadeColour(colour, -0.12),
    top: -0.55,
    bottom: 0.1,
  });
  for (const side of [-1, 1]) {
    canvas.path.ellipse(side * 0.13, -0.1, 0.09, 0.1);
    canvas.fill(0xffffff);
    canvas.path.ellipse(side * 0.13 + 0.02, -0.09, 0.045, 0.055);
    canvas.fill(0x17131a);
  }
}

function drawCrab(pen: Pen): void {
  const { canvas, colour } = pen;
  const step = isMoving(pen) ? pen.seconds * 7 : 0;
  for (const side of [-1, 1]) {
    for (let leg = 0; leg < 3; leg++) {
      const lift = isMoving(pen) ? Math.max(0, Math.sin(step + leg * 2 + side)) * 0.09 : 0;
      const knee: [number, number, number] = [
        side * (0.6 + leg * 0.09),
        -0.52 + leg * 0.1 - lift,
        0.07,
      ];
      canvas.path.limb([side * 0.3, -0.3 + leg * 0.04, 0.09], knee);
      canvas.path.limb(knee, [side * (0.72 + leg * 0.05), -lift, 0.035]);
    }
    const snap = 0.25 + (isMoving(pen) ? 0.16 * Math.sin(pen.seconds * 3 + side) : 0);
    canvas.path.limb([side * 0.36, -0.45, 0.1], [side * 0.62, -0.78, 0.1]);
    canvas.path.smooth([
      side * 0.56,
      -0.76,
      side * 0.52,
      -1.02,
      side * 0.72,
      -1.2,
      side * (0.72 - snap * 0.2),
      -0.98,
      side * (0.86 + snap * 0.2),
      -1.16,
      side * 0.92,
      -0.92,
      side * 0.74,
      -0.74,
    ]);
  }
  canvas.fill(shadeColour(colour, -0.18));
  canvas.path.smooth([-0.54, -0.4, -0.3, -0.66, 0.3, -0.66, 0.54, -0.4, 0.34, -0.16, -0.34, -0.16]);
  canvas.fill({
    colour: shadeColour(colour, 0.2),
    to: shadeColour(colour, -0.22),
    top: -0.65,
    bottom: -0.15,
  });
  for (const side of [-1, 1]) {
    canvas.path.limb([side * 0.14, -0.6, 0.05], [side * 0.16, -0.78, 0.05]);
    canvas.fill(shadeColour(colour, -0.1));
    canvas.path.ellipse(side * 0.16, -0.8, 0.06, 0.065);
    canvas.fill(0x18141a);
  }
}
