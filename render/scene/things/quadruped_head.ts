/**
 * Heads of four-legged animals: snout, ears, horns and mane.
 *
 * @module
 */
import { shadeColour } from "../canvas/colour.ts";
import type { Pen } from "./pen.ts";
import type { Build, Joint } from "./quadruped_build.ts";

/** Draws the head at the end of the neck. */
export function drawHead(
  pen: Pen,
  build: Build,
  head: { readonly at: Joint; readonly neckFoot: Joint },
): void {
  const { canvas } = pen;
  if (build.mane !== undefined) drawMane(pen, build, head);
  canvas.within({ ...head.at, scaleX: build.head }, () => {
    drawEars(pen, build, -0.06);
    drawSkull(pen, build);
    drawEars(pen, build, 0);
    drawHorns(pen, build);
    const asleep = pen.motion === "sleep";
    if (build.marks === "panda") {
      canvas.path.ellipse(0.3, -0.1, 0.17, 0.2, 0.4);
      canvas.fill(0x2a2a2e);
    }
    if (asleep) canvas.path.limb([0.2, -0.06, 0.05], [0.36, -0.04, 0.05]);
    else canvas.path.ellipse(0.28, -0.1, 0.075, 0.085);
    canvas.fill(0x17130f);
    if (asleep) return;
    canvas.path.ellipse(0.3, -0.125, 0.025, 0.025);
    canvas.fill({ colour: 0xffffff, shines: true });
  });
}

function drawSkull(pen: Pen, build: Build): void {
  const { canvas } = pen;
  const colour = build.marks === "wool" ? 0x3a3432 : pen.colour;
  const reach = 0.4 + build.snout;
  canvas.path.smooth([
    -0.42,
    -0.05,
    -0.22,
    -0.4,
    0.18,
    -0.4,
    0.42,
    -0.2,
    reach,
    0.02,
    reach + 0.06,
    0.16,
    reach - 0.06,
    0.26,
    0.3,
    0.34,
    -0.15,
    0.36,
    -0.4,
    0.2,
  ]);
  canvas.fill({
    colour: shadeColour(colour, 0.16),
    to: shadeColour(colour, -0.2),
    top: -0.4,
    bottom: 0.4,
  });
  if (build.belly !== undefined && build.marks !== "wool") {
    canvas.path.smooth([
      reach - 0.05,
      0.14,
      reach - 0.08,
      0.25,
      0.3,
      0.34,
      -0.15,
      0.36,
      -0.3,
      0.24,
      0.05,
      0.18,
      0.3,
      0.1,
    ]);
    canvas.fill(build.belly);
  }
  canvas.path.ellipse(reach + 0.01, 0.06, 0.085, 0.075);
  canvas.fill(0x1d1816);
}

function drawEars(pen: Pen, build: Build, behind: number): void {
  const { canvas } = pen;
  const dark = build.marks === "panda"
    ? 0x2a2a2e
    : shadeColour(pen.colour, behind < 0 ? -0.4 : -0.1);
  const x = -0.12 + (behind < 0 ? 0.24 : 0);
  const twitch = Math.max(0, Math.sin(pen.seconds * 2.7 + pen.seed)) ** 12 * 0.25;
  canvas.within({ x, y: -0.3, turn: pen.motion === "still" ? 0 : -twitch }, () => {
    switch (build.ears) {
      case "pointed":
        canvas.path.polygon([-0.16, 0.08, -0.1, -0.44, 0.19, 0.02]);
        canvas.fill(dark);
        canvas.path.polygon([-0.07, 0.02, -0.06, -0.28, 0.1, 0]);
        return canvas.fill({ colour: 0x3a2420, alpha: 0.55 });
      case "round":
        canvas.path.ellipse(0, -0.1, 0.18, 0.18);
        return canvas.fill(dark);
      case "long":
        canvas.path.smooth([-0.12, 0.05, -0.3, -0.7, -0.22, -1.3, 0.02, -0.8, 0.12, 0]);
        canvas.fill(dark);
        canvas.path.smooth([-0.05, -0.1, -0.2, -0.7, -0.18, -1.1, -0.02, -0.7]);
        return canvas.fill({ colour: 0xe8a8a4, alpha: 0.8 });
      case "floppy":
        if (behind < 0) return;
        canvas.path.smooth([-0.1, -0.06, -0.3, 0.12, -0.34, 0.48, -0.14, 0.5, 0.02, 0.2, 0.06, 0]);
        return canvas.fill(shadeColour(pen.colour, -0.34));
      case "huge":
        if (behind < 0) return;
        canvas.path.smooth([
          0.06,
          -0.12,
          -0.42,
          -0.3,
          -0.78,
          0.12,
          -0.6,
          0.7,
          -0.2,
          0.72,
          0.06,
          0.3,
        ]);
        return canvas.fill({
          colour: shadeColour(pen.colour, 0.02),
          to: shadeColour(pen.colour, -0.36),
          top: -0.2,
          bottom: 0.7,
        });
    }
  });
}

function drawHorns(pen: Pen, build: Build): void {
  const { canvas } = pen;
  switch (build.horns) {
    case "antlers":
      for (const side of [-0.14, 0.1]) {
        canvas.path.limb([side, -0.34, 0.08], [side - 0.24, -0.9, 0.06]);
        canvas.path.limb([side - 0.24, -0.9, 0.06], [side - 0.06, -1.4, 0.03]);
        canvas.path.limb([side - 0.16, -0.7, 0.06], [side + 0.22, -1.0, 0.03]);
        canvas.path.limb([side - 0.22, -1.0, 0.05], [side - 0.5, -1.24, 0.03]);
      }
      return canvas.fill(0xcdb48c);
    case "horns":
      canvas.path.smooth([-0.1, -0.34, 0.0, -0.62, 0.2, -0.7, 0.1, -0.54, 0.04, -0.34]);
      return canvas.fill(0xe8dcc0);
    case "unicorn":
      canvas.path.polygon([0.06, -0.36, 0.36, -1.15, 0.24, -0.3]);
      return canvas.fill({ colour: 0xfff0b8, to: 0xe0ac3c, top: -1.1, bottom: -0.3 });
    case "ossicones":
      canvas.path.limb([-0.02, -0.34, 0.1], [-0.1, -0.72, 0.1]);
      return canvas.fill(0x8a5a2c);
    case "trunk": {
      const swing = Math.sin(pen.seconds * 1.4) * (pen.motion === "still" ? 0 : 0.12);
      let [x, y] = [0.42, 0.1];
      for (let part = 1; part <= 8; part++) {
        const share = part / 8;
        const nextX = 0.42 + 0.26 * Math.sin(share * 2) + swing * share + (share > 0.75 ? 0.08 : 0);
        const nextY = 0.1 + 1.25 * share;
        canvas.path.limb([x, y, 0.36 - 0.2 * share], [nextX, nextY, 0.34 - 0.2 * share]);
        [x, y] = [nextX, nextY];
      }
      canvas.fill({
        colour: shadeColour(pen.colour, 0.04),
        to: shadeColour(pen.colour, -0.3),
        top: 0,
        bottom: 1.3,
      });
      canvas.path.smooth([0.36, 0.26, 0.62, 0.5, 0.86, 0.4, 0.66, 0.56, 0.4, 0.44]);
      return canvas.fill(0xf6f0de);
    }
    case undefined:
  }
}

function drawMane(
  pen: Pen,
  build: Build,
  head: { readonly at: Joint; readonly neckFoot: Joint },
): void {
  const { canvas } = pen;
  const { at, neckFoot } = head;
  const mane = build.mane!;
  if (build.tail === "tuft" && build.ears === "round") {
    for (let lock = 0; lock < 14; lock++) {
      const angle = lock / 14 * Math.PI * 2;
      const wave = Math.sin(pen.seconds * 3 + lock) * 0.008;
      canvas.path.ellipse(
        at.x - 0.04 + Math.cos(angle) * (build.head * 0.62 + wave),
        at.y + 0.03 + Math.sin(angle) * (build.head * 0.66 + wave),
        0.085,
        0.085,
      );
    }
    canvas.path.ellipse(at.x - 0.03, at.y + 0.02, build.head * 0.7, build.head * 0.72);
    return canvas.fill({
      colour: mane,
      to: shadeColour(mane, -0.35),
      top: at.y - 0.2,
      bottom: at.y + 0.25,
    });
  }
  const streams = pen.motion === "run" ? 0.09 : 0.02;
  const wave = Math.sin(pen.seconds * 6) * (pen.motion === "still" ? 0 : 0.012);
  canvas.path.smooth([
    at.x + 0.02,
    at.y - build.head * 0.5,
    at.x - 0.1 - streams,
    at.y - build.head * 0.2 + wave,
    (at.x + neckFoot.x) / 2 - 0.12 - streams,
    (at.y + neckFoot.y) / 2 - wave,
    neckFoot.x - 0.14 - streams,
    neckFoot.y - 0.03,
    neckFoot.x - 0.02,
    neckFoot.y,
    at.x,
    at.y,
  ]);
  canvas.fill(mane);
}
