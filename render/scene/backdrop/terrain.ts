/**
 * Land that several places share: hills, mountains, what the ground is like.
 *
 * @module
 */
import { mixColour, shadeColour } from "../canvas/colour.ts";
import type { Stage } from "../stage/stage.ts";
import { drawRidge, type Ridge } from "./ridges.ts";

/** Snow on the ground. */
export const SNOW = 0xedf3f9;
/** Walls of houses. */
export const VILLAGE: readonly number[] = [0xe8d8bc, 0xd8a888, 0xc8d0d4, 0xe6c890];

/** The ground's own colour, under snow in winter, or as the words say. */
export function groundColour(stage: Stage, own: number): number {
  return stage.placeColour(stage.palette.snowy ? SNOW : own);
}

/** The ground between trees. */
export function forestFloor(stage: Stage): number {
  const { palette } = stage;
  return stage.placeColour(palette.snowy ? SNOW : mixColour(palette.grass, 0x4f5a34, 0.45));
}

/** A ridge of hills; `row` tells one from another. */
export function hill(
  stage: Stage,
  of: { depth: number; height: number; length: number; row: number },
): Ridge {
  const { palette, scene } = stage;
  const far = mixColour(palette.grass, palette.snowy ? 0xc8d6e4 : 0x4f7f5c, 0.45);
  const colour = stage.placeColour(shadeColour(far, -0.05 * of.row), 0.6);
  return { ...of, seed: scene.seed + of.row * 57, base: 0.03, kind: "hill", colour };
}

/** A ridge of mountains. */
export function peaks(stage: Stage, depth: number, height: number): Ridge {
  const colour = stage.scene.place === "mountains" ? stage.placeColour(0x5f6f88, 0.6) : 0x5f6f88;
  const snowLine = stage.palette.snowy ? 0.25 : 0.62;
  return {
    depth,
    seed: stage.scene.seed + 3,
    base: 0.04,
    height,
    length: 0.62,
    kind: "mountain",
    colour,
    snowLine,
  };
}

/** Two ridges of mountains, the higher one `height` tall. */
export function drawMountains(stage: Stage, height: number): void {
  drawRidge(stage, {
    ...peaks(stage, 0.08, height * 0.95),
    seed: stage.scene.seed + 41,
    length: 0.45,
  });
  drawRidge(stage, peaks(stage, 0.22, height * 0.8));
}
