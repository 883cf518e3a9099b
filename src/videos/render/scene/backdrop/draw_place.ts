/**
 * Each place, composed from sky, ridges, ground, water, plants and buildings, back to front.
 *
 * @module
 */
import { mixColour, shadeColour } from "../canvas/colour.ts";
import type { Place } from "../scene.ts";
import { drawSky } from "../sky/draw_sky.ts";
import type { Stage } from "../stage/stage.ts";
import { drawHouse } from "../things/house.ts";
import { drawBuildings } from "./buildings.ts";
import { drawGround } from "./ground.ts";
import { drawLavaPeak, drawWaterfall } from "./landmarks.ts";
import { drawPalm } from "./plants.ts";
import { drawRidge } from "./ridges.ts";
import { drawRoom } from "./room.ts";
import { drawMoonGround, drawSpace } from "./space.ts";
import { drawStreet } from "./street.ts";
import { drawUnderwater } from "./underwater.ts";
import { drawWater } from "./water.ts";
import { drawTrees } from "./woods.ts";

/** Draws everything that stands behind the subjects. */
export function drawPlace(stage: Stage): void {
  if (!ENCLOSED.has(stage.scene.place)) drawSky(stage);
  PLACES[stage.scene.place](stage);
}

/** Draws what stands before the subjects, at the sides of the picture. */
export function drawForeground(stage: Stage): void {
  const { place } = stage.scene;
  if (place === "forest" || place === "jungle") {
    const kind = place === "jungle" ? "palm" : "bush";
    const height = kind === "palm" ? 1.1 : 0.4;
    drawTrees(stage, {
      depth: 1.5,
      y: stage.bottom + 0.1,
      height,
      spacing: 1.1,
      share: 0.5,
      kind,
      row: 9,
    });
  }
}

const ENCLOSED = new Set<Place>(["room", "underwater"]);

const SAND = 0xe6cf98;
const SNOW = 0xedf3f9;
const SEA = 0x1f6f9c;
const LAKE = 0x2f7896;

const PLACES: Readonly<Record<Place, (stage: Stage) => void>> = {
  sea(stage) {
    drawWater(stage, { from: 0, to: stage.bottom, colour: SEA, roughness: 0.9 });
  },
  beach(stage) {
    const shore = stage.ground * 0.62;
    drawRidge(stage, hill(stage, { depth: 0.2, height: 0.06, length: 0.9, row: 1 }));
    drawWater(stage, { from: 0, to: shore, colour: 0x2f97ae, roughness: 0.6 });
    drawSurf(stage, shore);
    drawGround(stage, { cover: "sand", colour: groundColour(stage, SAND), from: shore });
    drawTrees(stage, {
      depth: 0.8,
      y: shore + 0.05,
      height: 0.42,
      spacing: 0.95,
      share: 0.55,
      kind: "palm",
      row: 2,
    });
  },
  island(stage) {
    drawWater(stage, { from: 0, to: stage.bottom, colour: 0x2391a8, roughness: 0.5 });
    const { canvas } = stage;
    stage.layer(0.6, () => {
      canvas.path.smooth([-0.62, 0.09, -0.3, 0.04, 0.05, 0.015, 0.36, 0.045, 0.62, 0.09, 0, 0.12]);
      canvas.fill({
        colour: shadeColour(groundColour(stage, SAND), 0.05),
        to: 0xc4a870,
        top: 0.02,
        bottom: 0.12,
      });
      canvas.path.smooth([-0.36, 0.06, -0.16, -0.04, 0.02, -0.07, 0.2, -0.03, 0.36, 0.06, 0, 0.08]);
      canvas.fill({
        colour: stage.palette.grass,
        to: shadeColour(stage.palette.grass, -0.4),
        top: -0.07,
        bottom: 0.08,
      });
    });
    drawIslandPalms(stage);
  },
  harbour(stage) {
    drawRidge(stage, hill(stage, { depth: 0.22, height: 0.14, length: 0.8, row: 1 }));
    drawBuildings(stage, {
      depth: 0.4,
      y: 0.02,
      low: 0.06,
      high: 0.17,
      width: 0.1,
      colours: VILLAGE,
      row: 1,
    });
    drawWater(stage, { from: 0.015, to: stage.bottom, colour: SEA, roughness: 0.45 });
    drawPier(stage);
  },
  lake(stage) {
    drawMountains(stage, 0.4);
    drawTrees(stage, {
      depth: 0.4,
      y: 0.02,
      height: 0.13,
      spacing: 0.055,
      share: 0.95,
      kind: "conifer",
      row: 1,
    });
    drawWater(stage, { from: 0.012, to: stage.bottom, colour: LAKE, roughness: 0.28 });
  },
  river(stage) {
    drawMountains(stage, 0.26);
    drawRidge(stage, hill(stage, { depth: 0.35, height: 0.12, length: 0.6, row: 4 }));
    drawGround(stage, { cover: "grass", colour: groundColour(stage, stage.palette.grass) });
    drawRiver(stage);
    drawTrees(stage, {
      depth: 0.55,
      y: 0.05,
      height: 0.26,
      spacing: 0.3,
      share: 0.6,
      kind: "mixed",
      row: 2,
    });
  },
  mountains(stage) {
    drawMountains(stage, 0.5);
    drawRidge(stage, hill(stage, { depth: 0.4, height: 0.12, length: 0.7, row: 4 }));
    drawTrees(stage, {
      depth: 0.45,
      y: 0.02,
      height: 0.17,
      spacing: 0.08,
      share: 0.7,
      kind: "conifer",
      row: 1,
    });
    drawGround(stage, {
      cover: "grass",
      colour: groundColour(stage, stage.palette.grass),
      from: 0.01,
    });
  },
  hills(stage) {
    for (
      const [row, depth, height] of [[1, 0.12, 0.3], [2, 0.25, 0.22], [3, 0.45, 0.13]] as const
    ) {
      drawRidge(stage, hill(stage, { depth, height, length: 0.9 - row * 0.12, row }));
    }
    drawTrees(stage, {
      depth: 0.46,
      y: -0.02,
      height: 0.13,
      spacing: 0.3,
      share: 0.55,
      kind: "mixed",
      row: 1,
    });
    drawGround(stage, {
      cover: "grass",
      colour: groundColour(stage, stage.palette.grass),
      from: 0.015,
    });
  },
  forest(stage) {
    const tone = stage.palette.snowy ? 0x6f8a90 : 0x3d6b48;
    drawRidge(stage, {
      ...hill(stage, { depth: 0.1, height: 0.4, length: 0.5, row: 1 }),
      kind: "treetops",
      colour: tone,
    });
    for (
      const [row, depth, y, height] of [[1, 0.3, 0, 0.44], [2, 0.45, 0.03, 0.54], [
        3,
        0.62,
        0.065,
        0.68,
      ]] as const
    ) {
      drawTrees(stage, {
        depth,
        y,
        height,
        spacing: height * 0.34,
        share: 0.86,
        kind: "mixed",
        row,
      });
      if (row === 2) drawGround(stage, { cover: "grass", colour: forestFloor(stage), from: 0.03 });
    }
    drawTrees(stage, {
      depth: 0.8,
      y: stage.ground * 0.55,
      height: 0.95,
      spacing: 0.95,
      share: 0.62,
      kind: "mixed",
      row: 4,
    });
  },
  jungle(stage) {
    drawRidge(stage, {
      ...hill(stage, { depth: 0.12, height: 0.4, length: 0.4, row: 1 }),
      kind: "treetops",
      colour: 0x3f7f4a,
    });
    for (
      const [row, depth, y, height, kind] of [[1, 0.3, 0.01, 0.45, "broadleaf"], [
        2,
        0.5,
        0.05,
        0.6,
        "palm",
      ]] as const
    ) {
      drawTrees(stage, { depth, y, height, spacing: height * 0.36, share: 0.85, kind, row });
    }
    drawGround(stage, { cover: "grass", colour: groundColour(stage, 0x3f7d38), from: 0.05 });
    drawTrees(stage, {
      depth: 0.75,
      y: stage.ground * 0.6,
      height: 0.2,
      spacing: 0.22,
      share: 0.8,
      kind: "bush",
      row: 3,
    });
    drawTrees(stage, {
      depth: 0.85,
      y: stage.ground * 0.62,
      height: 0.9,
      spacing: 0.8,
      share: 0.6,
      kind: "palm",
      row: 4,
    });
  },
  meadow(stage) {
    drawRidge(stage, hill(stage, { depth: 0.14, height: 0.2, length: 0.9, row: 1 }));
    drawRidge(stage, hill(stage, { depth: 0.3, height: 0.1, length: 0.6, row: 2 }));
    drawTrees(stage, {
      depth: 0.4,
      y: 0.015,
      height: 0.13,
      spacing: 0.12,
      share: 0.6,
      kind: "broadleaf",
      row: 1,
    });
    drawGround(stage, {
      cover: stage.palette.snowy ? "snow" : "flowers",
      colour: groundColour(stage, stage.palette.grass),
      from: 0.012,
    });
  },
  field(stage) {
    drawRidge(stage, hill(stage, { depth: 0.2, height: 0.12, length: 0.8, row: 1 }));
    drawTrees(stage, {
      depth: 0.35,
      y: 0.012,
      height: 0.1,
      spacing: 0.07,
      share: 0.7,
      kind: "broadleaf",
      row: 1,
    });
    const crop = stage.palette.snowy ? SNOW : stage.scene.season === "spring" ? 0x9cc44e : 0xdcb552;
    drawGround(stage, {
      cover: stage.palette.snowy ? "snow" : "crops",
      colour: groundColour(stage, crop),
      from: 0.01,
    });
    drawFurrows(stage, groundColour(stage, crop));
  },
  garden(stage) {
    drawTrees(stage, {
      depth: 0.3,
      y: 0.02,
      height: 0.34,
      spacing: 0.2,
      share: 0.85,
      kind: "broadleaf",
      row: 1,
    });
    drawGround(stage, {
      cover: stage.palette.snowy ? "snow" : "flowers",
      colour: groundColour(stage, stage.palette.grass),
      from: 0.02,
    });
    drawTrees(stage, {
      depth: 0.5,
      y: 0.06,
      height: 0.17,
      spacing: 0.16,
      share: 0.8,
      kind: "bush",
      row: 2,
    });
  },
  desert(stage) {
    for (const [row, depth, height] of [[1, 0.15, 0.2], [2, 0.3, 0.15], [3, 0.5, 0.1]] as const) {
      const tone = mixColour(groundColour(stage, 0xe0ac66), 0xc47f48, 0.2 * row);
      drawRidge(stage, {
        depth,
        seed: stage.scene.seed + row,
        base: 0.02 * row,
        height,
        length: 0.85,
        kind: "dune",
        colour: tone,
      });
    }
    drawGround(stage, { cover: "sand", colour: groundColour(stage, 0xe2b06c), from: 0.06 });
  },
  arctic(stage) {
    drawRidge(stage, { ...peaks(stage, 0.2, 0.3), colour: 0x9fb8d0, snowLine: 0.1 });
    drawRidge(stage, {
      depth: 0.35,
      seed: stage.scene.seed + 6,
      base: 0.02,
      height: 0.14,
      length: 0.35,
      kind: "mountain",
      colour: 0xcfe2f0,
      foot: 0xa8c8e0,
      snowLine: 0.3,
    });
    drawGround(stage, { cover: "snow", colour: groundColour(stage, SNOW), from: 0.015 });
  },
  volcano(stage) {
    drawMountains(stage, 0.2);
    drawLavaPeak(stage);
    drawGround(stage, { cover: "stone", colour: groundColour(stage, 0x54473f), from: 0.02 });
  },
  waterfall(stage) {
    drawRidge(stage, {
      ...hill(stage, { depth: 0.15, height: 0.5, length: 0.5, row: 1 }),
      kind: "treetops",
      colour: 0x4a7f52,
    });
    drawWaterfall(stage);
    drawWater(stage, { from: 0.06, to: stage.bottom, colour: LAKE, roughness: 0.5 });
  },
  city(stage) {
    drawBuildings(stage, {
      depth: 0.15,
      y: 0.02,
      low: 0.2,
      high: 0.56,
      width: 0.1,
      colours: [0x7a8ca4, 0x8a98ac],
      row: 1,
    });
    drawBuildings(stage, {
      depth: 0.32,
      y: 0.03,
      low: 0.14,
      high: 0.46,
      width: 0.14,
      colours: [0x64788e, 0x7c7f92, 0x8c8078],
      row: 2,
    });
    drawBuildings(stage, {
      depth: 0.55,
      y: 0.05,
      low: 0.1,
      high: 0.32,
      width: 0.19,
      colours: [0x56687c, 0x86705f, 0x6a6470],
      row: 3,
    });
    drawStreet(stage, 0.05);
  },
  street(stage) {
    drawBuildings(stage, {
      depth: 0.25,
      y: 0.02,
      low: 0.2,
      high: 0.46,
      width: 0.15,
      colours: [0x8494a6, 0x97888a],
      row: 1,
    });
    drawBuildings(stage, {
      depth: 0.6,
      y: 0.06,
      low: 0.24,
      high: 0.42,
      width: 0.3,
      colours: FRONTS,
      row: 2,
    });
    drawStreet(stage, 0.06);
  },
  village(stage) {
    drawRidge(stage, hill(stage, { depth: 0.15, height: 0.26, length: 0.8, row: 1 }));
    drawRidge(stage, hill(stage, { depth: 0.3, height: 0.14, length: 0.6, row: 2 }));
    drawGround(stage, {
      cover: stage.palette.snowy ? "snow" : "grass",
      colour: groundColour(stage, stage.palette.grass),
      from: 0.015,
    });
    drawCottages(stage);
    drawTrees(stage, {
      depth: 0.55,
      y: 0.06,
      height: 0.2,
      spacing: 0.42,
      share: 0.6,
      kind: "broadleaf",
      row: 1,
    });
  },
  room: drawRoom,
  sky(stage) {
    stage.layer(0.1, (view) => {
      const [, middle, low] = stage.palette.sky;
      stage.canvas.light = { ambient: 0xffffff, haze: 0, depth: 0 };
      stage.band(view, { y: -0.05, colour: low }, {
        y: stage.bottom,
        colour: mixColour(low, middle, 0.5),
      }, { alpha: 1 });
    });
    drawCloudSea(stage);
  },
  space: drawSpace,
  moon_surface: drawMoonGround,
  underwater: drawUnderwater,
};

const VILLAGE: readonly number[] = [0xe8d8bc, 0xd8a888, 0xc8d0d4, 0xe6c890];
const FRONTS: readonly number[] = [0xb86f54, 0xd6b07a, 0x8fa0a8, 0xc89a86, 0x9c8aa0];

function groundColour(stage: Stage, own: number): number {
  return stage.placeColour(stage.palette.snowy ? SNOW : own);
}

function forestFloor(stage: Stage): number {
  const { palette } = stage;
  return stage.placeColour(palette.snowy ? SNOW : mixColour(palette.grass, 0x4f5a34, 0.45));
}

function hill(
  stage: Stage,
  of: { depth: number; height: number; length: number; row: number },
): Parameters<typeof drawRidge>[1] {
  const { palette, scene } = stage;
  const far = mixColour(palette.grass, palette.snowy ? 0xc8d6e4 : 0x4f7f5c, 0.45);
  const colour = stage.placeColour(shadeColour(far, -0.05 * of.row), 0.6);
  return { ...of, seed: scene.seed + of.row * 57, base: 0.03, kind: "hill", colour };
}

function peaks(stage: Stage, depth: number, height: number): Parameters<typeof drawRidge>[1] {
  const colour = stage.scene.place === "mountains" ? stage.placeColour(0x5f6f88, 0.6) : 0x5f6f88;
  const snowLine = stage.palette.snowy ? 0.25 : 0.62;
  return {
    depth,
    seed: stage.scene.seed + 3,
    base: 0.04,
    height,
    length: 0.62,
    kind: "mountain",
    colour,
    snowLine,
  };
}

function drawMountains(stage: Stage, height: number): void {
  drawRidge(stage, {
    ...peaks(stage, 0.08, height * 0.95),
    seed: stage.scene.seed + 41,
    length: 0.45,
  });
  drawRidge(stage, peaks(stage, 0.22, height * 0.8));
}

/** Foam that comes up the sand and goes back. */
function drawSurf(stage: Stage, shore: number): void {
  const { canvas, moment } = stage;
  stage.layer(0.9, (view) => {
    for (let line = 0; line < 3; line++) {
      const beat = (moment.seconds * 0.22 + line / 3) % 1;
      const y = shore - 0.05 + 0.075 * Math.sin(beat * Math.PI);
      const points: number[] = [];
      for (let step = 0; step <= 40; step++) {
        const x = view.left + (view.right - view.left) * step / 40;
        points.push(
          x,
          y + Math.sin(x * 7 + line * 2) * 0.008 + Math.sin(x * 17 + beat * 4) * 0.003,
        );
      }
      canvas.path.polygon([...points, view.right, y - 0.012, view.left, y - 0.012]);
      canvas.fill({ colour: 0xffffff, alpha: 0.75 * Math.sin(beat * Math.PI) });
    }
  });
}

function drawIslandPalms(stage: Stage): void {
  for (const [at, height] of [[-0.22, 0.3], [0.02, 0.4], [0.17, 0.32]] as const) {
    stage.layer(0.6, () => {
      stage.canvas.within({ x: at, y: 0 }, () => drawOnePalm(stage, at, height));
    });
  }
}

function drawOnePalm(stage: Stage, at: number, height: number): void {
  const sway = Math.sin(stage.moment.seconds * 1.2 + at * 9) * 0.03;
  const { foliage, snowy } = stage.palette;
  stage.canvas.within({ scaleX: height }, () => {
    drawPalm(stage.canvas, {
      colour: mixColour(foliage[0]!, 0x4f9a48, 0.6),
      seed: stage.scene.seed + at * 100,
      snowy,
      sway,
    });
  });
}

function drawPier(stage: Stage): void {
  const { canvas } = stage;
  stage.layer(0.8, (view) => {
    const y = stage.ground * 0.42;
    for (let x = Math.floor(view.left / 0.12) * 0.12; x < -0.1; x += 0.12) {
      canvas.path.polygon([x, y, x + 0.014, y, x + 0.014, y + 0.09, x, y + 0.09]);
    }
    canvas.fill(0x4a382c);
    canvas.path.polygon([
      view.left,
      y - 0.012,
      -0.1,
      y - 0.012,
      -0.1,
      y + 0.012,
      view.left,
      y + 0.012,
    ]);
    canvas.fill({ colour: 0x9a7a5c, to: 0x6a503c, top: y - 0.012, bottom: y + 0.012 });
  });
}

/** A river that winds from the distance to the viewer. */
function drawRiver(stage: Stage): void {
  const { canvas, moment, palette, bottom } = stage;
  const water = mixColour(stage.placeColour(LAKE), palette.sky[2], 0.4);
  stage.layer(0.85, () => {
    const left: number[] = [];
    const right: number[] = [];
    for (let step = 0; step <= 24; step++) {
      const share = (step / 24) ** 1.5;
      const y = 0.02 + (bottom + 0.12) * share;
      const x = Math.sin(share * 4.6 + 0.6) * 0.26 * (1 - share * 0.75);
      const wide = 0.012 + 0.62 * share ** 1.1;
      left.push(x - wide, y);
      right.unshift(x + wide, y);
    }
    canvas.path.polygon([...left, ...right]);
    canvas.fill({ colour: water, to: shadeColour(water, -0.35), top: 0, bottom });
    for (let glint = 0; glint < 46; glint++) {
      const share = ((glint * 0.618 + moment.seconds * 0.06) % 1) ** 1.5;
      const y = 0.02 + (bottom + 0.12) * share;
      const x = Math.sin(share * 4.6 + 0.6) * 0.26 * (1 - share * 0.75) +
        Math.sin(glint * 7.1) * (0.01 + 0.5 * share);
      const wide = 0.008 + 0.06 * share;
      const thick = 0.001 + 0.005 * share;
      canvas.path.polygon([x - wide, y, x, y - thick, x + wide, y, x, y + thick]);
    }
    canvas.fill({ colour: shadeColour(water, 0.5), alpha: 0.5 });
  });
}

/** Rows of a field that run to the horizon. */
function drawFurrows(stage: Stage, colour: number): void {
  const { canvas, bottom } = stage;
  stage.layer(0.9, () => {
    for (let row = -14; row <= 14; row++) {
      const far = row * 0.045;
      const near = row * 0.42;
      canvas.path.polygon([
        far - 0.004,
        0.012,
        far + 0.004,
        0.012,
        near + 0.05,
        bottom + 0.1,
        near - 0.05,
        bottom + 0.1,
      ]);
    }
    canvas.fill({ colour: shadeColour(colour, -0.3), alpha: 0.34 });
  });
}

function drawCottages(stage: Stage): void {
  const { canvas, palette } = stage;
  stage.layer(0.5, (view) => {
    const cell = 0.26;
    for (let i = Math.floor(view.left / cell) - 1; i * cell < view.right + cell; i++) {
      const x = (i + 0.15) * cell;
      const y = 0.035 + 0.02 * Math.abs(Math.sin(i * 2.4));
      canvas.within({ x, y, scaleX: 0.15 + 0.03 * Math.sin(i * 5.1) }, () => {
        drawHouse({
          canvas,
          colour: VILLAGE[((i % 4) + 4) % 4]!,
          darkness: palette.darkness,
          snowy: palette.snowy,
        });
      });
    }
  });
}

function drawCloudSea(stage: Stage): void {
  const { canvas, palette, moment } = stage;
  for (let row = 0; row < 5; row++) {
    const y = stage.bottom * (0.1 + row * 0.2);
    stage.layer(0.2 + 0.2 * row, (view) => {
      canvas.light = { ambient: 0xffffff, haze: palette.sky[2], depth: 0.4 - 0.08 * row };
      const cell = 0.16 + 0.05 * row;
      const shift = moment.seconds * (0.01 + 0.006 * row);
      for (
        let i = Math.floor((view.left - shift) / cell) - 2;
        i * cell + shift < view.right + cell;
        i++
      ) {
        const r = cell * (0.6 + 0.3 * Math.sin(i * 3.7 + row));
        canvas.path.ellipse(i * cell + shift, y, r, r * 0.6);
      }
      canvas.path.polygon([
        view.left,
        y,
        view.right,
        y,
        view.right,
        view.bottom + 0.01,
        view.left,
        view.bottom + 0.01,
      ]);
      canvas.fill({
        colour: palette.cloud,
        to: mixColour(palette.cloud, palette.sky[1], 0.6),
        top: y - 0.1,
        bottom: y + 0.2,
      });
    });
  }
}
