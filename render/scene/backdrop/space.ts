/**
 * Space, and the ground of the moon.
 *
 * @module
 */
import { mixColour, shadeColour } from "../canvas/colour.ts";
import { drawSkyThings } from "../sky/draw_sky_things.ts";
import { drawStars } from "../sky/draw_sky.ts";
import { randomAt } from "../stage/random.ts";
import type { Stage } from "../stage/stage.ts";

const NEBULAE: readonly (readonly [number, number])[] = [
  [0x5a2f8a, 0x1f5f9a],
  [0x8a2f5a, 0x2f3f9a],
  [0x1f6f7a, 0x4f2f8a],
];

/** Darkness, nebulae, stars and a far world. */
export function drawSpace(stage: Stage): void {
  drawVoid(stage);
  if (stage.scene.subjects.some(({ thing }) => thing === "planet" || thing === "earth")) return;
  const { canvas, halfWidth, bottom } = stage;
  stage.layer(0.08, () => {
    canvas.light = { ambient: 0xffffff, haze: 0, depth: 0 };
    const radius = 1.5;
    const x = halfWidth * 0.3;
    const y = bottom + radius * 0.72;
    const world = stage.placeColour(0x3a6fb0, 0.6);
    canvas.glow(x, y, radius * 1.16, { colour: 0x7ab8f0, alpha: 0.9 });
    canvas.path.ellipse(x, y, radius, radius);
    canvas.fill({
      colour: shadeColour(world, 0.2),
      to: shadeColour(world, -0.6),
      top: y - radius,
      bottom: bottom + 0.05,
    });
    for (let cloud = 0; cloud < 9; cloud++) {
      const at = (cloud / 9 - 0.5) * 1.5 + stage.moment.seconds * 0.006;
      canvas.path.ellipse(
        x + at,
        y - radius * Math.cos(at / radius) + 0.05 + 0.03 * (cloud % 3),
        0.14,
        0.012,
        at / radius,
      );
    }
    canvas.fill({ colour: 0xffffff, alpha: 0.4 });
  });
}

/** Grey dust with craters under a black sky. */
export function drawMoonGround(stage: Stage): void {
  drawVoid(stage);
  const { canvas, scene, bottom, halfWidth } = stage;
  if (!scene.subjects.some(({ thing }) => thing === "earth" || thing === "planet")) {
    stage.layer(0.03, () => {
      canvas.light = { ambient: 0xffffff, haze: 0, depth: 0 };
      const [x, y] = [-halfWidth * 0.5, stage.top * 0.62];
      canvas.glow(x, y, 0.2, { colour: 0x6ab0f0, alpha: 0.6 });
      canvas.path.ellipse(x, y, 0.1, 0.1);
      canvas.fill({ colour: 0x5aa0e8, to: 0x14305a, top: y - 0.1, bottom: y + 0.1 });
      canvas.path.ellipse(x - 0.03, y - 0.03, 0.04, 0.025, 0.4);
      canvas.path.ellipse(x + 0.04, y + 0.01, 0.025, 0.035, 0.2);
      canvas.fill({ colour: 0x6aa860, alpha: 0.8 });
    });
  }
  const dust = stage.placeColour(0xa6a8ae);
  stage.layer(0.9, (view) => {
    canvas.light = { ambient: 0xf4f6ff, haze: 0, depth: 0 };
    const points: number[] = [];
    for (let step = 0; step <= 60; step++) {
      const x = view.left + (view.right - view.left) * step / 60;
      points.push(x, Math.sin(x * 2.1 + scene.seed % 7) * 0.03 + Math.sin(x * 5.3) * 0.012);
    }
    canvas.path.polygon([...points, view.right, view.bottom, view.left, view.bottom]);
    canvas.fill({ colour: shadeColour(dust, 0.12), to: shadeColour(dust, -0.45), top: 0, bottom });
    for (let row = 0; row < 6; row++) {
      const share = (row + 0.6) / 6;
      for (let i = Math.floor(view.left / 0.4) - 1; i * 0.4 < view.right + 0.4; i++) {
        const x = (i + randomAt(scene.seed, i, 430 + row)) * 0.4;
        const y = 0.05 + bottom * share ** 1.3;
        const r = (0.02 + 0.07 * share) * (0.4 + randomAt(scene.seed, i, 440 + row));
        canvas.path.ellipse(x, y, r, r * 0.3);
        canvas.fill({
          colour: shadeColour(dust, -0.4),
          to: shadeColour(dust, -0.1),
          top: y - r * 0.3,
          bottom: y + r * 0.3,
          alpha: 0.8,
        });
        canvas.path.ellipse(x, y + r * 0.1, r * 0.9, r * 0.22);
        canvas.fill({
          colour: shadeColour(dust, -0.3),
          to: shadeColour(dust, 0.14),
          top: y - r * 0.2,
          bottom: y + r * 0.3,
        });
      }
    }
  });
}

function drawVoid(stage: Stage): void {
  const { canvas, scene, halfWidth } = stage;
  const [first, second] = NEBULAE[scene.seed % NEBULAE.length]!;
  const tint = scene.skyColour ?? scene.tint ?? scene.placeColour;
  stage.layer(0.01, (view) => {
    canvas.light = { ambient: 0xffffff, haze: 0, depth: 0 };
    stage.band(view, { y: view.top, colour: 0x04060f }, { y: view.bottom, colour: 0x0c1226 });
    if (scene.place !== "space") return;
    for (let cloud = 0; cloud < 6; cloud++) {
      const x = (randomAt(scene.seed, cloud, 451) * 2 - 1) * halfWidth;
      const y = (cloud - 3) * 0.12 - x * 0.3;
      const own = cloud % 2 ? first : second;
      const colour = tint === undefined ? own : mixColour(own, tint, 0.75);
      canvas.glow(x, y, 0.34 + 0.2 * randomAt(scene.seed, cloud, 452), { colour, alpha: 0.5 });
    }
  });
  drawStars(stage, 1);
  drawSkyThings(stage);
}
