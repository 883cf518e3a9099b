/**
 * Details of single places: furrows, cottages, a sea of clouds.
 *
 * @module
 */
import { mixColour, shadeColour } from "../canvas/colour.ts";
import type { Stage } from "../stage/stage.ts";
import { drawHouse } from "../things/house.ts";
import { VILLAGE } from "./terrain.ts";

/** Rows of a field that run to the horizon. */
export function drawFurrows(stage: Stage, colour: number): void {
  const { canvas, bottom } = stage;
  stage.layer(0.9, () => {
    for (let row = -14; row <= 14; row++) {
      const far = row * 0.045;
      const near = row * 0.42;
      canvas.path.polygon([
        far - 0.004,
        0.012,
        far + 0.004,
        0.012,
        near + 0.05,
        bottom + 0.1,
        near - 0.05,
        bottom + 0.1,
      ]);
    }
    canvas.fill({ colour: shadeColour(colour, -0.3), alpha: 0.34 });
  });
}

/** A row of cottages. */
export function drawCottages(stage: Stage): void {
  const { canvas, palette } = stage;
  stage.layer(0.5, (view) => {
    const cell = 0.26;
    for (let i = Math.floor(view.left / cell) - 1; i * cell < view.right + cell; i++) {
      const x = (i + 0.15) * cell;
      const y = 0.035 + 0.02 * Math.abs(Math.sin(i * 2.4));
      canvas.within({ x, y, scaleX: 0.15 + 0.03 * Math.sin(i * 5.1) }, () => {
        drawHouse({
          canvas,
          colour: VILLAGE[((i % 4) + 4) % 4]!,
          darkness: palette.darkness,
          snowy: palette.snowy,
        });
      });
    }
  });
}

/** Clouds below the viewer, in five sheets. */
export function drawCloudSea(stage: Stage): void {
  const { canvas, palette, moment } = stage;
  for (let row = 0; row < 5; row++) {
    const y = stage.bottom * (0.1 + row * 0.2);
    stage.layer(0.2 + 0.2 * row, (view) => {
      canvas.light = { ambient: 0xffffff, haze: palette.sky[2], depth: 0.4 - 0.08 * row };
      const cell = 0.16 + 0.05 * row;
      const shift = moment.seconds * (0.01 + 0.006 * row);
      for (
        let i = Math.floor((view.left - shift) / cell) - 2;
        i * cell + shift < view.right + cell;
        i++
      ) {
        const r = cell * (0.6 + 0.3 * Math.sin(i * 3.7 + row));
        canvas.path.ellipse(i * cell + shift, y, r, r * 0.6);
      }
      canvas.path.polygon([
        view.left,
        y,
        view.right,
        y,
        view.right,
        view.bottom + 0.01,
        view.left,
        view.bottom + 0.01,
      ]);
      canvas.fill({
        colour: palette.cloud,
        to: mixColour(palette.cloud, palette.sky[1], 0.6),
        top: y - 0.1,
        bottom: y + 0.2,
      });
    });
  }
}
