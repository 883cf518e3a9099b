/**
 * Places by, on and in the water, back to front.
 *
 * @module
 */
import { shadeColour } from "../canvas/colour.ts";
import type { Place } from "../scene.ts";
import type { Stage } from "../stage/stage.ts";
import { drawBuildings } from "./buildings.ts";
import { drawGround } from "./ground.ts";
import { drawWaterfall } from "./landmarks.ts";
import { drawPond } from "./pond.ts";
import { drawRidge } from "./ridges.ts";
import { drawIslandPalms, drawPier, drawRiver, drawSurf, LAKE } from "./shores.ts";
import { drawMountains, groundColour, hill, VILLAGE } from "./terrain.ts";
import { drawWater, OPEN_SEA } from "./water.ts";
import { traitsOf } from "../thing_traits.ts";
import { drawTrees } from "./woods.ts";

const SAND = 0xe6cf98;

/** The drawings of places with water. */
export const WATERSIDES = {
  sea(stage) {
    drawWater(stage, { from: 0, to: stage.bottom, colour: OPEN_SEA, roughness: 0.9 });
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
    drawWater(stage, { from: 0.015, to: stage.bottom, colour: OPEN_SEA, roughness: 0.45 });
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
      kind: stage.scene.season === "summer" ? "conifer" : "mixed",
      row: 1,
    });
    const { bottom, ground, scene } = stage;
    // Who does not swim stands on the near bank.
    const banked = scene.subjects.some(({ thing, on }) =>
      on === undefined && traitsOf(thing).station === "ground"
    );
    const shore = banked ? ground * 0.66 : bottom;
    drawWater(stage, { from: 0.012, to: shore, colour: LAKE, roughness: 0.28 });
    if (banked) {
      const grass = groundColour(stage, stage.palette.grass);
      drawGround(stage, { cover: "grass", colour: grass, from: shore });
    }
  },
  pond(stage) {
    drawTrees(stage, {
      depth: 0.35,
      y: -0.02,
      height: 0.26,
      spacing: 0.13,
      share: 0.9,
      kind: "broadleaf",
      row: 1,
    });
    const grass = groundColour(stage, stage.palette.grass);
    drawGround(stage, { cover: "grass", colour: grass, from: -0.03 });
    drawPond(stage);
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
  waterfall(stage) {
    drawRidge(stage, {
      ...hill(stage, { depth: 0.15, height: 0.5, length: 0.5, row: 1 }),
      kind: "treetops",
      colour: 0x4a7f52,
    });
    drawWaterfall(stage);
    drawWater(stage, { from: 0.06, to: stage.bottom, colour: LAKE, roughness: 0.5 });
  },
} satisfies Partial<Record<Place, (stage: Stage) => void>>;
