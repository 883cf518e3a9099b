/**
 * How figures on two legs hold their limbs.
 *
 * @module
 */
import type { Pen } from "./pen.ts";

/** The pose of a figure at a moment; angles in radians. */
export interface Stance {
  readonly swing: number;
  readonly arms: readonly [number, number];
  readonly bob: number;
  readonly lean: number;
}

/** How a figure stands while it moves as the words say. */
export function stanceOf(pen: Pen): Stance {
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
    case "sit":
      return { swing: 0.1, arms: [0.5, 0.62], bob: Math.sin(seconds * 1.8) * 0.004, lean: 0.02 };
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

/** Draws an arm or leg of two parts from its root. */
export function drawLimb(
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
  if (limb.leg && pen.motion === "sit") return drawBentLeg(pen, limb);
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

/** The leg of who sits: forward to the knee, then down. */
function drawBentLeg(
  pen: Pen,
  limb: { x: number; y: number; reach: number; width: number; colour: number; end: number },
): void {
  const { canvas } = pen;
  const half = limb.reach * 0.5;
  const knee = [limb.x + half * 0.9, limb.y + half * 0.32] as const;
  const foot = [knee[0] - half * 0.1, knee[1] + half] as const;
  canvas.path.limb([limb.x, limb.y, limb.width], [...knee, limb.width * 0.85]);
  canvas.path.limb([...knee, limb.width * 0.85], [...foot, limb.width * 0.68]);
  canvas.fill(limb.colour);
  canvas.path.ellipse(foot[0] + 0.025, foot[1], 0.062, 0.03);
  canvas.fill(limb.end);
}
