/**
 * Bamboo: a jointed stem with narrow leaves.
 *
 * @module
 */
import type { Canvas } from "../canvas/canvas.ts";
import { shadeColour } from "../canvas/colour.ts";
import { randomAt } from "../stage/random.ts";

const JOINTS = 8;

/** Draws one stem, 1 high, with its foot at the origin. */
export function drawBamboo(
  canvas: Canvas,
  look: { colour: number; seed: number; snowy: boolean; sway: number; far: boolean },
): void {
  const { colour, seed, sway } = look;
  const lean = (randomAt(seed, 21) - 0.5) * 0.08;
  const bend = (up: number): number => (lean + sway * 2) * up * up;
  const joints: [number, number][] = [];
  for (let joint = 0; joint < JOINTS; joint++) {
    const [low, high] = [joint / JOINTS, (joint + 1) / JOINTS];
    const half = 0.014 - 0.006 * low;
    canvas.path.polygon([
      bend(low) - half,
      -low,
      bend(high) - half * 0.9,
      -high + 0.006,
      bend(high) + half * 0.9,
      -high + 0.006,
      bend(low) + half,
      -low,
    ]);
    joints.push([bend(high), -high]);
  }
  canvas.fill({
    colour: shadeColour(colour, 0.15),
    to: shadeColour(colour, -0.25),
    top: -1,
    bottom: 0,
  });
  if (look.far) return;
  for (const [x, y] of joints) canvas.path.limb([x - 0.014, y, 0.007], [x + 0.014, y, 0.007]);
  canvas.fill(shadeColour(colour, -0.4));
  for (const [index, [x, y]] of joints.entries()) {
    if (index < 4) continue;
    for (let leaf = 0; leaf < 3; leaf++) {
      const side = (index + leaf) % 2 ? 1 : -1;
      const drop = 0.02 + 0.05 * randomAt(seed, index, leaf + 22);
      const reach = side * (0.07 + 0.05 * randomAt(seed, index, leaf + 32));
      canvas.path.polygon([
        x,
        y,
        x + reach * 0.5,
        y + drop * 0.2 - 0.012,
        x + reach,
        y + drop + sway,
        x + reach * 0.5,
        y + drop * 0.5 + 0.01,
      ]);
    }
  }
  canvas.fill(look.snowy ? 0xe4eef0 : shadeColour(colour, -0.08));
}
