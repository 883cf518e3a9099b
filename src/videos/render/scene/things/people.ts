/**
 * People, and what has their shape: astronaut, robot, snowman.
 *
 * @module
 */
import { mixColour, shadeColour } from "../canvas/colour.ts";
import type { DrawThing, Pen } from "./pen.ts";

const SKINS: readonly number[] = [0xe8b890, 0xc68a5e, 0x8d5a3a, 0xf0c8a4];
const HAIRS: readonly number[] = [0x3a2618, 0x18141a, 0x8a5a2c, 0x6a3a22];

/** The drawings of people. */
export const PEOPLE: Readonly<Record<string, DrawThing>> = {
  person: (pen) => drawPerson(pen, { dress: false, head: 0.082, hair: "short" }),
  woman: (pen) => drawPerson(pen, { dress: true, head: 0.08, hair: "long" }),
  child: (pen) => drawPerson(pen, { dress: false, head: 0.115, hair: "short" }),
  astronaut: drawAstronaut,
  robot: drawRobot,
  snowman: drawSnowman,
};

interface Pose {
  readonly swing: number;
  readonly arms: readonly [number, number];
  readonly bob: number;
  readonly lean: number;
}

function poseOf(pen: Pen): Pose {
  const { seconds } = pen;
  switch (pen.motion) {
    case "run":
      return {
        swing: Math.sin(seconds * 9) * 0.85,
        arms: [Math.sin(seconds * 9) * 1.1, -Math.sin(seconds * 9) * 1.1],
        bob: Math.abs(Math.cos(seconds * 9)) * 0.04,
        lean: 0.16,
      };
    case "walk":
      return {
        swing: Math.sin(seconds * 5) * 0.45,
        arms: [Math.sin(seconds * 5) * 0.5, -Math.sin(seconds * 5) * 0.5],
        bob: Math.abs(Math.cos(seconds * 5)) * 0.015,
        lean: 0.04,
      };
    case "dance":
      return {
        swing: Math.sin(seconds * 5) * 0.4,
        arms: [2.3 + Math.sin(seconds * 5) * 0.6, -2.3 + Math.cos(seconds * 5) * 0.6],
        bob: Math.abs(Math.sin(seconds * 5)) * 0.06,
        lean: Math.sin(seconds * 2.5) * 0.14,
      };
    case "wave":
      return { swing: 0.08, arms: [-0.15, 2.6 + Math.sin(seconds * 8) * 0.35], bob: 0, lean: 0 };
    case "jump":
      return { swing: 0.3, arms: [2.2, -2.2], bob: 0, lean: 0 };
    case "still":
    case "sleep":
      return { swing: 0.1, arms: [-0.12, 0.12], bob: 0, lean: 0 };
    default:
      return {
        swing: 0.1,
        arms: [-0.14 + Math.sin(seconds * 1.4) * 0.05, 0.14],
        bob: Math.sin(seconds * 1.8) * 0.004,
        lean: 0,
      };
  }
}

function drawPerson(
  pen: Pen,
  look: { dress: boolean; head: number; hair: "short" | "long" },
): void {
  const { canvas, colour } = pen;
  const pose = poseOf(pen);
  const skin = SKINS[pen.seed % SKINS.length]!;
  const hair = HAIRS[(pen.seed >> 2) % HAIRS.length]!;
  const trousers = look.dress ? shadeColour(skin, -0.1) : mixColour(0x37415a, colour, 0.12);
  canvas.within({ y: -pose.bob, turn: pose.lean }, () => {
    drawLimb(pen, {
      x: -0.01,
      y: -0.7,
      turn: pose.arms[0],
      reach: 0.36,
      width: 0.07,
      colour: shadeColour(colour, -0.35),
      end: shadeColour(skin, -0.2),
    });
    drawLimb(pen, {
      x: -0.015,
      y: -0.44,
      turn: -pose.swing,
      reach: 0.43,
      width: 0.1,
      colour: shadeColour(trousers, -0.25),
      end: 0x2a2224,
      leg: true,
    });
    drawLimb(pen, {
      x: 0.015,
      y: -0.44,
      turn: pose.swing,
      reach: 0.43,
      width: 0.1,
      colour: trousers,
      end: 0x33282a,
      leg: true,
    });
    if (look.dress) {
      const flow = Math.sin(pen.seconds * 3) * 0.02;
      canvas.path.smooth([
        -0.075,
        -0.76,
        0.075,
        -0.76,
        0.08,
        -0.55,
        0.21 + flow,
        -0.2,
        0,
        -0.17,
        -0.21 + flow,
        -0.2,
        -0.08,
        -0.55,
      ]);
    } else {canvas.path.smooth([
        -0.1,
        -0.75,
        0,
        -0.78,
        0.1,
        -0.75,
        0.1,
        -0.55,
        0.09,
        -0.4,
        -0.09,
        -0.4,
        -0.1,
        -0.55,
      ]);}
    canvas.fill({
      colour: shadeColour(colour, 0.14),
      to: shadeColour(colour, -0.18),
      top: -0.78,
      bottom: -0.3,
    });
    const y = -0.8 - look.head;
    if (look.hair === "long") {
      canvas.path.smooth([
        -look.head * 0.9,
        y - look.head * 0.6,
        -look.head * 1.25,
        y + look.head,
        -look.head * 1.3,
        y + look.head * 2.2,
        -look.head * 0.3,
        y + look.head * 1.8,
        0.02,
        y,
      ]);
      canvas.fill(shadeColour(hair, -0.15));
    }
    canvas.path.limb([0, -0.74, 0.06], [0.005, y + look.head * 0.5, 0.06]);
    canvas.path.ellipse(0.01, y, look.head * 0.86, look.head);
    canvas.fill(skin);
    canvas.path.smooth([
      -look.head * 0.95,
      y + look.head * 0.4,
      -look.head * 0.95,
      y - look.head * 0.6,
      0,
      y - look.head * 1.18,
      look.head * 0.95,
      y - look.head * 0.5,
      look.head * 0.5,
      y - look.head * 0.35,
      -look.head * 0.3,
      y - look.head * 0.25,
    ]);
    canvas.fill(hair);
    drawLimb(pen, {
      x: 0.015,
      y: -0.7,
      turn: pose.arms[1],
      reach: 0.36,
      width: 0.075,
      colour: shadeColour(colour, -0.08),
      end: skin,
    });
  });
}

function drawLimb(
  pen: Pen,
  limb: {
    x: number;
    y: number;
    turn: number;
    reach: number;
    width: number;
    colour: number;
    end: number;
    leg?: boolean;
  },
): void {
  const { canvas } = pen;
  const half = limb.reach * 0.52;
  const bend = limb.leg
    ? Math.max(0, -limb.turn) * 0.9 + Math.max(0, limb.turn) * 0.15
    : -Math.abs(limb.turn) * 0.4;
  const kneeX = limb.x + Math.sin(limb.turn) * half;
  const kneeY = limb.y + Math.cos(limb.turn) * half;
  const low = limb.turn - bend;
  const footX = kneeX + Math.sin(low) * half;
  const footY = kneeY + Math.cos(low) * half;
  canvas.path.limb([limb.x, limb.y, limb.width], [kneeX, kneeY, limb.width * 0.85]);
  canvas.path.limb([kneeX, kneeY, limb.width * 0.85], [footX, footY, limb.width * 0.68]);
  canvas.fill(limb.colour);
  if (limb.leg) canvas.path.ellipse(footX + 0.025, footY, 0.062, 0.03);
  else canvas.path.ellipse(footX, footY, 0.036, 0.036);
  canvas.fill(limb.end);
}

function drawAstronaut(pen: Pen): void {
  const { canvas, colour } = pen;
  const pose = poseOf(pen);
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
  const pose = poseOf(pen);
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
