/**
 * Pavement, road and lamps: the ground of city and street.
 *
 * @module
 */
import { mixColour, shadeColour } from "../canvas/colour.ts";
import type { Stage } from "../stage/stage.ts";

/** Draws the street from world height `from` downwards. */
export function drawStreet(stage: Stage, from: number): void {
  const { canvas, palette, scene, ground, bottom } = stage;
  const wet = scene.weather.some((weather) => weather === "rain" || weather === "storm");
  const white = palette.snowy ? 0.72 : 0;
  const pavement = mixColour(0x9c9890, 0xf0f4f8, white);
  const asphalt = stage.placeColour(
    mixColour(wet ? 0x3f4650 : 0x54565c, 0xe4eaf0, white * 0.7),
    0.4,
  );
  stage.layer(0.9, (view) => {
    const kerb = from + (ground - from) * 0.42;
    stage.band(view, { y: from, colour: pavement }, {
      y: kerb,
      colour: shadeColour(pavement, -0.15),
    });
    stage.band(view, { y: kerb, colour: shadeColour(pavement, -0.45) }, {
      y: kerb + 0.012,
      colour: shadeColour(asphalt, -0.3),
    });
    stage.band(view, { y: kerb + 0.012, colour: asphalt }, {
      y: Math.max(bottom, view.bottom),
      colour: shadeColour(asphalt, -0.3),
    });
    if (wet) {
      canvas.opacity = 0.4;
      stage.band(
        view,
        { y: kerb + 0.012, colour: palette.sky[1] },
        { y: bottom, colour: asphalt },
        { shines: true },
      );
      canvas.opacity = 1;
    }
    const y = ground + 0.05;
    for (let i = Math.floor(view.left / 0.3) - 1; i * 0.3 < view.right + 0.3; i++) {
      canvas.path.polygon([
        i * 0.3,
        y,
        i * 0.3 + 0.15,
        y,
        i * 0.3 + 0.142,
        y + 0.013,
        i * 0.3 - 0.012,
        y + 0.013,
      ]);
    }
    canvas.fill({ colour: 0xf0ead8, alpha: 0.75 });
  });
  stage.layer(0.75, (view) => {
    const foot = from + (ground - from) * 0.4;
    for (let i = Math.floor(view.left / 0.8) - 1; i * 0.8 < view.right + 0.8; i++) {
      const x = i * 0.8 + 0.3;
      canvas.path.polygon([
        x - 0.006,
        foot,
        x - 0.004,
        foot - 0.4,
        x + 0.004,
        foot - 0.4,
        x + 0.006,
        foot,
      ]);
      canvas.path.polygon([
        x,
        foot - 0.4,
        x + 0.07,
        foot - 0.41,
        x + 0.07,
        foot - 0.4,
        x,
        foot - 0.39,
      ]);
      canvas.fill(0x2f343a);
      canvas.path.ellipse(x + 0.07, foot - 0.4, 0.018, 0.01);
      canvas.fill({
        colour: palette.darkness > 0.15 ? 0xfff0c0 : 0xd8dce0,
        shines: palette.darkness > 0.15,
      });
      if (palette.darkness > 0.15) {
        canvas.glow(x + 0.07, foot - 0.39, 0.16, {
          colour: 0xffd890,
          alpha: 0.7 * palette.darkness,
        });
        canvas.path.ellipse(x + 0.07, foot + 0.03, 0.16, 0.022);
        canvas.fill({ colour: 0xffd890, alpha: 0.22 * palette.darkness, shines: true });
      }
    }
  });
}
