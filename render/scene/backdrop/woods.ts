/**
 * Rows of trees at a depth.
 *
 * @module
 */
import { mixColour } from "../canvas/colour.ts";
import { randomAt } from "../stage/random.ts";
import type { Stage } from "../stage/stage.ts";
import { drawBamboo } from "./bamboo.ts";
import { drawBareTree, drawBroadleaf, drawBush, drawConifer, drawPalm } from "./plants.ts";

/** One row of trees. */
export interface TreeRow {
  /** As for a layer. */
  readonly depth: number;
  /** World y of their feet. */
  readonly y: number;
  readonly height: number;
  readonly spacing: number;
  /** How many of the places have a tree, 0 to 1. */
  readonly share: number;
  readonly kind: "mixed" | "broadleaf" | "conifer" | "palm" | "bush" | "bamboo";
  readonly row: number;
}

/** A tree of fewer pixels, less for the haze before it, needs no finer shading. */
const FAR_PIXELS = 75;

/** Draws a row over the whole width of the view. */
export function drawTrees(stage: Stage, trees: TreeRow): void {
  const { canvas, palette, moment, scene } = stage;
  const windy = scene.weather.some((weather) => weather === "wind" || weather === "storm")
    ? 3.2
    : 1;
  const seed = scene.seed + trees.row * 977;
  stage.layer(trees.depth, (view) => {
    const { spacing } = trees;
    const reach = trees.height * 0.5;
    for (let i = Math.floor((view.left - reach) / spacing); i * spacing < view.right + reach; i++) {
      if (randomAt(seed, i, 1) >= trees.share) continue;
      const x = (i + randomAt(seed, i, 2) * 0.8) * spacing;
      const height = trees.height * (0.72 + 0.5 * randomAt(seed, i, 3));
      const sway = Math.sin(moment.seconds * 1.1 * windy ** 0.5 + i * 1.7) * 0.012 * windy;
      const colour = foliageAt(stage, seed, i, trees.kind);
      const far = height * stage.unit * trees.depth < FAR_PIXELS;
      const look = { colour, seed: seed + i, snowy: palette.snowy, sway, far };
      canvas.within(
        { x, y: trees.y + trees.height * 0.03 * randomAt(seed, i, 5), scaleX: height },
        () => {
          const conifer = trees.kind === "conifer" ||
            trees.kind === "mixed" && randomAt(seed, i, 6) < 0.45;
          if (trees.kind === "palm") drawPalm(canvas, look);
          else if (trees.kind === "bamboo") drawBamboo(canvas, look);
          else if (trees.kind === "bush") drawBush(canvas, look);
          else if (conifer) drawConifer(canvas, look);
          else if (palette.snowy) drawBareTree(canvas, look);
          else drawBroadleaf(canvas, look);
        },
      );
    }
  });
}

function foliageAt(stage: Stage, seed: number, i: number, kind: TreeRow["kind"]): number {
  const { foliage, snowy } = stage.palette;
  if (kind === "conifer" || kind === "mixed" && snowy) return 0x2f6048;
  if (kind === "bamboo") return mixColour(0x7fb043, 0x4f8a3c, randomAt(seed, i, 7));
  const own = foliage[Math.floor(randomAt(seed, i, 4) * foliage.length)]!;
  return kind === "palm" && !snowy ? mixColour(own, 0x4f9a48, 0.6) : own;
}
