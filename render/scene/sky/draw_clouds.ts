/**
 * Clouds, from a few in a clear sky to a closed cover.
 *
 * @module
 */
import { mixColour, shadeColour } from "../canvas/colour.ts";
import type { Weather } from "../scene.ts";
import { randomAt } from "../stage/random.ts";
import type { Stage } from "../stage/stage.ts";

/** How many of the places a cloud could be have one, and how large it is. */
const COVERS: Readonly<Record<Weather, readonly [share: number, size: number]>> = {
  clear: [0.32, 0.75],
  cloudy: [0.95, 1.35],
  rain: [1, 1.6],
  snow: [0.85, 1.35],
  fog: [0.25, 1],
  storm: [1, 1.8],
  wind: [0.6, 0.9],
};

/** Draws three sheets of clouds that drift, the nearer the faster. */
export function drawClouds(stage: Stage): void {
  const { canvas, moment, palette, scene, top } = stage;
  const [share, size] = scene.weather.map((weather) => COVERS[weather]).reduce((most, next) =>
    next[0] > most[0] ? next : most
  );
  const blown = scene.weather.some((weather) => weather === "wind" || weather === "storm") ? 4 : 1;
  const starry = scene.weather.includes("clear") && palette.darkness > 0.5 ? 0.6 : 1;
  for (let sheet = 0; sheet < 3; sheet++) {
    const cell = 0.5 + 0.16 * sheet;
    const shift = moment.seconds * (0.008 + 0.006 * sheet) * blown;
    stage.layer(0.04 + 0.03 * sheet, (view) => {
      canvas.light = { ambient: 0xffffff, haze: palette.sky[2], depth: 0.34 - 0.14 * sheet };
      const first = Math.floor((view.left - shift) / cell) - 1;
      for (let i = first; i * cell + shift < view.right + cell; i++) {
        if (randomAt(scene.seed + sheet, i, 1) > share * starry) continue;
        const x = (i + 0.7 * randomAt(scene.seed + sheet, i, 2)) * cell + shift;
        const y = top * (0.24 + 0.26 * sheet + 0.16 * randomAt(scene.seed + sheet, i, 3));
        const scale = size * (0.1 + 0.06 * randomAt(scene.seed + sheet, i, 4)) *
          (0.75 + 0.3 * sheet);
        drawCloud(stage, { x, y, scale, seed: scene.seed + sheet * 31 + i * 7 });
      }
    });
  }
}

function drawCloud(
  stage: Stage,
  cloud: { x: number; y: number; scale: number; seed: number },
): void {
  const { canvas, palette, scene } = stage;
  const { x, y, scale, seed } = cloud;
  const heavy = scene.weather.some((weather) => weather === "storm" || weather === "rain");
  const lit = palette.cloud;
  const under = heavy
    ? shadeColour(mixColour(lit, palette.sky[0], 0.3), -0.25)
    : mixColour(lit, palette.sky[1], 0.55);
  const puffs = 5 + Math.floor(randomAt(seed, 1) * 3);
  for (let puff = 0; puff < puffs; puff++) {
    const along = puff / (puffs - 1) * 2 - 1;
    const bulge = 1 - along * along * 0.75;
    const radius = scale * (0.34 + 0.3 * randomAt(seed, 2, puff)) * bulge;
    canvas.path.ellipse(x + along * scale * 1.25, y - radius * 0.62, radius * 1.25, radius);
  }
  canvas.path.ellipse(x, y, scale * 1.7, scale * 0.2);
  canvas.fill({
    colour: lit,
    to: under,
    top: y - scale * 0.9,
    bottom: y + scale * 0.22,
    alpha: heavy ? 0.94 : 0.86,
  });
}
