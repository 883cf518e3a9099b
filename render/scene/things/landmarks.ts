/**
 * Buildings that are subjects.
 *
 * @module
 */
import { shadeColour } from "../canvas/colour.ts";
import { drawHouse } from "./house.ts";
import { battlements, block, cone, flag, slits } from "./masonry.ts";
import { type DrawThing, isMoving, type Pen } from "./pen.ts";

/** The drawings of buildings. */
export const LANDMARKS: Readonly<Record<string, DrawThing>> = {
  house: drawHouse,
  castle: drawCastle,
  tower: drawTower,
  lighthouse: drawLighthouse,
  windmill: drawWindmill,
  bridge: drawBridge,
  church: drawChurch,
  temple: drawTemple,
  tent: drawTent,
  pyramid: drawPyramid,
  statue: drawStatue,
};

function drawCastle(pen: Pen): void {
  const { colour } = pen;
  block(pen, { x: 0, half: 0.16, top: -0.74, bottom: 0, colour: shadeColour(colour, -0.08) });
  battlements(pen, { x: 0, half: 0.17, y: -0.74, colour });
  block(pen, { x: 0, half: 0.5, top: -0.4, bottom: 0, colour });
  battlements(pen, { x: 0, half: 0.5, y: -0.4, colour });
  for (const x of [-0.5, 0.5]) {
    block(pen, { x, half: 0.12, top: -0.6, bottom: 0, colour: shadeColour(colour, 0.06) });
    battlements(pen, { x, half: 0.13, y: -0.6, colour });
    cone(pen, { x, half: 0.13, y: -0.62, height: 0.26, colour: 0x3f5f94 });
    flag(pen, { x, y: -0.86 });
  }
  cone(pen, { x: 0, half: 0.13, y: -0.76, height: 0.2, colour: 0x3f5f94 });
  flag(pen, { x: 0, y: -0.94 });
  slits(pen, [[-0.5, -0.42], [0.5, -0.42], [-0.26, -0.24], [0.26, -0.24], [0, -0.56]]);
  const { canvas } = pen;
  canvas.path.smooth([-0.1, 0, -0.1, -0.17, 0, -0.25, 0.1, -0.17, 0.1, 0], 5);
  canvas.fill(0x4a3528);
}

function drawTower(pen: Pen): void {
  const { colour } = pen;
  block(pen, { x: 0, half: 0.15, top: -0.72, bottom: 0, colour });
  block(pen, { x: 0, half: 0.19, top: -0.8, bottom: -0.7, colour: shadeColour(colour, 0.1) });
  battlements(pen, { x: 0, half: 0.19, y: -0.8, colour });
  cone(pen, { x: 0, half: 0.17, y: -0.82, height: 0.2, colour: 0x9a4438 });
  slits(pen, [[0, -0.58], [-0.05, -0.38], [0.05, -0.2]]);
}

function drawLighthouse(pen: Pen): void {
  const { canvas, colour, darkness } = pen;
  const turn = isMoving(pen) ? pen.seconds * 1.1 : 0.6;
  if (darkness > 0.15) {
    for (const side of [0, Math.PI]) {
      const reach = Math.cos(turn + side);
      // Ever shorter beams over each other: the light fades with the way.
      for (const length of [2.8, 2.2, 1.6, 1.1, 0.7]) {
        const beam = length * reach;
        const spread = (0.05 + 0.09 * Math.abs(reach)) * length;
        canvas.path.polygon([0, -0.91, beam, -0.91 - spread, beam, -0.91 + spread * 0.7]);
        canvas.fill({ colour: 0xfff2b8, alpha: 0.1 * darkness, shines: true });
      }
    }
  }
  canvas.path.smooth([-0.34, 0.01, -0.2, -0.07, 0.2, -0.07, 0.36, 0.01], 5);
  canvas.fill({ colour: 0x7a756c, to: 0x4f4b46, top: -0.07, bottom: 0 });
  for (let band = 0; band < 5; band++) {
    const from = band / 5;
    const to = (band + 1) / 5;
    const half = (share: number): number => 0.15 - 0.05 * share;
    const y = (share: number): number => -0.03 - 0.77 * share;
    const tone = band % 2 ? colour : 0xc8382e;
    canvas.path.polygon([
      -half(from),
      y(from),
      -half(to),
      y(to),
      half(to),
      y(to),
      half(from),
      y(from),
    ]);
    canvas.fill(tone);
  }
  canvas.path.polygon([0.05, -0.03, 0.03, -0.8, 0.1, -0.8, 0.15, -0.03]);
  canvas.fill({ colour: 0x201820, alpha: 0.28 });
  canvas.path.polygon([-0.14, -0.8, 0.14, -0.8, 0.14, -0.835, -0.14, -0.835]);
  canvas.fill(0x34383e);
  canvas.path.polygon([-0.075, -0.835, 0.075, -0.835, 0.075, -0.955, -0.075, -0.955]);
  canvas.fill({ colour: darkness > 0.15 ? 0xfff2b8 : 0xbfe0ec, shines: darkness > 0.15 });
  cone(pen, { x: 0, half: 0.1, y: -0.95, height: 0.1, colour: 0xb0302a });
  if (darkness > 0.15) canvas.glow(0, -0.9, 0.34, { colour: 0xffeaa0, alpha: 0.9 * darkness });
  slits(pen, [[0, -0.56], [0, -0.28]]);
}

function drawWindmill(pen: Pen): void {
  const { canvas, colour } = pen;
  canvas.path.polygon([-0.22, 0, -0.13, -0.62, 0.13, -0.62, 0.22, 0]);
  canvas.fill({
    colour: shadeColour(colour, 0.1),
    to: shadeColour(colour, -0.2),
    top: -0.62,
    bottom: 0,
  });
  canvas.path.polygon([0.07, 0, 0.04, -0.62, 0.13, -0.62, 0.22, 0]);
  canvas.fill({ colour: shadeColour(colour, -0.5), alpha: 0.35 });
  cone(pen, { x: 0, half: 0.17, y: -0.6, height: 0.18, colour: 0x8a4434 });
  canvas.path.polygon([-0.06, 0, -0.06, -0.16, 0.06, -0.16, 0.06, 0]);
  canvas.fill(0x5a3f2c);
  slits(pen, [[0, -0.36]]);
  const turn = isMoving(pen) ? pen.seconds * 1.3 : 0.4;
  canvas.within({ x: 0, y: -0.64 }, () => {
    for (let sail = 0; sail < 4; sail++) {
      canvas.within({ turn: turn + sail * Math.PI / 2 }, () => {
        canvas.path.polygon([-0.012, 0, -0.008, -0.46, 0.008, -0.46, 0.012, 0]);
        canvas.fill(0x5a4030);
        canvas.path.polygon([0.012, -0.1, 0.1, -0.12, 0.1, -0.45, 0.012, -0.45]);
        canvas.fill({ colour: 0xf8f2e4, alpha: 0.94 });
        for (const y of [-0.2, -0.29, -0.38]) {
          canvas.path.polygon([0.012, y, 0.1, y, 0.1, y + 0.01, 0.012, y + 0.01]);
        }
        canvas.fill(0xa08468);
      });
    }
    canvas.path.ellipse(0, 0, 0.035, 0.035);
    canvas.fill(0x4a3528);
  });
}

function drawBridge(pen: Pen): void {
  const { canvas, colour } = pen;
  for (const side of [-1, 1]) {
    const x = side * 0.85;
    const cable: number[] = [];
    for (let step = 0; step <= 20; step++) {
      const share = step / 20;
      const at = -0.85 + 1.7 * share;
      cable.push(at, -0.94 + 0.56 * (1 - (2 * share - 1) ** 2));
    }
    for (let i = 0; side < 0 && i + 3 < cable.length; i += 2) {
      canvas.path.limb([cable[i]!, cable[i + 1]!, 0.03], [cable[i + 2]!, cable[i + 3]!, 0.03]);
      canvas.path.limb([cable[i]!, cable[i + 1]!, 0.012], [cable[i]!, -0.3, 0.012]);
    }
    canvas.path.limb([x, -0.94, 0.03], [side * 1.75, -0.3, 0.03]);
    canvas.fill(shadeColour(colour, -0.1));
  }
  for (const x of [-0.85, 0.85]) {
    block(pen, { x, half: 0.06, top: -1, bottom: 0.03, colour });
    canvas.path.polygon([x - 0.1, -0.66, x + 0.1, -0.66, x + 0.1, -0.61, x - 0.1, -0.61]);
    canvas.fill(shadeColour(colour, -0.15));
  }
  canvas.path.polygon([-1.9, -0.34, 1.9, -0.34, 1.9, -0.22, -1.9, -0.22]);
  canvas.fill({
    colour: shadeColour(colour, 0.1),
    to: shadeColour(colour, -0.4),
    top: -0.34,
    bottom: -0.22,
  });
  if (pen.darkness > 0.15) {
    for (let light = -6; light <= 6; light++) {
      canvas.path.ellipse(light * 0.27, -0.37, 0.022, 0.022);
    }
    canvas.fill({ colour: 0xffe2a0, shines: true });
  }
}

function drawChurch(pen: Pen): void {
  const { canvas, colour } = pen;
  const roof = pen.snowy ? 0xf0f5fa : 0x5f5048;
  block(pen, { x: 0.14, half: 0.3, top: -0.36, bottom: 0, colour });
  canvas.path.polygon([-0.2, -0.34, -0.08, -0.56, 0.36, -0.56, 0.48, -0.34]);
  canvas.fill({
    colour: shadeColour(roof, 0.1),
    to: shadeColour(roof, -0.2),
    top: -0.56,
    bottom: -0.34,
  });
  block(pen, { x: -0.24, half: 0.12, top: -0.6, bottom: 0, colour: shadeColour(colour, 0.05) });
  cone(pen, { x: -0.24, half: 0.14, y: -0.59, height: 0.34, colour: 0x5f5048 });
  canvas.path.polygon([-0.247, -0.9, -0.247, -1.02, -0.233, -1.02, -0.233, -0.9]);
  canvas.path.polygon([-0.275, -0.985, -0.205, -0.985, -0.205, -0.97, -0.275, -0.97]);
  canvas.fill(0xd8b04a);
  slits(pen, [[-0.24, -0.48], [0, -0.18], [0.14, -0.18], [0.28, -0.18]]);
  canvas.path.smooth([-0.3, 0, -0.3, -0.13, -0.24, -0.19, -0.18, -0.13, -0.18, 0], 4);
  canvas.fill(0x5a3f2c);
}

function drawTemple(pen: Pen): void {
  const { canvas, colour } = pen;
  for (let floor = 0; floor < 4; floor++) {
    const y = -floor * 0.23;
    const half = 0.3 - floor * 0.05;
    block(pen, { x: 0, half, top: y - 0.19, bottom: y, colour });
    slits(
      pen,
      floor === 0
        ? [[-0.18, -0.08], [0.18, -0.08]]
        : [[-half * 0.5, y - 0.07], [half * 0.5, y - 0.07]],
    );
    const eave = half + 0.13;
    const roof = pen.snowy ? 0xeef4fa : 0x3a4650;
    canvas.path.smooth([
      -eave - 0.03,
      y - 0.2,
      -half * 0.6,
      y - 0.23,
      -half * 0.4,
      y - 0.29,
      half * 0.4,
      y - 0.29,
      half * 0.6,
      y - 0.23,
      eave + 0.03,
      y - 0.2,
      eave,
      y - 0.165,
      0,
      y - 0.175,
      -eave,
      y - 0.165,
    ], 5);
    canvas.fill({
      colour: shadeColour(roof, 0.12),
      to: shadeColour(roof, -0.3),
      top: y - 0.29,
      bottom: y - 0.16,
    });
  }
  canvas.path.limb([0, -0.96, 0.03], [0, -1.1, 0.01]);
  canvas.fill(0xe0b040);
  canvas.path.polygon([-0.06, 0, -0.06, -0.13, 0.06, -0.13, 0.06, 0]);
  canvas.fill(0x3a2420);
}

function drawTent(pen: Pen): void {
  const { canvas, colour, darkness } = pen;
  if (darkness > 0.15) canvas.glow(0, -0.4, 1.3, { colour: 0xffb860, alpha: 0.5 * darkness });
  canvas.path.polygon([-0.85, 0, -0.1, -1, 0.2, -1.0, 0.95, -0.06, 0.62, 0]);
  canvas.fill({
    colour: shadeColour(colour, -0.08),
    to: shadeColour(colour, -0.36),
    top: -1,
    bottom: 0,
  });
  canvas.path.polygon([-0.85, 0, -0.1, -1, 0.62, 0]);
  canvas.fill({
    colour: shadeColour(colour, 0.2),
    to: shadeColour(colour, -0.1),
    top: -1,
    bottom: 0,
  });
  canvas.path.polygon([-0.34, 0, -0.1, -0.72, 0.16, 0]);
  canvas.fill({ colour: darkness > 0.15 ? 0xffd27a : 0x4a3a34, shines: darkness > 0.15 });
}

function drawPyramid(pen: Pen): void {
  const { canvas, colour } = pen;
  canvas.path.polygon([-0.9, 0, 0, -1, 0.9, 0]);
  canvas.fill({ colour: shadeColour(colour, 0.16), to: colour, top: -1, bottom: 0 });
  canvas.path.polygon([0.3, 0.02, 0, -1, 0.9, 0]);
  canvas.fill({ colour: shadeColour(colour, -0.36) });
  for (let course = 1; course < 12; course++) {
    const share = course / 12;
    canvas.path.polygon([
      -0.9 * share,
      -1 + share,
      0.3 * share,
      -1 + share * 1.02,
      0.3 * share,
      -0.992 + share * 1.02,
      -0.9 * share,
      -0.992 + share,
    ]);
  }
  canvas.fill({ colour: shadeColour(colour, -0.35), alpha: 0.35 });
}

function drawStatue(pen: Pen): void {
  const { canvas, colour } = pen;
  block(pen, { x: 0, half: 0.24, top: -0.2, bottom: 0, colour: 0x8a8680 });
  block(pen, { x: 0, half: 0.18, top: -0.28, bottom: -0.2, colour: 0x9a968e });
  canvas.path.smooth([
    -0.13,
    -0.28,
    -0.1,
    -0.55,
    -0.11,
    -0.74,
    0,
    -0.79,
    0.11,
    -0.74,
    0.1,
    -0.55,
    0.14,
    -0.28,
  ], 5);
  canvas.path.limb([0.09, -0.72, 0.07], [0.17, -0.92, 0.05]);
  canvas.path.limb([-0.09, -0.72, 0.07], [-0.14, -0.5, 0.05]);
  canvas.path.ellipse(0, -0.86, 0.07, 0.08);
  canvas.fill({
    colour: shadeColour(colour, 0.2),
    to: shadeColour(colour, -0.3),
    top: -0.95,
    bottom: -0.28,
  });
  canvas.path.smooth([0.14, -0.93, 0.17, -1.05, 0.2, -0.93]);
  canvas.fill({ colour: 0xffc84a, shines: true });
}
