/**
 * What the drawing of a thing is given. Every thing is drawn about 1 high and facing right: what
 * stands or swims has its foot or waterline at the origin, what flies has its middle there.
 *
 * @module
 */
import type { Canvas } from "../canvas/canvas.ts";
import type { Motion } from "../scene.ts";

/** One thing about to be drawn. */
export interface Pen {
  readonly canvas: Canvas;
  /** Its main colour, 0xRRGGBB. */
  readonly colour: number;
  /** Seconds since the film's start, shifted for each of several, at its own pace. */
  readonly seconds: number;
  readonly motion: Motion;
  /** Breathes fire. */
  readonly breathes: boolean;
  /** Another subject is upon it: it is drawn without a rider of its own. */
  readonly laden: boolean;
  /** 0 by day, 1 by night. */
  readonly darkness: number;
  readonly snowy: boolean;
  /** Tells one from another. */
  readonly seed: number;
}

/** Draws one thing. */
export type DrawThing = (pen: Pen) => void;

/** The part of the pen that `drawHouse` and other scenery need. */
export type SceneryPen = Pick<Pen, "canvas" | "colour" | "darkness" | "snowy">;

/** Whether the words let it move at all. */
export function isMoving(pen: Pen): boolean {
  return pen.motion !== "still" && pen.motion !== "sleep";
}
