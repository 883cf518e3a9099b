/**
 * What belongs to places by the water: surf, palms, a pier, a winding river.
 *
 * @module
 */
import { drawPalm } from "./plants.ts";
import { mixColour, multiplyColour, shadeColour } from "../canvas/colour.ts";
import type { Stage } from "../stage/stage.ts";

/** The colour of still water by full light. */
export const LAKE = 0x2f7896;

/** Foam that comes up the sand and goes back. */
export function drawSurf(stage: Stage, shore: number): void {
  const { canvas, moment } = stage;
  stage.layer(0.9, (view) => {
    for (let line = 0; line < 3; line++) {
      const beat = (moment.seconds * 0.22 + line / 3) % 1;
      const y = shore - 0.05 + 0.075 * Math.sin(beat * Math.PI);
      const points: number[] = [];
      for (let step = 0; step <= 40; step++) {
        const x = view.left + (view.right - view.left) * step / 40;
        points.push(
          x,
          y + Math.sin(x * 7 + line * 2) * 0.008 + Math.sin(x * 17 + beat * 4) * 0.003,
        );
      }
      canvas.path.polygon([...points, view.right, y - 0.012, view.left, y - 0.012]);
      canvas.fill({ colour: 0xffffff, alpha: 0.75 * Math.sin(beat * Math.PI) });
    }
  });
}

/** Three palms on an island. */
export function drawIslandPalms(stage: Stage): void {
  for (const [at, height] of [[-0.22, 0.3], [0.02, 0.4], [0.17, 0.32]] as const) {
    stage.layer(0.6, () => {
      stage.canvas.within({ x: at, y: 0 }, () => drawOnePalm(stage, at, height));
    });
  }
}

function drawOnePalm(stage: Stage, at: number, height: number): void {
  const sway = Math.sin(stage.moment.seconds * 1.2 + at * 9) * 0.03;
  const { foliage, snowy } = stage.palette;
  stage.canvas.within({ scaleX: height }, () => {
    drawPalm(stage.canvas, {
      colour: mixColour(foliage[0]!, 0x4f9a48, 0.6),
      seed: stage.scene.seed + at * 100,
      snowy,
      sway,
    });
  });
}

/** A pier from the left edge. */
export function drawPier(stage: Stage): void {
  const { canvas } = stage;
  stage.layer(0.8, (view) => {
    const y = stage.ground * 0.42;
    for (let x = Math.floor(view.left / 0.12) * 0.12; x < -0.1; x += 0.12) {
      canvas.path.polygon([x, y, x + 0.014, y, x + 0.014, y + 0.09, x, y + 0.09]);
    }
    canvas.fill(0x4a382c);
    canvas.path.polygon([
      view.left,
      y - 0.012,
      -0.1,
      y - 0.012,
      -0.1,
      y + 0.012,
      view.left,
      y + 0.012,
    ]);
    canvas.fill({ colour: 0x9a7a5c, to: 0x6a503c, top: y - 0.012, bottom: y + 0.012 });
  });
}

/** A river that winds from the distance to the viewer. */
export function drawRiver(stage: Stage): void {
  const { canvas, moment, palette, bottom } = stage;
  const own = multiplyColour(stage.placeColour(LAKE), palette.ambient);
  const water = mixColour(own, palette.sky[2], 0.45);
  stage.layer(0.85, () => {
    const left: number[] = [];
    const right: number[] = [];
    for (let step = 0; step <= 24; step++) {
      const share = (step / 24) ** 1.5;
      const y = 0.02 + (bottom + 0.12) * share;
      const x = Math.sin(share * 4.6 + 0.6) * 0.26 * (1 - share * 0.75);
      const wide = 0.012 + 0.62 * share ** 1.1;
      left.push(x - wide, y);
      right.unshift(x + wide, y);
    }
    canvas.path.polygon([...left, ...right]);
    canvas.fill({
      colour: water,
      to: shadeColour(mixColour(own, palette.sky[0], 0.3), -0.15),
      top: 0,
      bottom,
      shines: true,
    });
    for (let glint = 0; glint < 46; glint++) {
      const share = ((glint * 0.618 + moment.seconds * 0.06) % 1) ** 1.5;
      const y = 0.02 + (bottom + 0.12) * share;
      const x = Math.sin(share * 4.6 + 0.6) * 0.26 * (1 - share * 0.75) +
        Math.sin(glint * 7.1) * (0.01 + 0.5 * share);
      const wide = 0.008 + 0.06 * share;
      const thick = 0.001 + 0.005 * share;
      canvas.path.polygon([x - wide, y, x, y - thick, x + wide, y, x, y + thick]);
    }
    canvas.fill({ colour: shadeColour(water, 0.5), alpha: 0.5, shines: true });
  });
}
