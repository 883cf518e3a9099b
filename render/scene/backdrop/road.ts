/**
 * A road from the viewer to the horizon.
 *
 * @module
 */
import { mixColour, shadeColour } from "../canvas/colour.ts";
import type { Stage } from "../stage/stage.ts";

const VEHICLES = new Set(["car", "bus", "truck", "bicycle", "train"]);

/** Draws it over the ground: across the picture under vehicles, else towards the viewer. */
export function drawRoad(stage: Stage): void {
  const { palette, scene } = stage;
  const wet = scene.weather.some((weather) => weather === "rain" || weather === "storm");
  const asphalt = stage.placeColour(
    mixColour(wet ? 0x3f4650 : 0x5a5c62, 0xe4eaf0, palette.snowy ? 0.45 : 0),
    0.6,
  );
  if (scene.subjects.some(({ thing }) => VEHICLES.has(thing))) drawAcross(stage, asphalt);
  else drawTowards(stage, asphalt);
}

function drawAcross(stage: Stage, asphalt: number): void {
  const { canvas, ground, bottom } = stage;
  const far = ground * 0.52;
  const near = ground + (bottom - ground) * 0.5;
  stage.layer(0.95, (view) => {
    stage.band(view, { y: far - 0.014, colour: 0xc8bda4 }, { y: near + 0.02, colour: 0xa89878 });
    stage.band(view, { y: far, colour: asphalt }, { y: near, colour: shadeColour(asphalt, -0.25) });
    const middle = far + (near - far) * 0.42;
    for (let dash = Math.floor(view.left / 0.3) - 1; dash * 0.3 < view.right + 0.3; dash++) {
      const x = dash * 0.3;
      canvas.path.polygon([
        x,
        middle,
        x + 0.15,
        middle,
        x + 0.142,
        middle + 0.011,
        x - 0.012,
        middle + 0.011,
      ]);
    }
    for (const y of [far + 0.012, near - 0.02]) {
      canvas.path.polygon([
        view.left,
        y,
        view.right,
        y,
        view.right,
        y + 0.006,
        view.left,
        y + 0.006,
      ]);
    }
    canvas.fill({ colour: 0xf4eee0, alpha: 0.8 });
  });
}

function drawTowards(stage: Stage, asphalt: number): void {
  const { canvas, palette, bottom } = stage;
  const end = 0.014;
  const foot = bottom * 1.3;
  const half = (y: number): number => 0.008 + 0.56 * (y - end) / (bottom - end);
  const bend = (y: number): number => 0.1 * (1 - Math.min(1, (y - end) / (bottom - end))) ** 2;
  stage.layer(0.9, () => {
    strip(stage, {
      from: end,
      to: foot,
      left: (y) => bend(y) - half(y) * 1.08,
      wide: (y) => half(y) * 2.16,
    });
    canvas.fill({ colour: 0xc8bda4, to: 0xa89878, top: end, bottom });
    strip(stage, { from: end, to: foot, left: (y) => bend(y) - half(y), wide: (y) => half(y) * 2 });
    canvas.fill({
      colour: mixColour(asphalt, palette.haze, 0.4),
      to: shadeColour(asphalt, -0.2),
      top: end,
      bottom,
    });
    for (const side of [-0.93, 0.9]) {
      strip(stage, {
        from: end,
        to: foot,
        left: (y) => bend(y) + half(y) * side,
        wide: (y) => half(y) * 0.03,
      });
    }
    for (let dash = 0; dash < 12; dash++) {
      const at = (share: number): number => end + (foot - end) * share ** 2.6;
      const [from, to] = [at(dash / 12), at((dash + 0.55) / 12)];
      strip(stage, {
        from,
        to,
        left: (y) => bend(y) - half(y) * 0.02,
        wide: (y) => half(y) * 0.04,
      });
    }
    canvas.fill({ colour: 0xf4eee0, alpha: 0.85 });
  });
}

function strip(
  stage: Stage,
  of: { from: number; to: number; left: (y: number) => number; wide: (y: number) => number },
): void {
  const near: number[] = [];
  const far: number[] = [];
  for (let step = 0; step <= 10; step++) {
    const y = of.from + (of.to - of.from) * (step / 10) ** 1.6;
    near.push(of.left(y), y);
    far.unshift(of.left(y) + of.wide(y), y);
  }
  stage.canvas.path.polygon([...near, ...far]);
}
