/**
 * Soft round lights.
 *
 * @module
 */
import type { Frame } from "../../frame.ts";
import { blueDifferenceOf, lumaOf, redDifferenceOf } from "./colour.ts";

/** A light in the pixels of the picture. */
export interface Glow {
  readonly cx: number;
  readonly cy: number;
  /** Where it ends. */
  readonly r: number;
  /** At its centre, 0 to 1. */
  readonly strength: number;
  readonly colour: number;
}

/** Steps from the centre (0) to the end. */
const STEPS = 255;
/** How much of the light is left at a share of the squared radius. */
const FALLOFF: Float64Array = Float64Array.from(
  { length: STEPS + 2 },
  (_, step) => Math.max(0, 1 - step / STEPS) ** 3,
);

/** Blends a light into all planes of a frame. */
export function glowIn(frame: Frame, glow: Glow): void {
  const { cx, cy, r, strength, colour } = glow;
  if (r < 0.5 || strength < 0.004) return;
  const weights = new Int32Array(STEPS + 2);
  for (let step = 0; step < weights.length; step++) weights[step] = FALLOFF[step]! * strength * 256;
  // Where the weight is below 1 nothing changes.
  const reach = Math.sqrt(Math.max(0, 1 - Math.cbrt(1 / (strength * 256))));
  const { width, height } = frame;
  const round = { cx, cy, r, reach: r * reach, weights };
  glowPlane(frame.y, undefined, { width, height }, round, lumaOf(colour), 0);
  const half = { width: width / 2, height: height / 2 };
  const halfRound = { cx: cx / 2, cy: cy / 2, r: r / 2, reach: r * reach / 2, weights };
  glowPlane(frame.u, frame.v, half, halfRound, blueDifferenceOf(colour), redDifferenceOf(colour));
}

/** One pass over one plane, or over two of one size. */
function glowPlane(
  plane: Uint8Array,
  other: Uint8Array | undefined,
  size: { readonly width: number; readonly height: number },
  round: {
    readonly cx: number;
    readonly cy: number;
    readonly r: number;
    readonly reach: number;
    readonly weights: Int32Array;
  },
  value: number,
  otherValue: number,
): void {
  const { cx, cy, r, reach, weights } = round;
  const firstRow = Math.max(0, Math.floor(cy - reach));
  const endRow = Math.min(size.height, Math.ceil(cy + reach));
  const perSquare = STEPS / (r * r);
  const level = value + 0.5 | 0;
  const otherLevel = otherValue + 0.5 | 0;
  for (let row = firstRow; row < endRow; row++) {
    const dy = row + 0.5 - cy;
    const left = reach * reach - dy * dy;
    if (left <= 0) continue;
    const half = Math.sqrt(left);
    const first = Math.max(0, Math.floor(cx - half));
    const end = Math.min(size.width, Math.ceil(cx + half));
    const down = dy * dy * perSquare;
    const base = row * size.width;
    for (let x = first; x < end; x++) {
      const dx = x + 0.5 - cx;
      const weight = weights[dx * dx * perSquare + down | 0]! | 0;
      const at = base + x;
      const old = plane[at]!;
      plane[at] = old + ((level - old) * weight + 128 >> 8);
      if (other !== undefined) {
        const before = other[at]!;
        other[at] = before + ((otherLevel - before) * weight + 128 >> 8);
      }
    }
  }
}
