/**
 * Water seen from above its surface: the colour of the sky in it, moving waves, and a path of
 * light under the sun or moon.
 *
 * @module
 */
import { mixColour, multiplyColour, shadeColour } from "../canvas/colour.ts";
import { randomAt } from "../stage/random.ts";
import type { Stage } from "../stage/stage.ts";

/** A stretch of water between two world heights. */
export interface Water {
  readonly from: number;
  readonly to: number;
  readonly colour: number;
  /** 0 is a mirror, 1 is an open sea. */
  readonly roughness: number;
}

/** The open sea by full light. */
export const OPEN_SEA = 0x1f6f9c;

/** Draws water from the horizon towards the viewer. */
export function drawWater(stage: Stage, water: Water): void {
  const { scene } = stage;
  const storm = scene.weather.some((weather) => weather === "storm" || weather === "wind");
  const { far, near } = waterColours(stage, water.colour);
  stage.layer(0.9, (view) => {
    stage.band(view, { y: water.from, colour: far }, {
      y: Math.max(water.to, stage.bottom),
      colour: near,
    }, { shines: true });
  });
  const rough = water.roughness * (storm ? 2 : 1);
  drawWaves(stage, water, {
    rough,
    crest: shadeColour(far, 0.34),
    trough: shadeColour(near, -0.28),
  });
  if (
    !scene.weather.some((weather) => weather === "rain" || weather === "storm" || weather === "fog")
  ) {
    drawLightPath(stage, water);
  }
}

/** The lit colour of open water at a world height, for what is drawn over it. */
export function waterColourAt(stage: Stage, y: number): number {
  const { far, near } = waterColours(stage, OPEN_SEA);
  return mixColour(far, near, Math.max(0, y / stage.bottom));
}

/** Water of its own colour with the sky in it, already lit: far from the viewer and near. */
export function waterColours(stage: Stage, own: number): { far: number; near: number } {
  const { palette } = stage;
  const colour = multiplyColour(stage.placeColour(own), palette.ambient);
  const plain = stage.scene.placeColour === undefined ? 1 : 0.55;
  return {
    far: mixColour(colour, palette.sky[2], 0.62 * plain),
    near: shadeColour(mixColour(colour, palette.sky[0], 0.4 * plain), -0.12),
  };
}

function drawWaves(
  stage: Stage,
  water: Water,
  look: { readonly rough: number; readonly crest: number; readonly trough: number },
): void {
  const { canvas, moment, scene } = stage;
  const rows = 15;
  const depth = water.to - water.from;
  for (let row = 0; row < rows; row++) {
    const share = ((row + 0.7) / rows) ** 1.7;
    const y = water.from + depth * share;
    const heave = Math.sin(moment.seconds * 1.3 + row * 1.9) * 0.006 * share * look.rough;
    const way = row % 2 ? 1 : -1;
    const shift = way * moment.seconds * (0.012 + 0.05 * share) * (0.5 + look.rough);
    stage.layer(0.3 + 0.8 * share, (view) => {
      const cell = 0.09 + 0.34 * share;
      const first = Math.floor((view.left - shift) / cell) - 1;
      for (let i = first; i * cell + shift < view.right + cell; i++) {
        const x = (i + randomAt(scene.seed, i, 160 + row)) * cell + shift;
        const swell = 0.6 + 0.4 * Math.sin(moment.seconds * 1.9 + i * 2.3 + row);
        const wide = cell * (0.22 + 0.3 * randomAt(scene.seed, i, 180 + row)) * swell;
        const thick = (0.0012 + 0.007 * share) * (0.5 + 0.7 * look.rough);
        const at = y + heave + (randomAt(scene.seed, i, 200 + row) - 0.5) * depth / rows;
        canvas.path.polygon([
          x - wide,
          at,
          x - wide * 0.3,
          at - thick,
          x + wide * 0.3,
          at - thick * 0.8,
          x + wide,
          at,
          x,
          at + thick * 0.5,
        ]);
      }
      canvas.fill({
        colour: row % 3 === 1 ? look.trough : look.crest,
        alpha: row % 3 === 1 ? 0.4 : 0.5,
        shines: true,
      });
    });
  }
}

/** Glitter below the sun or moon; where that stands is the sky's choice, by the same numbers. */
function drawLightPath(stage: Stage, water: Water): void {
  const { canvas, moment, palette, scene, halfWidth } = stage;
  if (scene.place === "underwater") return;
  const side = randomAt(scene.seed, 11) < 0.5 ? -1 : 1;
  const centre = side * halfWidth * (0.36 + 0.2 * randomAt(scene.seed, 12));
  const low = palette.orb.height < 0.3 || palette.darkness > 0.5;
  const depth = water.to - water.from;
  stage.layer(0.02, () => {
    canvas.light = { ambient: 0xffffff, haze: 0, depth: 0 };
    for (let row = 0; row < 34; row++) {
      const share = (row + 0.5) / 34;
      const y = water.from + depth * share ** 1.4;
      for (let spark = 0; spark < 4; spark++) {
        const key = row * 4 + spark;
        const flicker = Math.sin(
          moment.seconds * (2.2 + randomAt(scene.seed, key, 221)) + key * 1.7,
        );
        if (flicker < -0.2) continue;
        const spread = 0.035 + 0.13 * share;
        const x = centre + (randomAt(scene.seed, key, 222) * 2 - 1) * spread +
          Math.sin(moment.seconds * 0.8 + key) * 0.01;
        const wide = (0.012 + 0.035 * share) * (0.5 + 0.5 * flicker);
        const thick = 0.0014 + 0.003 * share;
        canvas.path.polygon([x - wide, y, x, y - thick, x + wide, y, x, y + thick]);
      }
    }
    canvas.fill({ colour: palette.orb.glow, alpha: low ? 0.7 : 0.34, shines: true });
  });
}
