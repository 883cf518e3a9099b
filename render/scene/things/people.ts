/**
 * People.
 *
 * @module
 */
import { mixColour, shadeColour } from "../canvas/colour.ts";
import { drawLimb, stanceOf } from "./limbs.ts";
import type { DrawThing, Pen } from "./pen.ts";

const SKINS: readonly number[] = [0xe8b890, 0xc68a5e, 0x8d5a3a, 0xf0c8a4];
const HAIRS: readonly number[] = [0x3a2618, 0x18141a, 0x8a5a2c, 0x6a3a22];

/** The drawings of people. */
export const PEOPLE: Readonly<Record<string, DrawThing>> = {
  person: (pen) => drawPerson(pen, { dress: false, head: 0.082, hair: "short" }),
  woman: (pen) => drawPerson(pen, { dress: true, head: 0.08, hair: "long" }),
  child: (pen) => drawPerson(pen, { dress: false, head: 0.115, hair: "short" }),
};

function drawPerson(
  pen: Pen,
  look: { dress: boolean; head: number; hair: "short" | "long" },
): void {
  const { canvas, colour } = pen;
  const pose = stanceOf(pen);
  const skin = SKINS[pen.seed % SKINS.length]!;
  const hair = HAIRS[(pen.seed >>> 2) % HAIRS.length]!;
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
