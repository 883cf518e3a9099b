/**
 * The ground from the horizon to the viewer: a plane of one colour with the marks that tell grass
 * from sand, snow and stone.
 *
 * @module
 */
import { mixColour, shadeColour } from "../canvas/colour.ts";
import { randomAt } from "../stage/random.ts";
import type { Stage } from "../stage/stage.ts";

/** What covers the ground. */
export type Cover = "grass" | "flowers" | "sand" | "snow" | "soil" | "crops" | "stone";

/** Draws the ground from world height `from` downwards. */
export function drawGround(
  stage: Stage,
  ground: { readonly cover: Cover; readonly colour: number; readonly from?: number },
): void {
  const { cover, colour, from = 0 } = ground;
  const { palette, bottom } = stage;
  const far = mixColour(
    colour,
    palette.haze,
    cover === "snow" ? 0.1 : 0.22 + palette.hazeDepth * 0.3,
  );
  const near = shadeColour(colour, cover === "snow" ? -0.1 : -0.3);
  stage.layer(0.9, (view) => {
    const middle = from + (bottom - from) * 0.45;
    stage.band(view, { y: from, colour: far }, { y: middle, colour });
    stage.band(view, { y: middle, colour }, { y: Math.max(view.bottom, bottom), colour: near });
  });
  drawSwells(stage, { ...ground, from });
  if (cover === "grass" || cover === "flowers" || cover === "crops") {
    drawTufts(stage, { ...ground, from });
  }
  if (cover === "sand" || cover === "snow") drawRipples(stage, { ...ground, from });
  if (cover === "stone" || cover === "soil") drawPebbles(stage, { ...ground, from });
}

interface Ground {
  readonly cover: Cover;
  readonly colour: number;
  readonly from: number;
}

/** Broad lighter and darker folds. */
function drawSwells(stage: Stage, ground: Ground): void {
  const { canvas, scene, bottom } = stage;
  const depth = bottom - ground.from;
  for (let row = 0; row < 4; row++) {
    const share = 0.08 + row * 0.2;
    const y = ground.from + depth * share;
    stage.layer(0.45 + 0.18 * row, (view) => {
      const cell = 0.7 + 0.25 * row;
      for (let i = Math.floor(view.left / cell) - 1; i * cell < view.right + cell; i++) {
        const x = (i + randomAt(scene.seed, i, 20 + row)) * cell;
        const width = cell * (0.4 + 0.35 * randomAt(scene.seed, i, 30 + row));
        canvas.path.ellipse(x, y, width, depth * (0.025 + 0.03 * share));
      }
      canvas.fill({ colour: shadeColour(ground.colour, row % 2 ? -0.2 : 0.16), alpha: 0.32 });
    });
  }
}

function drawTufts(stage: Stage, ground: Ground): void {
  const { canvas, scene, moment, bottom, palette } = stage;
  const depth = bottom - ground.from;
  const windy = scene.weather.some((weather) => weather === "wind" || weather === "storm") ? 3 : 1;
  for (let row = 0; row < 9; row++) {
    const share = ((row + 0.5) / 9) ** 1.4;
    const y0 = ground.from + depth * share;
    const size = 0.012 + 0.03 * share;
    stage.layer(0.4 + 0.75 * share, (view) => {
      const cell = 0.05 + 0.09 * share;
      const blooms: [number, number, number][] = [];
      for (let i = Math.floor(view.left / cell) - 1; i * cell < view.right + cell; i++) {
        const x = (i + randomAt(scene.seed, i, 40 + row)) * cell;
        const y = y0 + (randomAt(scene.seed, i, 50 + row) - 0.5) * depth * 0.1;
        const sway = Math.sin(moment.seconds * 1.7 * windy ** 0.5 + x * 5 + row) * size * 0.22 *
          windy;
        const tall = size * (0.6 + 0.6 * randomAt(scene.seed, i, 60 + row)) *
          (ground.cover === "crops" ? 1.7 : 1);
        const wide = tall * 0.16;
        for (const lean of [-0.45, 0, 0.5]) {
          canvas.path.polygon([
            x - wide,
            y,
            x + lean * tall + sway,
            y - tall * (1 - Math.abs(lean) * 0.3),
            x + wide,
            y,
          ]);
        }
        if (ground.cover === "flowers" && randomAt(scene.seed, i, 70 + row) < 0.5) {
          blooms.push([x + sway, y - tall, randomAt(scene.seed, i, 80 + row)]);
        }
      }
      const tone = ground.cover === "crops" ? 0.2 : row % 2 ? 0.18 : -0.22;
      canvas.fill({ colour: shadeColour(ground.colour, tone), alpha: palette.snowy ? 0.35 : 0.75 });
      for (const [index, colour] of BLOOMS.entries()) {
        for (const [x, y, chance] of blooms) {
          if (Math.floor(chance * BLOOMS.length) === index) {
            canvas.path.ellipse(x, y, size * 0.28, size * 0.24);
          }
        }
        canvas.fill(colour);
      }
    });
  }
}

/** Wild flowers. */
const BLOOMS: readonly number[] = [0xf4f0e8, 0xf2c83a, 0xe66a8a, 0x9a78d8];

function drawRipples(stage: Stage, ground: Ground): void {
  const { canvas, scene, bottom } = stage;
  const depth = bottom - ground.from;
  for (let row = 0; row < 8; row++) {
    const share = ((row + 0.6) / 8) ** 1.5;
    const y = ground.from + depth * share;
    stage.layer(0.4 + 0.7 * share, (view) => {
      const cell = 0.18 + 0.3 * share;
      for (let i = Math.floor(view.left / cell) - 1; i * cell < view.right + cell; i++) {
        const x = (i + randomAt(scene.seed, i, 90 + row)) * cell;
        const wide = cell * (0.2 + 0.3 * randomAt(scene.seed, i, 100 + row));
        const thick = 0.002 + 0.006 * share;
        const at = y + (randomAt(scene.seed, i, 110 + row) - 0.5) * depth * 0.1;
        canvas.path.polygon([x - wide, at, x, at - thick, x + wide, at, x, at + thick * 0.6]);
      }
      canvas.fill({
        colour: shadeColour(ground.colour, -0.25),
        alpha: ground.cover === "snow" ? 0.22 : 0.4,
      });
    });
  }
}

function drawPebbles(stage: Stage, ground: Ground): void {
  const { canvas, scene, bottom } = stage;
  const depth = bottom - ground.from;
  for (let row = 0; row < 7; row++) {
    const share = ((row + 0.5) / 7) ** 1.4;
    const y = ground.from + depth * share;
    stage.layer(0.4 + 0.7 * share, (view) => {
      const cell = 0.11 + 0.16 * share;
      for (let i = Math.floor(view.left / cell) - 1; i * cell < view.right + cell; i++) {
        if (randomAt(scene.seed, i, 120 + row) < 0.4) continue;
        const x = (i + randomAt(scene.seed, i, 130 + row)) * cell;
        const size = (0.006 + 0.018 * share) * (0.5 + randomAt(scene.seed, i, 140 + row));
        canvas.path.ellipse(
          x,
          y + (randomAt(scene.seed, i, 150 + row) - 0.5) * depth * 0.12,
          size * 1.5,
          size * 0.6,
        );
      }
      canvas.fill({ colour: shadeColour(ground.colour, row % 2 ? -0.3 : 0.14), alpha: 0.6 });
    });
  }
}
