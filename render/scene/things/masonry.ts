/**
 * What buildings are put together from.
 *
 * @module
 */
import { shadeColour } from "../canvas/colour.ts";
import { isMoving, type Pen } from "./pen.ts";

/** An upright block, lit from the left. */
export function block(
  pen: Pen,
  at: { x: number; half: number; top: number; bottom: number; colour: number },
): void {
  const { canvas } = pen;
  const { x, half, top, bottom, colour } = at;
  canvas.path.polygon([x - half, bottom, x - half, top, x + half, top, x + half, bottom]);
  canvas.fill({ colour: shadeColour(colour, 0.1), to: shadeColour(colour, -0.16), top, bottom });
  canvas.path.polygon([
    x + half * 0.3,
    bottom,
    x + half * 0.3,
    top,
    x + half,
    top,
    x + half,
    bottom,
  ]);
  canvas.fill({ colour: shadeColour(colour, -0.45), alpha: 0.4 });
}

/** Merlons along the top of a wall. */
export function battlements(
  pen: Pen,
  at: { x: number; half: number; y: number; colour: number },
): void {
  const { canvas } = pen;
  const count = Math.max(3, Math.round(at.half / 0.035));
  const wide = at.half * 2 / (count * 2 - 1);
  for (let merlon = 0; merlon < count; merlon++) {
    const x = at.x - at.half + merlon * wide * 2;
    canvas.path.polygon([x, at.y, x + wide, at.y, x + wide, at.y - 0.045, x, at.y - 0.045]);
  }
  canvas.fill(shadeColour(at.colour, 0.04));
}

/** Narrow windows, lit at night. */
export function slits(pen: Pen, at: readonly (readonly [number, number])[]): void {
  const { canvas, darkness } = pen;
  const lit = darkness > 0.15;
  for (const [x, y] of at) {
    canvas.path.smooth([
      x - 0.02,
      y + 0.05,
      x - 0.02,
      y - 0.02,
      x,
      y - 0.05,
      x + 0.02,
      y - 0.02,
      x + 0.02,
      y + 0.05,
    ], 3);
  }
  canvas.fill({ colour: lit ? 0xffd67c : 0x3f3c44, shines: lit });
  if (lit) {
    for (const [x, y] of at) canvas.glow(x, y, 0.14, { colour: 0xffc860, alpha: 0.4 * darkness });
  }
}

/** A pointed roof, white in winter. */
export function cone(
  pen: Pen,
  at: { x: number; half: number; y: number; height: number; colour: number },
): void {
  const { canvas, snowy } = pen;
  const colour = snowy ? 0xf0f5fa : at.colour;
  canvas.path.polygon([at.x - at.half, at.y, at.x, at.y - at.height, at.x + at.half, at.y]);
  canvas.fill({
    colour: shadeColour(colour, 0.12),
    to: shadeColour(colour, -0.2),
    top: at.y - at.height,
    bottom: at.y,
  });
  canvas.path.polygon([at.x + at.half * 0.2, at.y, at.x, at.y - at.height, at.x + at.half, at.y]);
  canvas.fill({ colour: shadeColour(colour, -0.5), alpha: 0.35 });
}

/** A flag in the wind. */
export function flag(pen: Pen, at: { x: number; y: number }): void {
  const { canvas } = pen;
  const wave = isMoving(pen) ? Math.sin(pen.seconds * 5 + at.x * 9) * 0.02 : 0;
  canvas.path.polygon([
    at.x - 0.004,
    at.y,
    at.x - 0.004,
    at.y - 0.12,
    at.x + 0.004,
    at.y - 0.12,
    at.x + 0.004,
    at.y,
  ]);
  canvas.fill(0x4a3c34);
  canvas.path.smooth([
    at.x + 0.004,
    at.y - 0.12,
    at.x + 0.06,
    at.y - 0.115 + wave,
    at.x + 0.11,
    at.y - 0.09 - wave,
    at.x + 0.06,
    at.y - 0.065 + wave,
    at.x + 0.004,
    at.y - 0.06,
  ], 4);
  canvas.fill(0xd8382e);
}
