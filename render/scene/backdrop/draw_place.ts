/**
 * Each place, composed from sky, ridges, ground, water, plants and buildings, back to front.
 *
 * @module
 */
import type { Place } from "../scene.ts";
import { drawSky } from "../sky/draw_sky.ts";
import type { Stage } from "../stage/stage.ts";
import { LANDS } from "./lands.ts";
import { WATERSIDES } from "./watersides.ts";
import { drawTrees } from "./woods.ts";

/** Draws everything that stands behind the subjects. */
export function drawPlace(stage: Stage): void {
  if (!ENCLOSED.has(stage.scene.place)) drawSky(stage);
  PLACES[stage.scene.place](stage);
}

/** Draws what stands before the subjects, at the sides of the picture. */
export function drawForeground(stage: Stage): void {
  const { place } = stage.scene;
  if (place === "forest" || place === "jungle") {
    const kind = place === "jungle" ? "palm" : "bush";
    const height = kind === "palm" ? 1.1 : 0.4;
    drawTrees(stage, {
      depth: 1.5,
      y: stage.bottom + 0.1,
      height,
      spacing: 1.1,
      share: 0.5,
      kind,
      row: 9,
    });
  }
}

/** Places that have no sky of the day, or draw their own. */
const ENCLOSED = new Set<Place>([
  "room",
  "kitchen",
  "tabletop",
  "studio",
  "underwater",
  "space",
  "moon_surface",
]);

const PLACES: Readonly<Record<Place, (stage: Stage) => void>> = {
  ...WATERSIDES,
  ...LANDS,
};
