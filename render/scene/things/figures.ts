/**
 * What has the shape of a person: astronaut, robot, snowman.
 *
 * @module
 */
import { shadeColour } from "../canvas/colour.ts";
import { drawLimb, stanceOf } from "./limbs.ts";
import type { DrawThing, Pen } from "./pen.ts";

/** The drawings of such figures. */
export const FIGURES: Readonly<Record<string, DrawThing>> = {
  astronaut: drawAstronaut,
  robot: drawRobot,
  snowman: drawSnowman,
};

function drawAstronaut(pen: Pen): void {
  const { canvas, colour } = pen;
  const pose = stanceOf(pen);
  const grey = shadeColour(colour, -0.3);
  canvas.within({
    y: -pose.bob,
    turn: pose.lean + Math.sin(pen.seconds * 0.8) * (pen.motion === "still" ? 0 : 0.03),
  }, () => {
    canvas.path.smooth([-0.26, -0.78, -0.1, -0.8, -0.1, -0.36, -0.26, -0.38]);
    canvas.fill(shadeColour(colour, -0.42));
    drawLimb(pen, {
      x: -0.07,
      y: -0.4,
      turn: -pose.swing,
      reach: 0.36,
      width: 0.16,
      colour: grey,
      end: 0x6a7078,
      leg: true,
    });
    drawLimb(pen, {
      x: 0.07,
      y: -0.4,
      turn: pose.swing,
      reach: 0.36,
      width: 0.16,
      colour,
      end: 0x7a8088,
      leg: true,
    });
    canvas.path.smooth([
      -0.17,
      -0.74,
      0.17,
      -0.74,
      0.19,
      -0.5,
      0.16,
      -0.34,
      -0.16,
      -0.34,
      -0.19,
      -0.5,
    ]);
    canvas.fill({ colour, to: grey, top: -0.75, bottom: -0.3 });
    canvas.path.polygon([-0.08, -0.6, 0.1, -0.6, 0.1, -0.47, -0.08, -0.47]);
    canvas.fill(0x4f6a8a);
    canvas.path.ellipse(-0.03, -0.53, 0.018, 0.018);
    canvas.fill(0xe0503c);
    drawLimb(pen, {
      x: -0.15,
      y: -0.68,
      turn: pose.arms[0] - 0.25,
      reach: 0.34,
      width: 0.13,
      colour: grey,
      end: 0x8a9098,
    });
    drawLimb(pen, {
      x: 0.15,
      y: -0.68,
      turn: pose.arms[1] + 0.35,
      reach: 0.34,
      width: 0.13,
      colour,
      end: 0x9aa0a8,
    });
    canvas.path.ellipse(0, -0.86, 0.18, 0.17);
    canvas.fill({ colour: shadeColour(colour, 0.2), to: grey, top: -1, bottom: -0.7 });
    canvas.path.ellipse(0.03, -0.86, 0.13, 0.115);
    canvas.fill({ colour: 0x2a3f66, to: 0xd89a3c, top: -0.96, bottom: -0.76 });
    canvas.path.ellipse(-0.02, -0.9, 0.04, 0.025, -0.5);
    canvas.fill({ colour: 0xffffff, alpha: 0.8 });
  });
}

function drawRobot(pen: Pen): void {
  const { canvas, colour } = pen;
  const pose = stanceOf(pen);
  const dark = shadeColour(colour, -0.45);
  canvas.within({ y: -pose.bob, turn: pose.lean * 0.5 }, () => {
    drawLimb(pen, {
      x: -0.1,
      y: -0.36,
      turn: -pose.swing,
      reach: 0.34,
      width: 0.12,
      colour: dark,
      end: 0x3a4048,
      leg: true,
    });
    drawLimb(pen, {
      x: 0.1,
      y: -0.36,
      turn: pose.swing,
      reach: 0.34,
      width: 0.12,
      colour: dark,
      end: 0x3a4048,
      leg: true,
    });
    drawLimb(pen, {
      x: -0.23,
      y: -0.62,
      turn: pose.arms[0] - 0.2,
      reach: 0.34,
      width: 0.1,
      colour: dark,
      end: 0x3a4048,
    });
    canvas.path.polygon([-0.23, -0.68, 0.23, -0.68, 0.2, -0.32, -0.2, -0.32]);
    canvas.fill({
      colour: shadeColour(colour, 0.2),
      to: shadeColour(colour, -0.22),
      top: -0.68,
      bottom: -0.3,
    });
    canvas.path.polygon([-0.13, -0.62, 0.13, -0.62, 0.13, -0.45, -0.13, -0.45]);
    canvas.fill(0x22303c);
    for (let light = 0; light < 3; light++) {
      const on = Math.sin(pen.seconds * 5 + light * 2) > 0 || pen.motion === "still";
      canvas.path.ellipse(-0.08 + light * 0.08, -0.535, 0.026, 0.026);
      canvas.fill({
        colour: [0xf05a4a, 0xf2c83a, 0x5ae08a][light]!,
        alpha: on ? 1 : 0.35,
        shines: on,
      });
    }
    canvas.path.polygon([-0.17, -0.96, 0.17, -0.96, 0.19, -0.73, -0.19, -0.73]);
    canvas.fill({ colour: shadeColour(colour, 0.3), to: colour, top: -0.96, bottom: -0.73 });
    canvas.path.limb([0, -0.96, 0.02], [0, -1.04, 0.02]);
    canvas.fill(dark);
    canvas.path.ellipse(0, -1.06, 0.032, 0.032);
    canvas.fill({ colour: 0xf05a4a, shines: true });
    for (const side of [-0.075, 0.085]) {
      canvas.path.ellipse(side, -0.86, 0.05, 0.05);
      canvas.fill({ colour: 0x8af4ff, shines: true });
      canvas.path.ellipse(side + 0.01, -0.86, 0.022, 0.022);
      canvas.fill(0x14303c);
    }
    canvas.path.polygon([-0.09, -0.79, 0.1, -0.79, 0.1, -0.765, -0.09, -0.765]);
    canvas.fill(0x2a343c);
    drawLimb(pen, {
      x: 0.23,
      y: -0.62,
      turn: pose.arms[1] + 0.2,
      reach: 0.34,
      width: 0.1,
      colour: shadeColour(colour, -0.25),
      end: 0x3a4048,
    });
  });
}

function drawSnowman(pen: Pen): void {
  const { canvas, colour } = pen;
  const sway = pen.motion === "idle" || pen.motion === "still"
    ? 0
    : Math.sin(pen.seconds * 4) * 0.07;
  canvas.within({ turn: sway }, () => {
    canvas.path.limb([-0.18, -0.52, 0.025], [-0.42, -0.72, 0.018]);
    canvas.path.limb([0.18, -0.52, 0.025], [0.42, -0.7, 0.018]);
    canvas.fill(0x5a3f2c);
    for (const [y, r] of [[-0.22, 0.27], [-0.55, 0.2], [-0.81, 0.145]] as const) {
      canvas.path.ellipse(0, y, r, r * 0.95);
      canvas.fill({
        colour: shadeColour(colour, 0.2),
        to: shadeColour(colour, -0.2),
        top: y - r,
        bottom: y + r,
      });
    }
    canvas.path.polygon([-0.13, -0.72, 0.14, -0.72, 0.14, -0.665, -0.13, -0.665]);
    canvas.path.polygon([0.06, -0.68, 0.13, -0.68, 0.14, -0.46, 0.07, -0.46]);
    canvas.fill(0xcc3340);
    canvas.path.polygon([-0.17, -0.93, 0.17, -0.93, 0.17, -0.9, -0.17, -0.9]);
    canvas.path.polygon([-0.11, -1.1, 0.11, -1.1, 0.11, -0.92, -0.11, -0.92]);
    for (
      const [x, y] of [[-0.04, -0.84], [0.07, -0.84], [0.01, -0.6], [0.01, -0.5], [
        0.01,
        -0.4,
      ]] as const
    ) canvas.path.ellipse(x, y, 0.019, 0.02);
    canvas.fill(0x26242a);
    canvas.path.polygon([0.01, -0.81, 0.18, -0.78, 0.01, -0.765]);
    canvas.fill(0xf08a2c);
  });
}
