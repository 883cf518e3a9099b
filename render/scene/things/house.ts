/**
 * A house with a lit window at night and smoke from its chimney.
 *
 * @module
 */
import { shadeColour } from "../canvas/colour.ts";
import type { SceneryPen } from "./pen.ts";

/** Draws a house, its foot at the origin, 1 high. */
export function drawHouse(pen: SceneryPen & { readonly seconds?: number }): void {
  const { canvas, colour, darkness, snowy, seconds } = pen;
  if (seconds !== undefined) {
    for (let puff = 0; puff < 6; puff++) {
      const age = (puff / 6 + seconds * 0.12) % 1;
      canvas.path.ellipse(
        0.3 + age * 0.16 + Math.sin(puff * 2 + seconds) * 0.02,
        -1.02 - age * 0.5,
        0.04 + age * 0.07,
        0.035 + age * 0.06,
      );
      canvas.fill({ colour: 0xe6e8ec, alpha: 0.5 * (1 - age) });
    }
  }
  canvas.path.polygon([0.24, -0.7, 0.24, -1, 0.36, -1, 0.36, -0.6]);
  canvas.fill(0x8a5a48);
  canvas.path.polygon([-0.5, 0, -0.5, -0.52, 0.5, -0.52, 0.5, 0]);
  canvas.fill({
    colour: shadeColour(colour, 0.12),
    to: shadeColour(colour, -0.18),
    top: -0.52,
    bottom: 0,
  });
  canvas.path.polygon([0.22, 0, 0.22, -0.52, 0.5, -0.52, 0.5, 0]);
  canvas.fill({ colour: shadeColour(colour, -0.4), alpha: 0.4 });
  const roof = snowy ? 0xf2f6fb : 0xa4503c;
  canvas.path.polygon([-0.6, -0.49, -0.3, -0.95, 0.3, -0.95, 0.6, -0.49]);
  canvas.fill({
    colour: shadeColour(roof, 0.08),
    to: shadeColour(roof, -0.25),
    top: -0.95,
    bottom: -0.49,
  });
  canvas.path.polygon([-0.08, 0, -0.08, -0.32, 0.09, -0.32, 0.09, 0]);
  canvas.fill(0x6a442c);
  const lit = darkness > 0.15;
  for (const x of [-0.36, 0.26]) {
    canvas.path.polygon([x - 0.02, -0.37, x + 0.17, -0.37, x + 0.17, -0.15, x - 0.02, -0.15]);
    canvas.fill(0xf4efe4);
    canvas.path.polygon([x, -0.35, x + 0.15, -0.35, x + 0.15, -0.17, x, -0.17]);
    canvas.fill({ colour: lit ? 0xffd67c : 0x7f9cb4, shines: lit });
    canvas.path.polygon([x + 0.068, -0.35, x + 0.082, -0.35, x + 0.082, -0.17, x + 0.068, -0.17]);
    canvas.fill(0xf4efe4);
    if (lit) canvas.glow(x + 0.075, -0.26, 0.34, { colour: 0xffc860, alpha: 0.45 * darkness });
  }
}
