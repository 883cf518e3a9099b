/**
 * A landscape of nowhere, for words that name nothing that can be drawn: light, soft waves of
 * colour and soft shapes, which move as the words say.
 *
 * @module
 */
import { mixColour, multiplyColour, shadeColour } from "../canvas/colour.ts";
import type { Motion } from "../scene.ts";
import { noiseAt, randomAt } from "../stage/random.ts";
import type { Stage } from "../stage/stage.ts";

/** Colours that go together, from far to near. */
const FAMILIES: readonly (readonly [number, number, number])[] = [
  [0xf2b8a0, 0xc86a7a, 0x5a3f78],
  [0xa8dce0, 0x4f9ab8, 0x23508a],
  [0xf6d68a, 0xe08a5a, 0x8a4a5f],
  [0xc4e0b0, 0x6aa88a, 0x2f6a72],
  [0xd8c4f0, 0x8f7ac8, 0x463f86],
  [0xf4c4d4, 0xa87ab8, 0x4f5a98],
];
const WAVES = 5;

/** Waves of colour under the sky of the scene. */
export function drawAbstract(stage: Stage): void {
  const { canvas, scene, palette } = stage;
  const family = familyOf(stage);
  const speed = paceOf(scene.motion);
  const seconds = stage.moment.seconds * speed;
  const hush = multiplyColour(0xffffff, palette.ambient);
  drawSoftShapes(stage, { below: 0.02 });
  for (let wave = 0; wave < WAVES; wave++) {
    const share = wave / (WAVES - 1);
    const own = share < 0.5
      ? mixColour(family[0], family[1], share * 2)
      : mixColour(family[1], family[2], share * 2 - 1);
    const colour = multiplyColour(own, hush);
    const way = wave % 2 ? -1 : 1;
    const base = -0.14 + share * 0.36;
    stage.layer(0.2 + 0.7 * share, (view) => {
      canvas.light = { ambient: 0xffffff, haze: palette.haze, depth: 0.3 * (1 - share) };
      const points: number[] = [];
      for (let x = view.left - 0.05; x < view.right + 0.1; x += 0.04) {
        const at = x * 1.4 + seconds * 0.14 * way * (0.6 + share);
        const crest = noiseAt(scene.seed + wave * 71, at) * 0.15 +
          Math.sin(at * 1.7 + wave * 2 + seconds * 0.4) * 0.03;
        points.push(x, base - crest);
      }
      canvas.path.polygon([...points, view.right + 0.1, view.bottom, view.left - 0.1, view.bottom]);
      canvas.fill({
        colour: shadeColour(colour, 0.12),
        to: shadeColour(colour, -0.2),
        top: base - 0.16,
        bottom: base + 0.26,
        shines: true,
      });
    });
  }
}

/** Soft round shapes that go the scene's way, none lower than `below`. */
export function drawSoftShapes(stage: Stage, area: { readonly below: number }): void {
  const { canvas, scene, top, halfWidth, moment } = stage;
  const family = familyOf(stage);
  const seconds = moment.seconds * paceOf(scene.motion);
  stage.layer(0.35, () => {
    canvas.light = { ambient: 0xffffff, haze: 0, depth: 0 };
    for (let shape = 0; shape < 7; shape++) {
      const chance = (turn: number): number => randomAt(scene.seed, shape, 710 + turn);
      const size = 0.05 + 0.13 * chance(1) ** 2;
      const high = top * 0.75;
      const low = area.below - size;
      const home = {
        x: (shape / 3 - 1 + (chance(2) - 0.5) * 0.3) * halfWidth * 0.9,
        y: high + (low - high) * chance(3),
      };
      const { x, y } = movedBy(scene.motion, { ...home, seconds, high, low, key: shape });
      const own = family[Math.floor(chance(4) * 3)]!;
      canvas.glow(x, y, size * 2, { colour: shadeColour(own, 0.3), alpha: 0.35 });
      canvas.path.ellipse(x, y, size, size);
      canvas.fill({
        colour: shadeColour(own, 0.14),
        to: shadeColour(own, -0.15),
        top: y - size,
        bottom: y + size,
        alpha: 0.88,
        shines: true,
      });
      canvas.path.ellipse(x - size * 0.32, y - size * 0.36, size * 0.3, size * 0.2, -0.6);
      canvas.fill({ colour: 0xffffff, alpha: 0.3, shines: true });
    }
  });
}

function familyOf(stage: Stage): readonly [number, number, number] {
  const { scene } = stage;
  const said = scene.tint ?? (scene.place === "abstract" ? scene.placeColour : undefined);
  return said === undefined
    ? FAMILIES[(scene.seed >>> 7) % FAMILIES.length]!
    : [mixColour(said, 0xffffff, 0.4), said, shadeColour(said, -0.3)];
}

function paceOf(motion: Motion | undefined): number {
  if (motion === undefined || motion === "still" || motion === "sit") return 1;
  return motion === "run" || motion === "spin" || motion === "bounce" ? 2.4 : 1.6;
}

function movedBy(
  motion: Motion | undefined,
  from: { x: number; y: number; seconds: number; high: number; low: number; key: number },
): { x: number; y: number } {
  const { x, y, seconds, high, low, key } = from;
  const way = low - high;
  const wrapped = (at: number): number => high + (((at - high) % way) + way) % way;
  switch (motion) {
    case "spin":
    case "roll": {
      const middle = (high + low) / 2;
      const turn = seconds * 0.4;
      const [dx, dy] = [x, (y - middle) * 2];
      return {
        x: dx * Math.cos(turn) - dy * Math.sin(turn),
        y: middle + (dx * Math.sin(turn) + dy * Math.cos(turn)) / 2.4,
      };
    }
    case "fall":
      return { x, y: wrapped(y + seconds * 0.1) };
    case "rise":
    case "grow":
      return { x, y: wrapped(y - seconds * 0.1) };
    case "bounce":
    case "jump":
    case "dance":
      return { x, y: y - Math.abs(Math.sin(seconds + key)) * 0.14 };
    default:
      return {
        x: x + Math.sin(seconds * 0.4 + key * 2) * 0.06,
        y: y + Math.cos(seconds * 0.5 + key) * 0.03,
      };
  }
}
