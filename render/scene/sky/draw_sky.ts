/**
 * The sky: its gradient, the sun or moon, stars and clouds.
 *
 * @module
 */
import { mixColour, shadeColour } from "../canvas/colour.ts";
import type { Stage } from "../stage/stage.ts";
import { randomAt } from "../stage/random.ts";
import { drawClouds } from "./draw_clouds.ts";
import { drawSkyThings } from "./draw_sky_things.ts";

/** Draws everything above the horizon that is not landscape. */
export function drawSky(stage: Stage): void {
  const { palette, top } = stage;
  stage.layer(0, (view) => {
    const middle = top * 0.42;
    const [high, half, low] = palette.sky;
    stage.canvas.light = { ambient: 0xffffff, haze: 0, depth: 0 };
    if (view.top < top * 1.02) {
      stage.band(view, { y: view.top, colour: high }, { y: top, colour: high });
    }
    stage.band(view, { y: top, colour: high }, { y: middle, colour: half });
    stage.band(view, { y: middle, colour: half }, { y: 0.02, colour: low });
    stage.band(view, { y: 0.02, colour: low }, { y: view.bottom, colour: low });
  });
  const hidden = stage.scene.weather.some((weather) => weather !== "clear" && weather !== "wind");
  if (palette.darkness > 0.3) {
    drawStars(stage, palette.darkness * (hidden ? 0.12 : 1));
  }
  const named = stage.scene.subjects.some(({ thing }) => thing === "sun" || thing === "moon");
  if (named || !hidden) drawOrb(stage, hidden ? 0.5 : 1);
  drawSkyThings(stage);
  if (stage.scene.cloudless !== true) drawClouds(stage);
}

/** Stars of many sizes that twinkle, each in its own time. */
export function drawStars(stage: Stage, strength: number): void {
  const { canvas, moment, scene } = stage;
  const asked = scene.subjects.some(({ thing }) => thing === "stars") ? 1.8 : 1;
  stage.layer(0.015, (view) => {
    canvas.light = { ambient: 0xffffff, haze: 0, depth: 0 };
    const cell = 0.085 / Math.sqrt(asked);
    for (let phase = 0; phase < 3; phase++) {
      const twinkle = 0.68 + 0.32 * Math.sin(moment.seconds * (1.6 + phase * 0.7) + phase * 2.1);
      for (let i = Math.floor(view.left / cell); i <= view.right / cell; i++) {
        for (let j = Math.floor(view.top / cell); j * cell < 0.02; j++) {
          if (Math.floor(randomAt(scene.seed, i, j * 7) * 3) !== phase) continue;
          const size = randomAt(scene.seed, i, j * 7 + 1);
          const x = (i + randomAt(scene.seed, i, j * 7 + 2)) * cell;
          const y = (j + randomAt(scene.seed, i, j * 7 + 3)) * cell;
          const radius = 0.0011 + 0.0022 * size * size * size;
          canvas.path.polygon([x - radius, y, x, y - radius, x + radius, y, x, y + radius]);
        }
      }
      canvas.fill({ colour: 0xffffff, alpha: strength * twinkle, shines: true, lumaOnly: true });
    }
  });
}

function drawOrb(stage: Stage, strength: number): void {
  const { canvas, palette, scene, top, halfWidth } = stage;
  const moonNamed = scene.subjects.find(({ thing }) => thing === "moon");
  const sunNamed = scene.subjects.find(({ thing }) => thing === "sun");
  const isMoon = moonNamed !== undefined || palette.darkness > 0.5 && sunNamed === undefined;
  const named = sunNamed ?? moonNamed;
  const side = randomAt(scene.seed, 11) < 0.5 ? -1 : 1;
  const x = side * halfWidth * (0.36 + 0.2 * randomAt(scene.seed, 12));
  const rising = named?.motion === "rise" ? -1 : named?.motion === "fall" ? 1 : 0;
  const drift = rising * (stage.moment.progress - 0.5) * 0.3;
  const y = Math.max(palette.orb.height * top * 1.6, top * 0.78) + drift;
  const radius = (isMoon ? 0.055 : 0.06) * (named?.scale ?? 1) * (named === undefined ? 1 : 1.45);
  const colour = named?.colour ?? (isMoon ? 0xf4f0e0 : palette.orb.colour);
  stage.layer(0.02, () => {
    canvas.light = { ambient: 0xffffff, haze: palette.haze, depth: 0 };
    const halo = named?.colour ?? palette.orb.glow;
    canvas.glow(x, y, radius * 8, { colour: halo, alpha: (isMoon ? 0.32 : 0.5) * strength });
    canvas.glow(x, y, radius * 2.6, { colour: halo, alpha: 0.6 * strength });
    canvas.path.ellipse(x, y, radius, radius);
    canvas.fill({ colour, alpha: strength, shines: true });
    if (!isMoon) return;
    for (const [dx, dy, size] of MARIA) {
      canvas.path.ellipse(x + dx * radius, y + dy * radius, size * radius, size * radius * 0.9);
    }
    canvas.fill({
      colour: shadeColour(mixColour(colour, 0x8088a0, 0.4), 0),
      alpha: 0.4,
      shines: true,
    });
  });
}

/** The dark plains of the moon: x, y and radius in radii. */
const MARIA: readonly (readonly [number, number, number])[] = [
  [-0.3, -0.3, 0.26],
  [0.2, -0.42, 0.18],
  [0.3, 0.05, 0.24],
  [-0.25, 0.3, 0.2],
  [0.1, 0.5, 0.13],
];
