/**
 * Rows of buildings at a depth: towers of a city, fronts of a street, houses of a village.
 *
 * @module
 */
import { shadeColour } from "../canvas/colour.ts";
import { randomAt } from "../stage/random.ts";
import type { Stage } from "../stage/stage.ts";

/** One row of buildings. */
export interface BuildingRow {
  /** As for a layer. */
  readonly depth: number;
  /** World y of their feet. */
  readonly y: number;
  /** World heights, from the lowest to the highest. */
  readonly low: number;
  readonly high: number;
  /** World width of each. */
  readonly width: number;
  readonly colours: readonly number[];
  readonly row: number;
}

/** Draws a row over the whole width of the view. */
export function drawBuildings(stage: Stage, buildings: BuildingRow): void {
  const { canvas, palette, scene } = stage;
  const seed = scene.seed + buildings.row * 1229;
  stage.layer(buildings.depth, (view) => {
    const { width } = buildings;
    const lit: number[][] = [];
    for (let i = Math.floor(view.left / width) - 1; i * width < view.right + width; i++) {
      const tall = buildings.low + (buildings.high - buildings.low) * randomAt(seed, i, 1) ** 1.6;
      const x = i * width + width * 0.06 * randomAt(seed, i, 2);
      const wide = width * (0.86 + 0.14 * randomAt(seed, i, 3));
      const top = buildings.y - tall;
      const own = buildings.colours[Math.floor(randomAt(seed, i, 4) * buildings.colours.length)]!;
      const colour = stage.placeColour(own, 0.5);
      const roof = randomAt(seed, i, 5);
      canvas.path.polygon([
        x,
        top,
        x + wide,
        top,
        x + wide,
        buildings.y + 0.02,
        x,
        buildings.y + 0.02,
      ]);
      if (roof < 0.3) {
        canvas.path.polygon([
          x + wide * 0.2,
          top - tall * 0.1,
          x + wide * 0.8,
          top - tall * 0.1,
          x + wide * 0.8,
          top,
          x + wide * 0.2,
          top,
        ]);
      } else if (roof < 0.5) {
        canvas.path.polygon([
          x + wide * 0.48,
          top - tall * 0.2,
          x + wide * 0.52,
          top - tall * 0.2,
          x + wide * 0.53,
          top,
          x + wide * 0.47,
          top,
        ]);
      }
      canvas.fill({
        colour: shadeColour(colour, 0.06),
        to: shadeColour(colour, -0.2),
        top,
        bottom: buildings.y,
      });
      canvas.path.polygon([
        x + wide * 0.72,
        top,
        x + wide,
        top,
        x + wide,
        buildings.y,
        x + wide * 0.72,
        buildings.y,
      ]);
      canvas.fill({ colour: shadeColour(colour, -0.4), alpha: 0.35 });
      if (palette.snowy) {
        canvas.path.polygon([
          x,
          top - 0.008,
          x + wide,
          top - 0.008,
          x + wide,
          top + 0.006,
          x,
          top + 0.006,
        ]);
        canvas.fill(0xf8fbff);
      }
      gatherWindows(
        stage,
        { x, wide, top, bottom: buildings.y, seed: seed + i * 13, cell: width },
        lit,
      );
    }
    if (palette.darkness > 0.15) {
      canvas.light = { ...canvas.light, depth: canvas.light.depth * 0.5 };
    }
    for (const window of lit) canvas.path.polygon(window);
    canvas.fill(
      palette.darkness > 0.15
        ? { colour: 0xffd98a, alpha: 0.45 + 0.5 * palette.darkness, shines: true }
        : { colour: shadeColour(palette.sky[1], -0.3), alpha: 0.55 },
    );
  });
}

function gatherWindows(
  stage: Stage,
  building: { x: number; wide: number; top: number; bottom: number; seed: number; cell: number },
  lit: number[][],
): void {
  const { palette } = stage;
  const { x, wide, top, bottom, seed } = building;
  const columns = 4;
  const pitch = wide / (columns + 0.6);
  const rise = Math.max(pitch * 1.25, (bottom - top) / 14);
  const share = palette.darkness > 0.15 ? 0.5 : 0.92;
  for (let row = 0; top + rise * (row + 1.2) < bottom; row++) {
    for (let column = 0; column < columns; column++) {
      if (randomAt(seed, row, column) > share) continue;
      const left = x + pitch * (column + 0.5);
      const up = top + rise * (row + 0.5);
      lit.push([
        left,
        up,
        left + pitch * 0.56,
        up,
        left + pitch * 0.56,
        up + rise * 0.5,
        left,
        up + rise * 0.5,
      ]);
    }
  }
}
