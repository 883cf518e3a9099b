/**
 * How large films become, before they are made.
 *
 * @module
 */

import type { VideoWork } from "../domain/call.ts";

/** A generous H.264 film of moving pictures: bits for each pixel of each frame. */
const BITS_PER_PIXEL = 0.25;
const FRAMES_PER_SECOND = 24;
/** For a size that cannot be read: one large film. */
const UNKNOWN_SIZE_PIXELS = 1920 * 1080;

/** Bytes to keep free for a film. */
export function estimateFilmBytes({ size, seconds }: VideoWork): number {
  const [width = NaN, height = NaN] = size.split("x").map(Number);
  const pixels = Number.isFinite(width * height) ? width * height : UNKNOWN_SIZE_PIXELS;
  return Math.ceil(pixels * seconds * FRAMES_PER_SECOND * BITS_PER_PIXEL / 8);
}
