/**
 * Under the sea: light from above, sand, weeds that sway, coral and bubbles.
 *
 * @module
 */
import { mixColour, multiplyColour, shadeColour } from "../canvas/colour.ts";
import { randomAt } from "../stage/random.ts";
import type { Stage } from "../stage/stage.ts";

const CORALS: readonly number[] = [0xe8607a, 0xf09a4a, 0xb868c8, 0xf0d068, 0x58b8a8];

/** Draws the water and the sea floor. */
export function drawUnderwater(stage: Stage): void {
  const { canvas, palette } = stage;
  const light = mixColour(palette.ambient, 0xffffff, 0.15);
  const shallow = multiplyColour(stage.placeColour(0x4fc4dc), light);
  const deep = multiplyColour(stage.placeColour(0x0d3f70), light);
  stage.layer(0.05, (view) => {
    canvas.light = { ambient: 0xffffff, haze: 0, depth: 0 };
    const middle = (view.top + view.bottom) * 0.4;
    const between = mixColour(shallow, deep, 0.55);
    stage.band(view, { y: view.top, colour: shallow }, { y: middle, colour: between });
    stage.band(view, { y: middle, colour: between }, { y: view.bottom, colour: deep });
  });
  drawRays(stage, shadeColour(shallow, 0.5));
  for (const [row, depth, y, height] of [[0, 0.25, 0.06, 0.18], [1, 0.5, 0.12, 0.12]] as const) {
    drawBed(stage, { row, depth, y, height, colour: multiplyColour(0x2f6f8a, light), deep });
  }
  drawBed(stage, {
    row: 2,
    depth: 0.9,
    y: stage.ground * 0.82,
    height: 0.05,
    colour: multiplyColour(0xd8c490, mixColour(light, shallow, 0.55)),
    deep,
  });
  drawWeeds(stage, light);
  drawBubbles(stage);
}

function drawRays(stage: Stage, colour: number): void {
  const { canvas, moment, scene } = stage;
  stage.layer(0.1, (view) => {
    const width = view.right - view.left;
    for (let ray = 0; ray < 7; ray++) {
      const x = view.left +
        width * ((ray + 0.5) / 7 + Math.sin(moment.seconds * 0.25 + ray * 2.3) * 0.04);
      const wide = 0.03 + 0.05 * randomAt(scene.seed, ray, 461);
      const lean = 0.22;
      canvas.path.polygon([
        x,
        view.top,
        x + wide,
        view.top,
        x + wide * 3 - lean,
        view.bottom * 0.8,
        x - lean - wide,
        view.bottom * 0.8,
      ]);
      const pulse = 0.5 + 0.5 * Math.sin(moment.seconds * 0.7 + ray * 1.3);
      canvas.fill({ colour, alpha: 0.05 + 0.08 * pulse, shines: true });
    }
  });
}

function drawBed(
  stage: Stage,
  bed: { row: number; depth: number; y: number; height: number; colour: number; deep: number },
): void {
  const { canvas, scene } = stage;
  stage.layer(bed.depth, (view) => {
    canvas.light = { ambient: 0xffffff, haze: bed.deep, depth: (1 - bed.depth) * 0.6 };
    const points: number[] = [];
    for (let step = 0; step <= 60; step++) {
      const x = Math.floor(view.left * 20) / 20 + step * (view.right - view.left + 0.1) / 60;
      const rise = 0.5 + 0.3 * Math.sin(x * 3.1 + bed.row * 2 + scene.seed % 11) +
        0.2 * Math.sin(x * 7.7 + bed.row);
      points.push(x, bed.y - bed.height * rise);
    }
    canvas.path.polygon([...points, view.right + 0.1, view.bottom, view.left - 0.1, view.bottom]);
    canvas.fill({
      colour: bed.colour,
      to: shadeColour(bed.colour, -0.4),
      top: bed.y - bed.height,
      bottom: bed.y + 0.25,
    });
  });
}

function drawWeeds(stage: Stage, light: number): void {
  const { canvas, moment, scene, ground } = stage;
  stage.layer(0.85, (view) => {
    canvas.light = { ambient: mixColour(light, 0x5aa8c8, 0.35), haze: 0x0d3f70, depth: 0.12 };
    for (let i = Math.floor(view.left / 0.16) - 1; i * 0.16 < view.right + 0.16; i++) {
      const x = (i + randomAt(scene.seed, i, 471)) * 0.16;
      const kind = randomAt(scene.seed, i, 472);
      const y = ground * 0.82 + 0.02 * randomAt(scene.seed, i, 473);
      if (kind < 0.5) {
        const tall = 0.16 + 0.3 * randomAt(scene.seed, i, 474);
        const left: number[] = [];
        const right: number[] = [];
        for (let step = 0; step <= 8; step++) {
          const share = step / 8;
          const sway = Math.sin(moment.seconds * 1.1 + x * 4 + share * 3) * 0.04 * share;
          const wide = 0.014 * (1 - share * 0.8);
          left.push(x + sway - wide, y - tall * share);
          right.unshift(x + sway + wide, y - tall * share);
        }
        canvas.path.polygon([...left, ...right]);
        canvas.fill({ colour: 0x5fae58, to: 0x1f6048, top: y - tall, bottom: y });
      } else if (kind < 0.85) {
        const colour = CORALS[Math.floor(randomAt(scene.seed, i, 475) * CORALS.length)]!;
        for (let arm = -2; arm <= 2; arm++) {
          const reach = 0.09 + 0.04 * randomAt(scene.seed, i * 5 + arm, 476);
          canvas.path.limb([x, y, 0.024], [
            x + arm * 0.03,
            y - reach * (1 - Math.abs(arm) * 0.13),
            0.017,
          ]);
        }
        canvas.fill({
          colour: shadeColour(colour, 0.1),
          to: shadeColour(colour, -0.4),
          top: y - 0.13,
          bottom: y,
        });
      }
    }
  });
}

function drawBubbles(stage: Stage): void {
  const { canvas, moment, scene } = stage;
  stage.layer(1, (view) => {
    canvas.light = { ambient: 0xffffff, haze: 0, depth: 0 };
    for (let bubble = 0; bubble < 26; bubble++) {
      const age = (randomAt(scene.seed, bubble, 481) +
        moment.seconds * (0.06 + 0.05 * randomAt(scene.seed, bubble, 482))) % 1;
      const x = view.left + (view.right - view.left) * randomAt(scene.seed, bubble, 483) +
        Math.sin(moment.seconds * 1.6 + bubble) * 0.012;
      const y = view.bottom * 0.6 + (view.top - view.bottom * 0.6) * age;
      const r = 0.004 + 0.009 * randomAt(scene.seed, bubble, 484);
      canvas.path.ellipse(x, y, r, r);
    }
    canvas.fill({ colour: 0xe8faff, alpha: 0.42, shines: true });
  });
}
