/**
 * A pond between its banks, with lilies.
 *
 * @module
 */
import { shadeColour } from "../canvas/colour.ts";
import { randomAt } from "../stage/random.ts";
import type { Stage } from "../stage/stage.ts";
import { LAKE } from "./shores.ts";
import { waterColours } from "./water.ts";

/** The world heights between which a pond's water lies. */
export function pondShores(stage: Stage): { readonly far: number; readonly near: number } {
  return { far: 0.03, near: stage.ground + (stage.bottom - stage.ground) * 0.35 };
}

/** Draws the water over the ground, its ripples and what floats on it. */
export function drawPond(stage: Stage): void {
  const { canvas, moment, scene, halfWidth } = stage;
  const { far, near } = pondShores(stage);
  const middle = (far + near) / 2;
  const half = (near - far) / 2;
  const tone = waterColours(stage, LAKE);
  stage.layer(0.9, () => {
    for (const [grow, colour] of [[1.06, 0x8a8472], [1, undefined]] as const) {
      const points: number[] = [];
      for (let step = 0; step < 40; step++) {
        const angle = step / 40 * Math.PI * 2;
        const wobble = 1 + 0.05 * Math.sin(angle * 3 + scene.seed % 7) * Math.abs(Math.cos(angle));
        points.push(
          Math.cos(angle) * halfWidth * 1.02 * wobble * grow,
          middle + Math.sign(Math.sin(angle)) * Math.abs(Math.sin(angle)) ** 0.8 * half * grow,
        );
      }
      canvas.path.smooth(points, 2);
      canvas.fill(
        colour ?? { colour: tone.far, to: tone.near, top: far, bottom: near, shines: true },
      );
    }
    for (let ripple = 0; ripple < 7; ripple++) {
      const age = (ripple / 7 + moment.seconds * 0.16) % 1;
      const x = (randomAt(scene.seed, ripple, 731) * 1.4 - 0.7) * halfWidth;
      const y = far + (near - far) * (0.2 + 0.6 * randomAt(scene.seed, ripple, 732));
      ring(stage, { x, y, reach: 0.03 + 0.16 * age, alpha: 0.4 * (1 - age) });
    }
    for (let lily = 0; lily < 7; lily++) {
      const side = lily % 2 ? 1 : -1;
      const x = side * halfWidth * (0.5 + 0.36 * randomAt(scene.seed, lily, 733)) +
        Math.sin(moment.seconds * 0.5 + lily) * 0.006;
      const y = far + (near - far) * (0.2 + 0.55 * randomAt(scene.seed, lily, 734));
      const size = 0.03 + 0.03 * (y - far) / (near - far);
      canvas.path.ellipse(x, y, size, size * 0.36);
      canvas.fill(shadeColour(0x4f9a4a, 0.1 * (lily % 3) - 0.1));
      if (lily % 3 !== 0) continue;
      canvas.path.ellipse(x, y - size * 0.3, size * 0.3, size * 0.24);
      canvas.fill(0xf6d0e0);
    }
  });
}

function ring(stage: Stage, at: { x: number; y: number; reach: number; alpha: number }): void {
  const { canvas } = stage;
  for (let part = 0; part < 18; part++) {
    const [from, to] = [part / 18, (part + 1) / 18].map((share) => share * Math.PI * 2);
    canvas.path.limb(
      [at.x + Math.cos(from!) * at.reach, at.y + Math.sin(from!) * at.reach * 0.3, 0.003],
      [at.x + Math.cos(to!) * at.reach, at.y + Math.sin(to!) * at.reach * 0.3, 0.003],
    );
  }
  canvas.fill({ colour: 0xffffff, alpha: at.alpha, shines: true });
}
