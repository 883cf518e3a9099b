/**
 * Places on land, and those that are neither land nor water, back to front.
 *
 * @module
 */
import { mixColour } from "../canvas/colour.ts";
import type { Place } from "../scene.ts";
import type { Stage } from "../stage/stage.ts";
import { drawAbstract } from "./abstract.ts";
import { drawBuildings } from "./buildings.ts";
import { drawGround } from "./ground.ts";
import { drawCloudSea, drawCottages, drawFurrows } from "./land_details.ts";
import { drawLavaPeak } from "./landmarks.ts";
import { drawRidge } from "./ridges.ts";
import { drawKitchen, drawStudio, drawTabletop } from "./interiors.ts";
import { drawRoad } from "./road.ts";
import { drawRoom } from "./room.ts";
import { drawMoonGround, drawSpace } from "./space.ts";
import { drawStreet } from "./street.ts";
import { drawMountains, forestFloor, groundColour, hill, peaks, SNOW } from "./terrain.ts";
import { drawUnderwater } from "./underwater.ts";
import { drawTrees } from "./woods.ts";

const FRONTS: readonly number[] = [0xb86f54, 0xd6b07a, 0x8fa0a8, 0xc89a86, 0x9c8aa0];

/** The drawings of places without water. */
export const LANDS = {
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
        spacing: height * 0.42,
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
  bamboo(stage) {
    const tone = stage.palette.snowy ? 0x9fb4a4 : 0x86b25c;
    drawRidge(stage, {
      ...hill(stage, { depth: 0.1, height: 0.44, length: 0.5, row: 1 }),
      kind: "treetops",
      colour: tone,
    });
    for (const [row, depth, y, share] of [[1, 0.35, 0.01, 0.95], [2, 0.55, 0.04, 0.9]] as const) {
      drawTrees(stage, { depth, y, height: 0.95, spacing: 0.1, share, kind: "bamboo", row });
    }
    drawGround(stage, { cover: "grass", colour: forestFloor(stage), from: 0.035 });
    drawTrees(stage, {
      depth: 0.8,
      y: stage.ground * 0.5,
      height: 1.25,
      spacing: 0.17,
      share: 0.62,
      kind: "bamboo",
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
  road(stage) {
    drawMountains(stage, 0.3);
    drawRidge(stage, hill(stage, { depth: 0.25, height: 0.12, length: 0.7, row: 2 }));
    drawTrees(stage, {
      depth: 0.4,
      y: 0.015,
      height: 0.12,
      spacing: 0.12,
      share: 0.55,
      kind: "mixed",
      row: 1,
    });
    drawGround(stage, {
      cover: stage.palette.snowy ? "snow" : "grass",
      colour: stage.palette.snowy ? SNOW : stage.palette.grass,
      from: 0.012,
    });
    drawRoad(stage);
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
  kitchen: drawKitchen,
  tabletop: drawTabletop,
  studio: drawStudio,
  abstract: drawAbstract,
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
} satisfies Partial<Record<Place, (stage: Stage) => void>>;
