/**
 * What falls, drifts and flashes between the viewer and the scene.
 *
 * @module
 */
import { mixColour } from "../canvas/colour.ts";
import type { Place, Weather } from "../scene.ts";
import { randomAt } from "../stage/random.ts";
import type { Stage } from "../stage/stage.ts";

/** Places that have no weather, or have it behind a window. */
const SHELTERED = new Set<Place>([
  "room",
  "kitchen",
  "tabletop",
  "studio",
  "space",
  "moon_surface",
  "underwater",
]);

const DRAWERS: Partial<Record<Weather, (stage: Stage) => void>> = {
  rain: (stage) => drawRain(stage, { drops: 300, lean: 0.1 }),
  storm: drawStorm,
  snow: drawSnow,
  fog: drawFog,
  wind: drawWind,
};

/** Draws the weather over everything. */
export function drawWeather(stage: Stage): void {
  const { canvas, scene } = stage;
  if (SHELTERED.has(scene.place)) return;
  canvas.light = { ambient: 0xffffff, haze: 0, depth: 0 };
  canvas.setTransform(stage.rest);
  for (const weather of scene.weather) DRAWERS[weather]?.(stage);
}

function drawRain(stage: Stage, rain: { drops: number; lean: number }): void {
  const { canvas, moment, scene, halfWidth, top, bottom, palette } = stage;
  const height = bottom - top + 0.3;
  const blown = scene.weather.includes("wind") || scene.weather.includes("storm")
    ? 0.34
    : rain.lean;
  for (let sheet = 0; sheet < 3; sheet++) {
    const near = 0.5 + 0.35 * sheet;
    const count = rain.drops / (1 + sheet);
    for (let drop = 0; drop < count; drop++) {
      const pace = (1.5 + 0.5 * randomAt(scene.seed, drop, 701 + sheet)) * near;
      const share = (randomAt(scene.seed, drop, 711 + sheet) + moment.seconds * pace / height) % 1;
      const y = top - 0.2 + height * share;
      const x = (randomAt(scene.seed, drop, 721 + sheet) * 2.6 - 1.3) * halfWidth -
        blown * (y - top) + blown * 0.4;
      const long = 0.06 * near;
      const wide = 0.0011 * near;
      canvas.path.polygon([
        x - wide,
        y,
        x + wide,
        y,
        x + wide - blown * long,
        y + long,
        x - wide - blown * long,
        y + long,
      ]);
    }
    canvas.fill({
      colour: 0xe4eefa,
      alpha: 0.26 + 0.12 * sheet - 0.1 * palette.darkness,
      lumaOnly: true,
    });
  }
  for (let ring = 0; ring < 26; ring++) {
    const clock = moment.seconds * 1.5 + randomAt(scene.seed, ring, 731);
    const age = clock % 1;
    const turn = Math.floor(clock);
    const x = (randomAt(scene.seed, ring, 732 + turn) * 2 - 1) * halfWidth;
    const y = stage.ground * (0.3 + 1.1 * randomAt(scene.seed, ring, 832 + turn));
    const r = (0.006 + 0.02 * age) * (0.5 + y);
    canvas.path.polygon([
      x - r,
      y,
      x - r * 0.5,
      y - r * 0.2,
      x + r * 0.5,
      y - r * 0.2,
      x + r,
      y,
      x + r * 0.5,
      y - r * 0.08,
      x - r * 0.5,
      y - r * 0.08,
    ]);
  }
  canvas.fill({ colour: 0xf0f6ff, alpha: 0.35, lumaOnly: true });
}

function drawStorm(stage: Stage): void {
  const { canvas, moment, scene, top, halfWidth } = stage;
  if (!scene.weather.includes("snow")) drawRain(stage, { drops: 380, lean: 0.3 });
  const clock = moment.seconds / 1.9 + 0.35;
  const age = clock % 1;
  if (age > 0.16) return;
  const key = Math.floor(clock);
  const flash = (age < 0.05 || age > 0.08 ? 1 : 0.35) * (1 - age / 0.16);
  let x = (randomAt(scene.seed, key, 741) * 1.5 - 0.75) * halfWidth;
  let y = top;
  while (y < 0) {
    const nextX = x + (randomAt(scene.seed, key * 50 + Math.round(y * 90), 742) - 0.5) * 0.13;
    const nextY = y + 0.05;
    canvas.path.limb([x, y, 0.009], [nextX, nextY, 0.008]);
    if (randomAt(scene.seed, key * 50 + Math.round(y * 90), 743) < 0.3) {
      canvas.path.limb([x, y, 0.005], [x + (nextX - x) * -2.5, y + 0.09, 0.002]);
    }
    [x, y] = [nextX, nextY];
  }
  canvas.glow(x, top * 0.5, 0.6, { colour: 0xd8e4ff, alpha: 0.5 * flash });
  canvas.fill({ colour: 0xfafcff, alpha: flash, shines: true });
  canvas.path.polygon([
    -halfWidth * 1.1,
    top * 1.1,
    halfWidth * 1.1,
    top * 1.1,
    halfWidth * 1.1,
    stage.bottom * 1.1,
    -halfWidth * 1.1,
    stage.bottom * 1.1,
  ]);
  canvas.fill({ colour: 0xdfe8ff, alpha: 0.16 * flash, lumaOnly: true });
}

function drawSnow(stage: Stage): void {
  const { canvas, moment, scene, halfWidth, top, bottom } = stage;
  const height = bottom - top + 0.2;
  const blown = scene.weather.includes("storm") || scene.weather.includes("wind") ? 0.5 : 0.05;
  for (let sheet = 0; sheet < 3; sheet++) {
    const near = 0.5 + 0.45 * sheet;
    const count = 190 / (1 + sheet * 0.9);
    for (let flake = 0; flake < count; flake++) {
      const pace = (0.1 + 0.06 * randomAt(scene.seed, flake, 751 + sheet)) * near *
        (blown > 0.1 ? 2 : 1);
      const share = (randomAt(scene.seed, flake, 761 + sheet) + moment.seconds * pace / height) % 1;
      const sway = Math.sin(moment.seconds * 1.1 + flake * 1.9) * 0.016 * near;
      const drift =
        (randomAt(scene.seed, flake, 771 + sheet) + moment.seconds * blown * near * 0.4) % 1;
      const x = (drift * 2.3 - 1.15) * halfWidth + sway;
      const y = top - 0.1 + height * share;
      const r = (0.0026 + 0.0026 * randomAt(scene.seed, flake, 781 + sheet)) * near;
      canvas.path.polygon([
        x - r,
        y,
        x - r * 0.7,
        y - r * 0.7,
        x,
        y - r,
        x + r * 0.7,
        y - r * 0.7,
        x + r,
        y,
        x + r * 0.7,
        y + r * 0.7,
        x,
        y + r,
        x - r * 0.7,
        y + r * 0.7,
      ]);
    }
    canvas.fill({ colour: 0xffffff, alpha: 0.6 + 0.15 * sheet });
  }
}

function drawFog(stage: Stage): void {
  const { canvas, moment, scene, halfWidth, palette, top, bottom } = stage;
  const white = mixColour(palette.haze, 0xffffff, 0.25 * (1 - palette.darkness));
  canvas.path.polygon([
    -halfWidth * 1.1,
    top * 1.1,
    halfWidth * 1.1,
    top * 1.1,
    halfWidth * 1.1,
    bottom * 1.1,
    -halfWidth * 1.1,
    bottom * 1.1,
  ]);
  canvas.fill({ colour: white, alpha: 0.26 });
  for (let bank = 0; bank < 9; bank++) {
    const y = -0.16 + bank * 0.055 + Math.sin(bank * 2.1) * 0.02;
    const shift = moment.seconds * (0.02 + 0.008 * (bank % 4)) * (bank % 2 ? 1 : -1);
    const span = halfWidth * 2 + 1.6;
    const x = ((((randomAt(scene.seed, bank, 791) * span + shift) % span) + span) % span) -
      span / 2;
    const wide = 0.5 + 0.4 * randomAt(scene.seed, bank, 792);
    for (const [grow, alpha] of [[1, 0.14], [0.72, 0.14], [0.44, 0.12]] as const) {
      canvas.path.ellipse(x, y, wide * grow, 0.05 * grow);
      canvas.fill({ colour: white, alpha });
    }
  }
}

function drawWind(stage: Stage): void {
  const { canvas, moment, scene, halfWidth, top, bottom, palette } = stage;
  const way = scene.subjects[0]?.direction === "left" ? -1 : 1;
  for (let gust = 0; gust < 9; gust++) {
    const share = (randomAt(scene.seed, gust, 801) +
      moment.seconds * (0.35 + 0.2 * randomAt(scene.seed, gust, 802))) % 1;
    const y = top * 0.75 + (bottom * 0.55 - top * 0.75) * randomAt(scene.seed, gust, 803);
    const x = way * (share * 3 - 1.5) * halfWidth;
    const long = 0.22;
    const points: number[] = [];
    const back: number[] = [];
    for (let step = 0; step <= 10; step++) {
      const part = step / 10;
      const at = y + Math.sin(part * 5 + moment.seconds * 2 + gust) * 0.012;
      const thick = 0.0018 * Math.sin(part * Math.PI);
      points.push(x - way * long * part, at - thick);
      back.unshift(x - way * long * part, at + thick);
    }
    canvas.path.polygon([...points, ...back]);
  }
  canvas.fill({ colour: 0xffffff, alpha: 0.5, lumaOnly: true });
  for (let leaf = 0; leaf < 16; leaf++) {
    const share = (randomAt(scene.seed, leaf, 811) +
      moment.seconds * (0.28 + 0.2 * randomAt(scene.seed, leaf, 812))) % 1;
    const x = way * (share * 2.6 - 1.3) * halfWidth;
    const y = (randomAt(scene.seed, leaf, 813) - 0.6) * 0.6 +
      Math.sin(moment.seconds * 2 + leaf) * 0.05;
    canvas.path.ellipse(x, y, 0.011, 0.005, moment.seconds * 4 + leaf);
  }
  canvas.light = { ambient: palette.ambient, haze: 0, depth: 0 };
  canvas.fill(palette.snowy ? 0xb07a4a : palette.foliage[1]!);
}
