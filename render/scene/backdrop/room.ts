/**
 * A room: wall, window onto the sky outside, floor and a few quiet things.
 *
 * @module
 */
import { brightnessOf, mixColour, shadeColour } from "../canvas/colour.ts";
import { randomAt } from "../stage/random.ts";
import type { Stage } from "../stage/stage.ts";
import { traitsOf } from "../thing_traits.ts";

const WALLS: readonly number[] = [0xe2d2b6, 0xbfd0cf, 0xd8bfae, 0xc9cfb4, 0xcabfd4];

/** Draws the room. */
export function drawRoom(stage: Stage): void {
  const { canvas, scene } = stage;
  const wall = WALLS[scene.seed % WALLS.length]!;
  drawWall(stage, wall);
  stage.layer(0.5, () => {
    canvas.light = { ambient: roomLight(stage), haze: 0, depth: 0 };
    const half = Math.min(0.21, stage.halfWidth * 0.4);
    // A fireplace or a shelf at the wall takes their place.
    if (!scene.subjects.some(({ thing }) => traitsOf(thing).station === "back")) {
      drawWindow(stage, { x: stage.halfWidth * 0.42, half, top: -0.46, sill: -0.1 });
      drawPicture(stage);
    }
    const tone = stage.placeColour(wall, 0.85);
    canvas.path.ellipse(0, stage.ground + 0.02, 0.62, 0.1);
    canvas.fill({ colour: mixColour(tone, 0x8a3c4a, 0.7), alpha: 0.9 });
    canvas.path.ellipse(0, stage.ground + 0.02, 0.54, 0.08);
    canvas.fill({ colour: mixColour(tone, 0xc87a6a, 0.7), alpha: 0.9 });
  });
}

/** The light indoors, which lamps keep warm at night and while it rains. */
export function roomLight(stage: Stage): number {
  const { ambient, darkness } = stage.palette;
  const lamps = Math.max(darkness, 1.2 * (1 - brightnessOf(ambient)));
  return mixColour(ambient, 0xffdcae, Math.min(1, lamps) * 0.75);
}

/** A wall of a colour, unless the words give the place another, and a floor of boards. */
export function drawWall(stage: Stage, own: number): void {
  const { canvas } = stage;
  const wall = stage.placeColour(own, 0.85);
  stage.layer(0.5, (view) => {
    canvas.light = { ambient: roomLight(stage), haze: 0, depth: 0 };
    const foot = 0.05;
    stage.band(view, { y: view.top, colour: shadeColour(wall, -0.18) }, { y: foot, colour: wall });
    stage.band(view, { y: foot - 0.035, colour: shadeColour(wall, 0.5) }, {
      y: foot,
      colour: shadeColour(wall, 0.3),
    });
    const plank = 0xa87648;
    stage.band(view, { y: foot, colour: shadeColour(plank, -0.05) }, {
      y: view.bottom,
      colour: shadeColour(plank, -0.45),
    });
    for (let board = -14; board <= 14; board++) {
      canvas.path.polygon([
        board * 0.1 - 0.001,
        foot,
        board * 0.1 + 0.001,
        foot,
        board * 0.34 + 0.004,
        view.bottom,
        board * 0.34 - 0.004,
        view.bottom,
      ]);
    }
    canvas.fill({ colour: 0x5a3a22, alpha: 0.5 });
  });
}

/** A window with curtains onto the weather outside; `x` is its middle. */
export function drawWindow(
  stage: Stage,
  at: { readonly x: number; readonly half: number; readonly top: number; readonly sill: number },
): void {
  const { canvas, palette, moment, scene } = stage;
  const { x, half, top, sill } = at;
  const middle = (top + sill) / 2;
  const room = canvas.light;
  canvas.path.polygon([
    x - half - 0.025,
    top - 0.025,
    x + half + 0.025,
    top - 0.025,
    x + half + 0.025,
    sill + 0.025,
    x - half - 0.025,
    sill + 0.025,
  ]);
  canvas.fill({ colour: 0xf6f1e6, to: 0xd8cfbe, top, bottom: sill });
  canvas.path.polygon([x - half, top, x + half, top, x + half, sill, x - half, sill]);
  canvas.fill({ colour: palette.sky[0], to: palette.sky[2], top, bottom: sill, shines: true });
  const rains = scene.weather.some((weather) => weather === "rain" || weather === "storm");
  const snows = scene.weather.includes("snow");
  canvas.path.smooth([
    x - half,
    sill,
    x - half,
    sill - 0.07,
    x - half * 0.3,
    sill - 0.1,
    x + half * 0.4,
    sill - 0.05,
    x + half,
    sill - 0.09,
    x + half,
    sill,
  ]);
  canvas.light = { ambient: palette.ambient, haze: palette.haze, depth: 0.3 };
  canvas.fill(palette.grass);
  canvas.light = room;
  if (palette.darkness > 0.5) {
    canvas.path.ellipse(x + half * 0.3, top + 0.1, 0.034, 0.034);
    canvas.fill({ colour: 0xf6f0da, shines: true });
  }
  if (rains || snows) {
    for (let drop = 0; drop < 40; drop++) {
      const fall = (randomAt(scene.seed, drop, 741) + moment.seconds * (rains ? 1.6 : 0.2)) % 1;
      const at = x - half + randomAt(scene.seed, drop, 742) * half * 1.98;
      const y = top + fall * (sill - top - 0.02);
      if (rains) canvas.path.polygon([at, y, at + 0.002, y, at + 0.001, y + 0.02]);
      else canvas.path.ellipse(at, y, 0.005, 0.005);
    }
    canvas.fill({ colour: 0xffffff, alpha: 0.7, shines: true });
  }
  canvas.path.polygon([x - 0.008, top, x + 0.008, top, x + 0.008, sill, x - 0.008, sill]);
  canvas.path.polygon([
    x - half,
    middle - 0.008,
    x + half,
    middle - 0.008,
    x + half,
    middle + 0.008,
    x - half,
    middle + 0.008,
  ]);
  canvas.fill(0xf0eadc);
  for (const side of [-1, 1]) {
    const edge = x + side * (half + 0.02);
    const sway = Math.sin(moment.seconds * 0.9 + side) * 0.008;
    canvas.path.smooth([
      edge + side * half * 0.28,
      top - 0.05,
      edge - side * half * 0.33,
      top - 0.05,
      edge - side * half * 0.24 + sway,
      middle + 0.03,
      edge - side * 0.02 + sway,
      sill + 0.07,
      edge + side * half * 0.33,
      sill + 0.08,
    ]);
    canvas.fill({ colour: 0xb8606a, to: 0x8a4452, top, bottom: sill });
  }
}

function drawPicture(stage: Stage): void {
  const { canvas, palette } = stage;
  const x = -stage.halfWidth * 0.46;
  canvas.path.polygon([x - 0.12, -0.42, x + 0.12, -0.42, x + 0.12, -0.24, x - 0.12, -0.24]);
  canvas.fill(0x8a6236);
  canvas.path.polygon([x - 0.105, -0.405, x + 0.105, -0.405, x + 0.105, -0.255, x - 0.105, -0.255]);
  canvas.fill({ colour: 0x9cc8e0, to: 0xf0e0c0, top: -0.4, bottom: -0.26 });
  canvas.path.polygon([
    x - 0.105,
    -0.255,
    x - 0.03,
    -0.36,
    x + 0.03,
    -0.29,
    x + 0.06,
    -0.32,
    x + 0.105,
    -0.255,
  ]);
  canvas.fill(0x5f7f78);
  if (palette.darkness > 0.3) canvas.glow(x, -0.2, 0.6, { colour: 0xffc878, alpha: 0.35 });
}
