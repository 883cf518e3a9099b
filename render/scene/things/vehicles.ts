/**
 * What drives on road and rail.
 *
 * @module
 */
import { shadeColour } from "../canvas/colour.ts";
import { type DrawThing, isMoving, type Pen } from "./pen.ts";

/** The drawings of vehicles. */
export const VEHICLES: Readonly<Record<string, DrawThing>> = {
  car: drawCar,
  bus: drawBus,
  truck: drawTruck,
  train: drawTrain,
  bicycle: drawBicycle,
};

function drawWheels(pen: Pen, wheels: { at: readonly number[]; radius: number }): void {
  const { canvas } = pen;
  const turn = isMoving(pen) && pen.motion !== "idle" ? pen.seconds * 8 : 0.3;
  for (const x of wheels.at) {
    canvas.path.ellipse(x, -wheels.radius, wheels.radius, wheels.radius);
    canvas.fill(0x1e1e22);
    canvas.path.ellipse(x, -wheels.radius, wheels.radius * 0.58, wheels.radius * 0.58);
    canvas.fill(0xb8bec6);
    for (let spoke = 0; spoke < 5; spoke++) {
      const angle = turn + spoke * Math.PI * 0.4;
      canvas.path.limb([x, -wheels.radius, wheels.radius * 0.14], [
        x + Math.cos(angle) * wheels.radius * 0.5,
        -wheels.radius + Math.sin(angle) * wheels.radius * 0.5,
        wheels.radius * 0.14,
      ]);
    }
    canvas.fill(0x5a6068);
  }
}

function drawLights(pen: Pen, at: { front: number; back: number; y: number }): void {
  const { canvas, darkness } = pen;
  const lit = darkness > 0.15;
  canvas.path.ellipse(at.front, at.y, 0.05, 0.06);
  canvas.fill({ colour: lit ? 0xfff6d0 : 0xf4f0e0, shines: lit });
  canvas.path.ellipse(at.back, at.y, 0.035, 0.06);
  canvas.fill({ colour: 0xd82c24, shines: lit });
  if (!lit) return;
  canvas.path.polygon([
    at.front,
    at.y - 0.04,
    at.front + 1.3,
    at.y - 0.1,
    at.front + 1.3,
    at.y + 0.34,
    at.front,
    at.y + 0.05,
  ]);
  canvas.fill({ colour: 0xfff0b8, alpha: 0.2 * darkness, shines: true });
  canvas.glow(at.front, at.y, 0.42, { colour: 0xfff0b8, alpha: 0.7 * darkness });
  canvas.glow(at.back, at.y, 0.24, { colour: 0xff4030, alpha: 0.6 * darkness });
}

function drawCar(pen: Pen): void {
  const { canvas, colour, darkness } = pen;
  canvas.path.smooth([-0.56, -0.54, -0.38, -0.92, 0, -1.0, 0.3, -0.94, 0.62, -0.52], 8);
  canvas.fill(shadeColour(colour, -0.14));
  canvas.path.polygon([-0.44, -0.55, -0.32, -0.86, -0.02, -0.9, -0.02, -0.55]);
  canvas.path.polygon([0.04, -0.55, 0.04, -0.9, 0.26, -0.84, 0.5, -0.55]);
  canvas.fill({
    colour: darkness > 0.3 ? 0x34465c : 0xa8d0e8,
    to: darkness > 0.3 ? 0x22303e : 0x6f98b4,
    top: -0.9,
    bottom: -0.5,
  });
  canvas.path.smooth([
    -1.08,
    -0.24,
    -1.08,
    -0.5,
    -0.8,
    -0.57,
    0,
    -0.59,
    0.66,
    -0.55,
    1.04,
    -0.44,
    1.1,
    -0.2,
    0.9,
    -0.15,
    -0.9,
    -0.15,
  ], 7);
  canvas.fill({
    colour: shadeColour(colour, 0.2),
    to: shadeColour(colour, -0.26),
    top: -0.6,
    bottom: -0.12,
  });
  canvas.path.polygon([-0.95, -0.4, 0.98, -0.38, 0.98, -0.36, -0.95, -0.375]);
  canvas.fill({ colour: shadeColour(colour, 0.5), alpha: 0.7 });
  canvas.path.limb([-0.1, -0.46, 0.03], [0.02, -0.46, 0.03]);
  canvas.fill(shadeColour(colour, -0.5));
  drawWheels(pen, { at: [-0.62, 0.62], radius: 0.22 });
  drawLights(pen, { front: 1.03, back: -1.07, y: -0.38 });
}

function drawBus(pen: Pen): void {
  const { canvas, colour, darkness } = pen;
  canvas.path.smooth(
    [-1.1, -0.12, -1.12, -0.9, -1.05, -0.99, 1.0, -0.99, 1.1, -0.88, 1.13, -0.12],
    3,
  );
  canvas.fill({
    colour: shadeColour(colour, 0.16),
    to: shadeColour(colour, -0.22),
    top: -1,
    bottom: -0.1,
  });
  for (let window = 0; window < 6; window++) {
    const x = -1.0 + window * 0.33;
    canvas.path.polygon([x, -0.86, x + 0.28, -0.86, x + 0.28, -0.52, x, -0.52]);
  }
  const lit = darkness > 0.15;
  canvas.fill({
    colour: lit ? 0xffe2a0 : 0xa8d4ea,
    to: lit ? 0xf0b860 : 0x6f9cb8,
    top: -0.86,
    bottom: -0.5,
    shines: lit,
  });
  canvas.path.polygon([-1.12, -0.42, 1.12, -0.42, 1.12, -0.35, -1.12, -0.35]);
  canvas.fill(0xf6f2e6);
  drawWheels(pen, { at: [-0.66, 0.66], radius: 0.17 });
  drawLights(pen, { front: 1.09, back: -1.1, y: -0.24 });
}

function drawTruck(pen: Pen): void {
  const { canvas, colour } = pen;
  canvas.path.polygon([-1.14, -0.2, -1.14, -1.0, 0.36, -1.0, 0.36, -0.2]);
  canvas.fill({ colour: 0xf2f0ea, to: 0xb8bcc2, top: -1, bottom: -0.2 });
  for (let rib = 0; rib < 6; rib++) {
    canvas.path.polygon([
      -0.98 + rib * 0.22,
      -0.96,
      -0.97 + rib * 0.22,
      -0.96,
      -0.97 + rib * 0.22,
      -0.24,
      -0.98 + rib * 0.22,
      -0.24,
    ]);
  }
  canvas.fill({ colour: 0x8a9098, alpha: 0.6 });
  canvas.path.smooth(
    [0.42, -0.16, 0.42, -0.84, 0.74, -0.86, 0.94, -0.54, 1.12, -0.48, 1.14, -0.16],
    4,
  );
  canvas.fill({
    colour: shadeColour(colour, 0.18),
    to: shadeColour(colour, -0.24),
    top: -0.86,
    bottom: -0.16,
  });
  canvas.path.polygon([0.6, -0.74, 0.74, -0.74, 0.9, -0.52, 0.6, -0.52]);
  canvas.fill({ colour: 0xa8d4ea, to: 0x6f9cb8, top: -0.74, bottom: -0.5 });
  canvas.path.polygon([-1.1, -0.22, 1.0, -0.22, 1.0, -0.14, -1.1, -0.14]);
  canvas.fill(0x34373c);
  drawWheels(pen, { at: [-0.86, -0.48, 0.72], radius: 0.17 });
  drawLights(pen, { front: 1.1, back: -1.13, y: -0.3 });
}

function drawTrain(pen: Pen): void {
  const { canvas, colour, darkness } = pen;
  const lit = darkness > 0.15;
  canvas.path.polygon([-9, -0.02, 9, -0.02, 9, 0.03, -9, 0.03]);
  canvas.fill(0x6a5a4c);
  for (let carriage = 0; carriage < 3; carriage++) {
    const x = 0.1 - carriage * 1.62;
    if (carriage === 0) {
      for (let puff = 0; puff < 9; puff++) {
        const age = (puff / 9 + (isMoving(pen) ? pen.seconds * 0.4 : 0)) % 1;
        canvas.path.ellipse(
          x + 1.3 - age * 1.9,
          -1.1 - age * 0.6,
          0.1 + age * 0.26,
          0.09 + age * 0.2,
        );
        canvas.fill({ colour: 0xe8eaee, alpha: 0.62 * (1 - age) });
      }
      canvas.path.polygon([x + 1.22, -0.76, x + 1.18, -1.1, x + 1.42, -1.1, x + 1.38, -0.76]);
      canvas.fill(0x26282c);
      canvas.path.smooth([
        x + 0.5,
        -0.2,
        x + 0.5,
        -0.76,
        x + 1.56,
        -0.76,
        x + 1.68,
        -0.5,
        x + 1.56,
        -0.22,
      ], 4);
      canvas.fill({
        colour: shadeColour(colour, 0.22),
        to: shadeColour(colour, -0.35),
        top: -0.76,
        bottom: -0.2,
      });
      canvas.path.polygon([x, -0.16, x, -1.0, x + 0.58, -1.0, x + 0.58, -0.16]);
      canvas.path.polygon([x - 0.06, -1.06, x + 0.64, -1.06, x + 0.64, -0.98, x - 0.06, -0.98]);
      canvas.fill(shadeColour(colour, -0.2));
      canvas.path.polygon([x + 0.16, -0.84, x + 0.44, -0.84, x + 0.44, -0.54, x + 0.16, -0.54]);
      canvas.fill({ colour: lit ? 0xffd67c : 0xbcd8e4, shines: lit });
      canvas.path.polygon([x + 1.5, -0.24, x + 1.86, -0.04, x + 1.5, -0.04]);
      canvas.fill(0xb0342c);
      canvas.path.ellipse(x + 1.64, -0.56, 0.07, 0.07);
      canvas.fill({ colour: 0xfff0b8, shines: true });
      if (lit) canvas.glow(x + 1.66, -0.56, 0.6, { colour: 0xfff0b8, alpha: 0.8 * darkness });
    } else {
      canvas.path.smooth([
        x,
        -0.16,
        x,
        -0.9,
        x + 0.06,
        -0.96,
        x + 1.46,
        -0.96,
        x + 1.52,
        -0.9,
        x + 1.52,
        -0.16,
      ], 3);
      canvas.fill({
        colour: shadeColour(colour, 0.16),
        to: shadeColour(colour, -0.28),
        top: -0.95,
        bottom: -0.16,
      });
      for (let window = 0; window < 5; window++) {
        const left = x + 0.12 + window * 0.27;
        canvas.path.polygon([left, -0.78, left + 0.19, -0.78, left + 0.19, -0.5, left, -0.5]);
      }
      canvas.fill({ colour: lit ? 0xffd67c : 0xc8e0ea, shines: lit });
      canvas.path.polygon([x - 0.12, -0.2, x + 0.02, -0.2, x + 0.02, -0.14, x - 0.12, -0.14]);
      canvas.fill(0x2a2c30);
    }
    drawWheels(pen, { at: [x + 0.26, x + 0.62, x + 1.0, x + 1.32], radius: 0.14 });
  }
}

function drawBicycle(pen: Pen): void {
  const { canvas, colour } = pen;
  const turn = isMoving(pen) && pen.motion !== "idle" ? pen.seconds * 6 : 0.4;
  for (const x of [-0.36, 0.36]) {
    for (let part = 0; part < 22; part++) {
      const from = part / 22 * Math.PI * 2;
      const to = (part + 1.15) / 22 * Math.PI * 2;
      canvas.path.limb([x + Math.cos(from) * 0.24, -0.26 + Math.sin(from) * 0.24, 0.032], [
        x + Math.cos(to) * 0.24,
        -0.26 + Math.sin(to) * 0.24,
        0.032,
      ]);
    }
    canvas.fill(0x24262a);
    for (let spoke = 0; spoke < 6; spoke++) {
      const angle = turn + spoke * Math.PI / 6;
      canvas.path.limb([x - Math.cos(angle) * 0.23, -0.26 - Math.sin(angle) * 0.23, 0.006], [
        x + Math.cos(angle) * 0.23,
        -0.26 + Math.sin(angle) * 0.23,
        0.006,
      ]);
    }
    canvas.fill({ colour: 0xc8ccd2, alpha: 0.8 });
  }
  for (
    const [x0, y0, x1, y1] of [
      [-0.36, -0.26, -0.14, -0.56],
      [-0.36, -0.26, 0, -0.26],
      [0, -0.26, -0.14, -0.56],
      [0, -0.26, 0.26, -0.58],
      [-0.14, -0.56, 0.26, -0.58],
      [0.36, -0.26, 0.24, -0.68],
    ] as const
  ) {
    canvas.path.limb([x0, y0, 0.034], [x1, y1, 0.034]);
  }
  canvas.fill(colour);
  canvas.path.limb([0.24, -0.68, 0.03], [0.34, -0.7, 0.03]);
  canvas.path.limb([-0.2, -0.61, 0.05], [-0.08, -0.61, 0.04]);
  canvas.fill(0x24262a);
  if (pen.laden) return;
  const knee = Math.sin(turn) * 0.06;
  canvas.path.limb([-0.13, -0.62, 0.09], [0.05, -0.46 + knee, 0.07]);
  canvas.path.limb([0.05, -0.46 + knee, 0.07], [
    Math.cos(turn) * 0.07,
    -0.24 + Math.sin(turn) * 0.07,
    0.05,
  ]);
  canvas.fill(0x37415a);
  canvas.path.limb([-0.13, -0.64, 0.11], [0.04, -0.88, 0.12]);
  canvas.path.limb([0.04, -0.86, 0.06], [0.28, -0.7, 0.045]);
  canvas.fill(shadeColour(colour, 0.3));
  canvas.path.ellipse(0.09, -0.99, 0.065, 0.075);
  canvas.fill(0xe0b088);
  canvas.path.smooth([0.0, -1.0, 0.04, -1.09, 0.16, -1.06, 0.17, -1.0]);
  canvas.fill(shadeColour(colour, -0.3));
}
