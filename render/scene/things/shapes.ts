/**
 * Plain shapes, shaded as solid things; the middle is at the origin, except of what lies on the
 * ground.
 *
 * @module
 */
import { shadeColour } from "../canvas/colour.ts";
import { type DrawThing, isMoving, type Pen } from "./pen.ts";

/** The drawings of shapes. */
export const SHAPES: Readonly<Record<string, DrawThing>> = {
  ball: drawBall,
  circle: (pen) => drawEllipse(pen),
  square: (pen) => drawPolygon(pen, [-0.44, -0.44, 0.44, -0.44, 0.44, 0.44, -0.44, 0.44]),
  rectangle: (pen) => drawPolygon(pen, [-0.8, -0.42, 0.8, -0.42, 0.8, 0.42, -0.8, 0.42]),
  triangle: (pen) => drawPolygon(pen, [0, -0.5, 0.54, 0.42, -0.54, 0.42]),
  star: (pen) => drawPolygon(pen, starPoints()),
  heart: (pen) => drawPolygon(pen, heartPoints()),
  diamond: (pen) => drawPolygon(pen, [0, -0.5, 0.36, 0, 0, 0.5, -0.36, 0]),
  hexagon: (pen) => drawPolygon(pen, ringPoints(6, 0.5)),
  cross: (pen) =>
    drawPolygon(pen, [
      -0.16,
      -0.5,
      0.16,
      -0.5,
      0.16,
      -0.16,
      0.5,
      -0.16,
      0.5,
      0.16,
      0.16,
      0.16,
      0.16,
      0.5,
      -0.16,
      0.5,
      -0.16,
      0.16,
      -0.5,
      0.16,
      -0.5,
      -0.16,
      -0.16,
      -0.16,
    ]),
  cube: drawCube,
  ring: drawRing,
  spiral: drawSpiral,
};

function ringPoints(sides: number, radius: number): number[] {
  const points: number[] = [];
  for (let side = 0; side < sides; side++) {
    const angle = side / sides * Math.PI * 2;
    points.push(Math.cos(angle) * radius, Math.sin(angle) * radius);
  }
  return points;
}

function starPoints(): number[] {
  const points: number[] = [];
  for (let tip = 0; tip < 10; tip++) {
    const angle = tip / 10 * Math.PI * 2 - Math.PI / 2;
    const radius = tip % 2 ? 0.22 : 0.52;
    points.push(Math.cos(angle) * radius, Math.sin(angle) * radius);
  }
  return points;
}

function heartPoints(): number[] {
  const points: number[] = [];
  for (let step = 0; step < 40; step++) {
    const t = step / 40 * Math.PI * 2;
    points.push(
      0.031 * 16 * Math.sin(t) ** 3,
      -0.031 * (13 * Math.cos(t) - 5 * Math.cos(2 * t) - 2 * Math.cos(3 * t) - Math.cos(4 * t)) -
        0.03,
    );
  }
  return points;
}

function drawPolygon(pen: Pen, points: readonly number[]): void {
  const { canvas, colour } = pen;
  if (pen.motion === "glow" || pen.darkness > 0.5) {
    canvas.glow(0, 0, 0.95, {
      colour,
      alpha: 0.3 + (isMoving(pen) ? 0.1 * Math.sin(pen.seconds * 3) : 0),
    });
  }
  canvas.path.polygon(points);
  canvas.fill({
    colour: shadeColour(colour, -0.32),
    to: shadeColour(colour, -0.45),
    top: -0.5,
    bottom: 0.5,
  });
  canvas.path.polygon(points.map((value) => value * 0.92));
  canvas.fill({
    colour: shadeColour(colour, 0.14),
    to: shadeColour(colour, -0.14),
    top: -0.5,
    bottom: 0.5,
  });
  canvas.within({ x: -0.06, y: -0.08, scaleX: 0.6 }, () => canvas.path.polygon(points));
  canvas.fill({ colour: shadeColour(colour, 0.4), alpha: 0.28 });
}

function drawEllipse(pen: Pen): void {
  const { canvas, colour } = pen;
  canvas.path.ellipse(0, 0, 0.5, 0.5);
  canvas.fill(shadeColour(colour, -0.3));
  canvas.path.ellipse(0, 0, 0.47, 0.47);
  canvas.fill({
    colour: shadeColour(colour, 0.14),
    to: shadeColour(colour, -0.12),
    top: -0.5,
    bottom: 0.5,
  });
  canvas.path.ellipse(-0.12, -0.14, 0.24, 0.2, -0.6);
  canvas.fill({ colour: shadeColour(colour, 0.45), alpha: 0.35 });
}

function drawBall(pen: Pen): void {
  const { canvas, colour } = pen;
  const turn = pen.motion === "roll" || pen.motion === "run" || pen.motion === "spin"
    ? pen.seconds * 3
    : pen.motion === "bounce"
    ? pen.seconds
    : 0.4;
  canvas.within({ y: -0.5 }, () => {
    canvas.path.ellipse(0, 0, 0.5, 0.5);
    canvas.fill({
      colour: shadeColour(colour, 0.12),
      to: shadeColour(colour, -0.4),
      top: -0.5,
      bottom: 0.5,
    });
    canvas.within({ turn }, () => {
      canvas.path.smooth([
        -0.46,
        -0.12,
        -0.2,
        -0.02,
        0.2,
        -0.02,
        0.46,
        -0.12,
        0.48,
        0.06,
        0.2,
        0.13,
        -0.2,
        0.13,
        -0.48,
        0.06,
      ]);
      canvas.fill({ colour: shadeColour(colour, 0.75), alpha: 0.5 });
    });
    canvas.path.ellipse(-0.17, -0.2, 0.13, 0.1, -0.6);
    canvas.fill({ colour: 0xffffff, alpha: 0.55 });
  });
}

function drawCube(pen: Pen): void {
  const { canvas, colour } = pen;
  const turn = pen.motion === "spin" || pen.motion === "roll" ? pen.seconds * 1.6 : 0.6;
  const corners = [0, 1, 2, 3].map((corner): [number, number] => {
    const angle = turn + corner * Math.PI / 2;
    return [Math.cos(angle) * 0.54, Math.sin(angle) * 0.17];
  });
  for (let face = 0; face < 4; face++) {
    const [x0, y0] = corners[face]!;
    const [x1, y1] = corners[(face + 1) % 4]!;
    if (x1 > x0) continue;
    canvas.path.polygon([x0, y0 - 0.17, x1, y1 - 0.17, x1, y1 - 0.83, x0, y0 - 0.83]);
    canvas.fill(shadeColour(colour, -0.12 - 0.3 * (x0 + x1 + 0.76) / 1.52));
  }
  canvas.path.polygon(corners.flatMap(([x, y]) => [x, y - 0.83]));
  canvas.fill(shadeColour(colour, 0.3));
}

function drawRing(pen: Pen): void {
  const { canvas, colour } = pen;
  for (let part = 0; part < 44; part++) {
    const from = part / 44 * Math.PI * 2;
    const to = (part + 1.1) / 44 * Math.PI * 2;
    canvas.path.limb([Math.cos(from) * 0.4, Math.sin(from) * 0.4, 0.17], [
      Math.cos(to) * 0.4,
      Math.sin(to) * 0.4,
      0.17,
    ]);
  }
  canvas.fill({
    colour: shadeColour(colour, 0.26),
    to: shadeColour(colour, -0.32),
    top: -0.5,
    bottom: 0.5,
  });
}

function drawSpiral(pen: Pen): void {
  const { canvas, colour } = pen;
  for (let part = 0; part < 60; part++) {
    const [from, to] = [part / 60, (part + 1.2) / 60];
    const point = (share: number): [number, number, number] => {
      const angle = share * Math.PI * 6;
      return [Math.cos(angle) * share * 0.48, Math.sin(angle) * share * 0.48, 0.05 + 0.03 * share];
    };
    canvas.path.limb(point(from), point(to));
  }
  canvas.fill({
    colour: shadeColour(colour, 0.2),
    to: shadeColour(colour, -0.25),
    top: -0.5,
    bottom: 0.5,
  });
}
