/**
 * Trees and bushes, as scenery and as subjects. Each is drawn with its foot at the origin and a
 * height of 1.
 *
 * @module
 */
import type { Canvas } from "../canvas/canvas.ts";
import { mixColour, shadeColour } from "../canvas/colour.ts";
import { randomAt } from "../stage/random.ts";

/** How one plant looks. */
export interface PlantLook {
  readonly colour: number;
  readonly seed: number;
  /** Snow lies on it. */
  readonly snowy: boolean;
  /** Far away: what is too small to be seen is left out. */
  readonly far?: boolean;
  /** Sideways bend of its top, in heights. */
  readonly sway: number;
}

/** A broad-leaved tree. */
export function drawBroadleaf(canvas: Canvas, look: PlantLook): void {
  const { colour, seed, sway, snowy } = look;
  const bark = 0x6a4a34;
  canvas.path.polygon([
    -0.055,
    0.005,
    -0.03,
    -0.2,
    -0.035,
    -0.45,
    0.035,
    -0.45,
    0.03,
    -0.2,
    0.06,
    0.005,
  ]);
  canvas.path.limb([0, -0.3, 0.045], [-0.16 + sway, -0.55, 0.02]);
  canvas.path.limb([0, -0.34, 0.045], [0.17 + sway, -0.58, 0.02]);
  canvas.fill({ colour: bark, to: shadeColour(bark, -0.35), top: -0.5, bottom: 0 });
  const puffs: [number, number, number][] = [[0, -0.62, 0.25], [-0.2, -0.55, 0.18], [
    0.21,
    -0.56,
    0.18,
  ], [
    -0.11,
    -0.76,
    0.18,
  ], [0.12, -0.78, 0.19]];
  const jitter = (index: number): number => (randomAt(seed, index, 301) - 0.5) * 0.08;
  for (const [index, [x, y, r]] of puffs.entries()) {
    canvas.path.ellipse(x + jitter(index) + sway, y + jitter(index + 9), r * 1.05, r);
  }
  canvas.fill({
    colour: shadeColour(colour, -0.08),
    to: shadeColour(colour, -0.42),
    top: -0.9,
    bottom: -0.35,
  });
  if (look.far) return;
  for (const [index, [x, y, r]] of puffs.entries()) {
    canvas.path.ellipse(
      x + jitter(index) + sway - r * 0.2,
      y + jitter(index + 9) - r * 0.25,
      r * 0.66,
      r * 0.58,
    );
  }
  canvas.fill({
    colour: snowy ? 0xffffff : shadeColour(colour, 0.18),
    to: colour,
    top: -0.95,
    bottom: -0.5,
    alpha: 0.75,
  });
}

/** A conifer. */
export function drawConifer(canvas: Canvas, look: PlantLook): void {
  const { colour, sway, snowy } = look;
  canvas.path.polygon([-0.03, 0, -0.02, -0.2, 0.02, -0.2, 0.03, 0]);
  canvas.fill(0x54402f);
  for (let tier = 0; tier < 4; tier++) {
    const foot = -0.1 - tier * 0.2;
    const tip = foot - 0.34;
    const half = 0.24 - tier * 0.046;
    const bend = sway * (tier + 1) / 4;
    canvas.path.polygon([
      -half + bend * 0.7,
      foot,
      -half * 0.5 + bend * 0.7,
      foot + 0.02,
      bend * 0.7,
      foot - 0.01,
      half * 0.5 + bend * 0.7,
      foot + 0.02,
      half + bend * 0.7,
      foot,
      bend,
      tip,
    ]);
    canvas.fill({
      colour: shadeColour(colour, 0.08),
      to: shadeColour(colour, -0.35),
      top: tip,
      bottom: foot,
    });
    if (!snowy) continue;
    canvas.path.polygon([
      -half * 0.62 + bend,
      foot - 0.085,
      -half * 0.2 + bend,
      foot - 0.1,
      half * 0.3 + bend,
      foot - 0.06,
      half * 0.5 + bend,
      foot - 0.12,
      bend,
      tip,
    ]);
    canvas.fill({ colour: 0xf6faff, alpha: 0.9 });
  }
}

/** A palm. */
export function drawPalm(canvas: Canvas, look: PlantLook): void {
  const { colour, seed, sway } = look;
  const lean = (randomAt(seed, 5, 302) - 0.5) * 0.3;
  const topX = lean + sway * 0.7;
  for (let part = 0; part < 6; part++) {
    const from = part / 6;
    const to = (part + 1) / 6;
    canvas.path.limb([topX * from * from, -0.72 * from, 0.06 - 0.025 * from], [
      topX * to * to,
      -0.72 * to,
      0.06 - 0.025 * to,
    ]);
  }
  canvas.fill({ colour: 0x9a7850, to: 0x6a4e34, top: -0.7, bottom: 0 });
  for (let frond = 0; frond < 9; frond++) {
    const angle = Math.PI * (0.02 + frond / 8 * 0.96) + sway;
    const reach = 0.3 + 0.05 * randomAt(seed, frond, 303);
    const tipX = topX - Math.cos(angle) * reach;
    const tipY = -0.74 - Math.sin(angle) * reach * 0.62 + reach * 0.42 * Math.abs(Math.cos(angle));
    const midX = topX - Math.cos(angle) * reach * 0.55;
    const midY = -0.78 - Math.sin(angle) * reach * 0.75;
    canvas.path.polygon([topX, -0.74, midX, midY - 0.035, tipX, tipY, midX, midY + 0.045]);
    canvas.fill({ colour: shadeColour(colour, frond % 2 ? 0.06 : -0.2) });
  }
  canvas.path.ellipse(topX - 0.03, -0.71, 0.026, 0.026);
  canvas.path.ellipse(topX + 0.03, -0.705, 0.026, 0.026);
  canvas.fill(0x6b4426);
}

/** A leafless tree. */
export function drawBareTree(canvas: Canvas, look: PlantLook): void {
  const branch = (x: number, y: number, angle: number, length: number, depth: number): void => {
    const tipX = x + Math.cos(angle) * length + look.sway * 0.1 * (4 - depth);
    const tipY = y + Math.sin(angle) * length;
    canvas.path.limb([x, y, 0.018 * depth], [tipX, tipY, 0.013 * depth]);
    if (depth <= 1) return;
    const spread = 0.42 + 0.25 * randomAt(look.seed, depth, Math.round(angle * 10));
    branch(tipX, tipY, angle - spread, length * 0.72, depth - 1);
    branch(tipX, tipY, angle + spread * 0.9, length * 0.7, depth - 1);
  };
  branch(0, 0, -Math.PI / 2, look.far ? 0.42 : 0.36, look.far ? 3 : 4);
  const bark = mixColour(0x57463c, look.colour, 0.08);
  canvas.fill({
    colour: shadeColour(bark, look.snowy ? 0.2 : 0),
    to: shadeColour(bark, -0.3),
    top: -1,
    bottom: 0,
  });
  if (!look.snowy) return;
  canvas.path.ellipse(0, -0.005, 0.12, 0.02);
  canvas.fill(0xf8fbff);
}

/** A round bush; its height is about a third. */
export function drawBush(canvas: Canvas, look: PlantLook): void {
  for (const [x, y, r] of [[-0.2, -0.1, 0.15], [0, -0.16, 0.19], [0.2, -0.1, 0.15]] as const) {
    canvas.path.ellipse(x + look.sway * 0.3, y, r, r * 0.9);
  }
  canvas.fill({
    colour: shadeColour(look.colour, 0.12),
    to: shadeColour(look.colour, -0.4),
    top: -0.34,
    bottom: 0,
  });
}
