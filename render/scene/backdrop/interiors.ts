/**
 * Kitchen, table and studio: interiors other than the living room.
 *
 * @module
 */
import { mixColour, shadeColour } from "../canvas/colour.ts";
import { randomAt } from "../stage/random.ts";
import type { Stage, View } from "../stage/stage.ts";
import { drawSoftShapes } from "./abstract.ts";
import { drawWall, drawWindow, roomLight } from "./room.ts";

/** A kitchen: tiles, shelves, a counter with a stove that steams. */
export function drawKitchen(stage: Stage): void {
  drawWall(stage, 0xdfe6e0);
  stage.layer(0.55, (view) => {
    const { canvas } = stage;
    canvas.light = { ambient: roomLight(stage), haze: 0, depth: 0 };
    for (let y = -0.34; y < -0.12; y += 0.05) {
      canvas.path.polygon([
        view.left,
        y,
        view.right,
        y,
        view.right,
        y + 0.002,
        view.left,
        y + 0.002,
      ]);
    }
    for (let x = Math.floor(view.left / 0.08) * 0.08; x < view.right; x += 0.08) {
      canvas.path.polygon([x, -0.34, x + 0.002, -0.34, x + 0.002, -0.12, x, -0.12]);
    }
    canvas.fill({ colour: 0x8aa0a0, alpha: 0.6 });
    drawWindow(stage, { x: stage.halfWidth * 0.62, half: 0.16, top: -0.5, sill: -0.2 });
    drawHangingPots(stage);
    drawCounter(stage, view);
  });
}

function drawHangingPots(stage: Stage): void {
  const { canvas, moment } = stage;
  const right = stage.halfWidth * 0.3;
  canvas.path.limb([-stage.halfWidth * 0.86, -0.46, 0.012], [right, -0.46, 0.012]);
  canvas.fill(0x5a4a40);
  for (let pot = 0; pot < 5; pot++) {
    const x = -stage.halfWidth * 0.76 + pot * (right + stage.halfWidth * 0.66) / 4;
    const sway = Math.sin(moment.seconds * 1.1 + pot) * 0.003;
    const size = 0.035 + 0.014 * randomAt(stage.scene.seed, pot, 701);
    canvas.path.limb([x, -0.46, 0.006], [x + sway, -0.4, 0.006]);
    canvas.path.polygon([
      x + sway - size,
      -0.4,
      x + sway + size,
      -0.4,
      x + sway + size * 0.86,
      -0.4 + size * 1.3,
      x + sway - size * 0.86,
      -0.4 + size * 1.3,
    ]);
    canvas.fill({
      colour: pot % 2 ? 0xc07a4a : 0xb4bcc4,
      to: pot % 2 ? 0x7a4426 : 0x6a747c,
      top: -0.4,
      bottom: -0.34,
    });
  }
}

function drawCounter(stage: Stage, view: View): void {
  const { canvas, moment } = stage;
  const body = stage.placeColour(0x8fa89a);
  stage.band(view, { y: -0.1, colour: shadeColour(body, -0.05) }, {
    y: 0.08,
    colour: shadeColour(body, -0.3),
  });
  for (let door = Math.floor(view.left / 0.2); door * 0.2 < view.right; door++) {
    canvas.path.polygon([
      door * 0.2,
      -0.1,
      door * 0.2 + 0.004,
      -0.1,
      door * 0.2 + 0.004,
      0.08,
      door * 0.2,
      0.08,
    ]);
    canvas.path.limb([door * 0.2 + 0.08, -0.07, 0.008], [door * 0.2 + 0.12, -0.07, 0.008]);
  }
  canvas.fill(shadeColour(body, -0.5));
  stage.band(view, { y: -0.125, colour: 0xe8dcc8 }, { y: -0.1, colour: 0xb49a78 });
  for (const [x, colour] of [[-0.5, 0xb8c0c8], [-0.3, 0xb04a3a]] as const) {
    canvas.path.polygon([x - 0.06, -0.2, x + 0.06, -0.2, x + 0.055, -0.125, x - 0.055, -0.125]);
    canvas.fill({ colour, to: shadeColour(colour, -0.4), top: -0.2, bottom: -0.125 });
    canvas.path.limb([x - 0.085, -0.18, 0.012], [x + 0.085, -0.18, 0.012]);
    canvas.fill(0x3a3634);
    for (let puff = 0; puff < 5; puff++) {
      const age = (puff / 5 + moment.seconds * 0.3) % 1;
      const at = x + Math.sin(age * 5 + puff) * 0.02;
      canvas.path.ellipse(at, -0.22 - age * 0.18, 0.012 + 0.02 * age, 0.014 + 0.02 * age);
      canvas.fill({ colour: 0xffffff, alpha: 0.34 * (1 - age) });
    }
  }
}

/** A table seen from near, before a wall with a window. */
export function drawTabletop(stage: Stage): void {
  const { canvas, ground, bottom } = stage;
  drawWall(stage, 0xd8c8b0);
  stage.layer(0.5, () => {
    canvas.light = { ambient: roomLight(stage), haze: 0, depth: 0 };
    const half = Math.min(0.34, stage.halfWidth * 0.5);
    const side = randomAt(stage.scene.seed, 702) < 0.5 ? -1 : 1;
    drawWindow(stage, { x: side * stage.halfWidth * 0.36, half, top: -0.56, sill: -0.02 });
  });
  const wood = stage.placeColour(0x9a6a3c, 0.9);
  const edge = ground * 0.35;
  stage.layer(0.95, (view) => {
    canvas.light = { ambient: roomLight(stage), haze: 0, depth: 0 };
    stage.band(view, { y: edge, colour: shadeColour(wood, 0.3) }, {
      y: Math.max(bottom, view.bottom),
      colour: shadeColour(wood, -0.35),
    });
    for (let grain = 0; grain < 26; grain++) {
      const y = edge + (bottom - edge) * ((grain + 0.6) / 26) ** 1.3;
      const x = (randomAt(stage.scene.seed, grain, 703) * 2 - 1) * stage.halfWidth;
      const reach = 0.3 + 0.5 * randomAt(stage.scene.seed, grain, 704);
      canvas.path.polygon([x - reach, y, x, y - 0.002, x + reach, y, x, y + 0.003]);
    }
    canvas.fill({ colour: shadeColour(wood, -0.5), alpha: 0.3 });
  });
}

/** A studio: one seamless colour, soft light, and soft shapes when nobody stands in it. */
export function drawStudio(stage: Stage): void {
  const { canvas, scene, ground, bottom } = stage;
  const own = mixColour(0xe6e4e0, scene.tint ?? 0xd8dce4, 0.3);
  const colour = scene.placeColour ?? own;
  canvas.light = { ambient: 0xffffff, haze: 0, depth: 0 };
  stage.layer(0, (view) => {
    canvas.light = { ambient: 0xffffff, haze: 0, depth: 0 };
    const low = shadeColour(colour, -0.1);
    const bend = ground * 0.5;
    stage.band(view, { y: view.top, colour: shadeColour(colour, -0.08) }, { y: 0, colour });
    stage.band(view, { y: 0, colour }, { y: bend, colour: low });
    stage.band(view, { y: bend, colour: low }, {
      y: Math.max(bottom, view.bottom),
      colour: shadeColour(colour, 0.04),
    });
    const breath = 0.4 + 0.06 * Math.sin(stage.moment.seconds * 0.9);
    const light = mixColour(colour, 0xffffff, 0.7);
    canvas.glow(Math.sin(stage.moment.seconds * 0.4) * 0.12, -0.16, 0.9, {
      colour: light,
      alpha: breath,
    });
  });
  if (scene.subjects.length === 0) drawSoftShapes(stage, { below: ground });
}
