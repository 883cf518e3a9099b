/**
 * Things of the house.
 *
 * @module
 */
import { shadeColour } from "../canvas/colour.ts";
import { drawFlame } from "./lights.ts";
import { type DrawThing, isMoving, type Pen } from "./pen.ts";

/** The drawings of objects. */
export const OBJECTS: Readonly<Record<string, DrawThing>> = {
  umbrella: drawUmbrella,
  clock: drawClock,
  book: drawBook,
  cup: drawCup,
  apple: drawApple,
  cake: drawCake,
  gift: drawGift,
  guitar: drawGuitar,
  bubble: drawBubble,
  crystal: drawCrystal,
};

function drawUmbrella(pen: Pen): void {
  const { canvas, colour } = pen;
  canvas.path.limb([0, -0.98, 0.02], [0, -0.04, 0.024]);
  canvas.path.limb([0, -0.04, 0.026], [0.08, -0.01, 0.026]);
  canvas.fill(0x6a4a34);
  for (let panel = 0; panel < 5; panel++) {
    const from = -0.5 + panel * 0.2;
    const to = from + 0.2;
    canvas.path.smooth([
      0,
      -0.95,
      from * 0.75,
      -0.84,
      from,
      -0.56,
      (from + to) / 2,
      -0.61,
      to,
      -0.56,
      to * 0.75,
      -0.84,
    ], 4);
    canvas.fill(shadeColour(panel % 2 ? 0xf8f0e2 : colour, panel * -0.06));
  }
}

function drawClock(pen: Pen): void {
  const { canvas, colour } = pen;
  const time = isMoving(pen) ? pen.seconds * 0.6 : 0;
  canvas.within({ y: -0.5 }, () => {
    canvas.path.ellipse(0, 0, 0.5, 0.5);
    canvas.fill({ colour: 0xa8743c, to: 0x6a4422, top: -0.5, bottom: 0.5 });
    canvas.path.ellipse(0, 0, 0.43, 0.43);
    canvas.fill(colour);
    for (let hour = 0; hour < 12; hour++) {
      const angle = hour * Math.PI / 6;
      canvas.path.limb([Math.sin(angle) * 0.35, Math.cos(angle) * 0.35, 0.024], [
        Math.sin(angle) * 0.39,
        Math.cos(angle) * 0.39,
        0.024,
      ]);
    }
    canvas.path.limb([0, 0, 0.03], [Math.sin(time) * 0.32, -Math.cos(time) * 0.32, 0.02]);
    canvas.path.limb([0, 0, 0.04], [
      Math.sin(time / 12 + 1) * 0.2,
      -Math.cos(time / 12 + 1) * 0.2,
      0.03,
    ]);
    canvas.path.ellipse(0, 0, 0.035, 0.035);
    canvas.fill(0x2a2422);
  });
}

function drawBook(pen: Pen): void {
  const { canvas, colour } = pen;
  canvas.path.smooth([
    -0.85,
    -0.06,
    -0.8,
    -0.52,
    -0.4,
    -0.62,
    0,
    -0.5,
    0.4,
    -0.62,
    0.8,
    -0.52,
    0.85,
    -0.06,
    0.4,
    -0.14,
    0,
    0,
    -0.4,
    -0.14,
  ], 4);
  canvas.fill({ colour, to: shadeColour(colour, -0.3), top: -0.6, bottom: 0 });
  for (const side of [-1, 1]) {
    canvas.path.smooth([
      0,
      -0.06,
      side * 0.38,
      -0.2,
      side * 0.76,
      -0.14,
      side * 0.72,
      -0.58,
      side * 0.38,
      -0.68,
      0,
      -0.54,
    ], 4);
    canvas.fill({ colour: 0xfdf8ea, to: side > 0 ? 0xd8ccb0 : 0xe8dcc4, top: -0.6, bottom: -0.1 });
    for (let line = 0; line < 4; line++) {
      const y = -0.5 + line * 0.09;
      canvas.path.limb([side * 0.12, y + 0.02, 0.014], [side * 0.62, y - 0.05, 0.014]);
    }
    canvas.fill({ colour: 0x8a8078, alpha: 0.7 });
  }
}

function drawCup(pen: Pen): void {
  const { canvas, colour } = pen;
  for (let wisp = 0; wisp < 3; wisp++) {
    let [x, y] = [-0.2 + wisp * 0.2, -0.8];
    for (let part = 1; part <= 6; part++) {
      const nextX = -0.2 + wisp * 0.2 +
        Math.sin(part * 1.1 + (isMoving(pen) ? pen.seconds * 2.2 : 0) + wisp * 2) * 0.06;
      canvas.path.limb([x, y, 0.05 - part * 0.005], [
        nextX,
        -0.8 - part * 0.1,
        0.045 - part * 0.005,
      ]);
      [x, y] = [nextX, -0.8 - part * 0.1];
    }
  }
  canvas.fill({ colour: 0xffffff, alpha: 0.4 });
  canvas.path.ellipse(0, 0, 0.6, 0.07);
  canvas.fill(shadeColour(colour, -0.14));
  for (let part = 0; part < 12; part++) {
    const angle = -1.4 + part / 12 * 2.8;
    canvas.path.ellipse(0.4 + Math.cos(angle) * 0.18, -0.42 + Math.sin(angle) * 0.18, 0.045, 0.045);
  }
  canvas.fill(shadeColour(colour, -0.2));
  canvas.path.smooth(
    [-0.42, -0.76, -0.4, -0.3, -0.26, -0.03, 0.26, -0.03, 0.4, -0.3, 0.42, -0.76],
    5,
  );
  canvas.fill({
    colour: shadeColour(colour, 0.1),
    to: shadeColour(colour, -0.24),
    top: -0.76,
    bottom: 0,
  });
  canvas.path.ellipse(0, -0.75, 0.41, 0.08);
  canvas.fill(shadeColour(colour, 0.24));
  canvas.path.ellipse(0, -0.74, 0.36, 0.06);
  canvas.fill(0x5a3420);
}

function drawApple(pen: Pen): void {
  const { canvas, colour } = pen;
  canvas.path.limb([0, -0.8, 0.05], [0.06, -1.0, 0.04]);
  canvas.fill(0x5a3f28);
  canvas.path.smooth([0.05, -0.86, 0.2, -1.0, 0.38, -0.96, 0.24, -0.84]);
  canvas.fill(0x5aa83c);
  canvas.path.smooth([
    0,
    -0.76,
    0.24,
    -0.84,
    0.46,
    -0.66,
    0.44,
    -0.3,
    0.22,
    0,
    0,
    -0.04,
    -0.22,
    0,
    -0.44,
    -0.3,
    -0.46,
    -0.66,
    -0.24,
    -0.84,
  ]);
  canvas.fill({
    colour: shadeColour(colour, 0.14),
    to: shadeColour(colour, -0.36),
    top: -0.84,
    bottom: 0,
  });
  canvas.path.ellipse(-0.2, -0.58, 0.09, 0.13, 0.4);
  canvas.fill({ colour: 0xffffff, alpha: 0.5 });
}

function drawCake(pen: Pen): void {
  const { canvas, colour } = pen;
  canvas.path.ellipse(0, 0, 0.66, 0.07);
  canvas.fill(0xe8ecf0);
  for (const [half, top, bottom] of [[0.52, -0.34, 0], [0.36, -0.62, -0.32]] as const) {
    canvas.path.polygon([-half, bottom, -half, top, half, top, half, bottom]);
    canvas.fill({ colour: 0xb87a4a, to: 0x8a5430, top, bottom });
    const drip: number[] = [-half, top - 0.02];
    for (let step = 0; step <= 12; step++) {
      drip.push(-half + half * step / 6, top + (step % 2 ? 0.12 : 0.05));
    }
    drip.push(half, top - 0.02);
    canvas.path.polygon(drip);
    canvas.path.ellipse(0, top, half, 0.045);
    canvas.fill({ colour: shadeColour(colour, 0.14), to: shadeColour(colour, -0.1), top, bottom });
  }
  for (const x of [-0.22, 0, 0.22]) {
    canvas.path.polygon([x - 0.02, -0.62, x - 0.02, -0.82, x + 0.02, -0.82, x + 0.02, -0.62]);
    canvas.fill(0x4fa8d8);
    drawFlame(pen, { x, y: -0.82, height: 0.16, key: x * 20 });
  }
}

function drawGift(pen: Pen): void {
  const { canvas, colour } = pen;
  canvas.path.polygon([-0.44, 0, -0.44, -0.56, 0.44, -0.56, 0.44, 0]);
  canvas.fill({
    colour: shadeColour(colour, 0.06),
    to: shadeColour(colour, -0.28),
    top: -0.56,
    bottom: 0,
  });
  canvas.path.polygon([-0.5, -0.54, -0.5, -0.72, 0.5, -0.72, 0.5, -0.54]);
  canvas.fill(shadeColour(colour, 0.18));
  canvas.path.polygon([-0.08, 0, -0.08, -0.72, 0.08, -0.72, 0.08, 0]);
  canvas.path.smooth([0, -0.72, -0.14, -0.98, -0.36, -0.96, -0.3, -0.78]);
  canvas.path.smooth([0, -0.72, 0.14, -0.98, 0.36, -0.96, 0.3, -0.78]);
  canvas.fill({ colour: 0xffe07a, to: 0xd8a030, top: -1, bottom: 0 });
}

function drawGuitar(pen: Pen): void {
  const { canvas, colour } = pen;
  canvas.within({ turn: 0.16 }, () => {
    canvas.path.polygon([-0.03, -0.5, -0.025, -0.92, 0.025, -0.92, 0.03, -0.5]);
    canvas.path.polygon([-0.045, -0.9, -0.055, -1.02, 0.055, -1.02, 0.045, -0.9]);
    canvas.fill(0x4a3020);
    canvas.path.smooth([
      0,
      -0.58,
      0.14,
      -0.54,
      0.15,
      -0.42,
      0.12,
      -0.34,
      0.2,
      -0.22,
      0.19,
      -0.06,
      0,
      0,
      -0.19,
      -0.06,
      -0.2,
      -0.22,
      -0.12,
      -0.34,
      -0.15,
      -0.42,
      -0.14,
      -0.54,
    ]);
    canvas.fill({
      colour: shadeColour(colour, 0.2),
      to: shadeColour(colour, -0.34),
      top: -0.58,
      bottom: 0,
    });
    canvas.path.ellipse(0, -0.36, 0.065, 0.065);
    canvas.path.polygon([-0.08, -0.14, 0.08, -0.14, 0.08, -0.115, -0.08, -0.115]);
    canvas.fill(0x2a1c14);
    for (const x of [-0.018, -0.006, 0.006, 0.018]) {
      canvas.path.limb([x, -0.13, 0.004], [x, -0.95, 0.004]);
    }
    canvas.fill({ colour: 0xf4ecd8, alpha: 0.9 });
  });
}

function drawBubble(pen: Pen): void {
  const { canvas, colour } = pen;
  canvas.path.ellipse(0, 0, 0.5, 0.5);
  canvas.fill({
    colour: shadeColour(colour, 0.2),
    to: 0xf0b8e0,
    top: -0.5,
    bottom: 0.5,
    alpha: 0.34,
  });
  canvas.path.ellipse(0, 0, 0.44, 0.44);
  canvas.fill({ colour: 0xffffff, alpha: 0.12 });
  canvas.path.ellipse(-0.19, -0.21, 0.12, 0.07, -0.7);
  canvas.path.ellipse(0.2, 0.24, 0.05, 0.035, -0.7);
  canvas.fill({ colour: 0xffffff, alpha: 0.85, shines: true });
}

function drawCrystal(pen: Pen): void {
  const { canvas, colour } = pen;
  const pulse = isMoving(pen) ? 0.4 + 0.15 * Math.sin(pen.seconds * 2) : 0.4;
  canvas.glow(0, -0.5, 1, { colour, alpha: pulse });
  for (const [x, turn, size] of [[-0.2, -0.32, 0.66], [0.22, 0.36, 0.6], [0, 0, 1]] as const) {
    canvas.within({ x, turn, scaleX: size }, () => {
      canvas.path.polygon([-0.16, 0, -0.2, -0.66, 0, -1, 0.2, -0.66, 0.16, 0]);
      canvas.fill({
        colour: shadeColour(colour, 0.4),
        to: shadeColour(colour, -0.3),
        top: -1,
        bottom: 0,
      });
      canvas.path.polygon([0.03, 0, 0.05, -0.62, 0, -1, 0.2, -0.66, 0.16, 0]);
      canvas.fill({ colour: shadeColour(colour, -0.4), alpha: 0.5 });
      canvas.path.polygon([-0.13, -0.1, -0.15, -0.62, -0.08, -0.66, -0.07, -0.1]);
      canvas.fill({ colour: 0xffffff, alpha: 0.5 });
    });
  }
}
