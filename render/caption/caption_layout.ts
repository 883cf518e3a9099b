/**
 * The measures of a caption's band and the text in it, all from the picture's size.
 *
 * @module
 */

import type { TextRoom } from "./fit_lines.ts";

/** Lengths in pixels. */
export interface CaptionLayout {
  readonly room: TextRoom;
  /** Height of the band for text of so many lines and pixels per em: even, at most the limit. */
  bandHeight(lines: number, typeSize: number): number;
}

/** From one baseline to the next, in ems. */
export const LINE_EM = 1.25;
/** Between the band's upper edge and the first line, in ems: here the band fades in. */
export const ABOVE_EM = 0.6;
/** Between the last line and the picture's lower edge, in ems. */
export const BELOW_EM = 0.45;
/** From the top of a line down to its baseline, in ems. */
export const ASCENT_EM = 0.95;

/** A landscape picture gives its lower 16 % and two lines, an upright one 14 % and four. */
export function captionLayout(size: { width: number; height: number }): CaptionLayout {
  const isUpright = size.height > size.width;
  const lines = isUpright ? 4 : 2;
  const limit = Math.floor(size.height * (isUpright ? 0.14 : 0.16) / 2) * 2;
  const largestType = Math.max(1, Math.floor(limit / heightEm(lines)));
  const smallestType = Math.min(largestType, Math.max(12, Math.round(largestType * 0.75)));
  return {
    room: { width: Math.round(size.width * 0.9), lines, largestType, smallestType },
    bandHeight: (count, typeSize) => Math.min(limit, Math.ceil(heightEm(count) * typeSize / 2) * 2),
  };
}

function heightEm(lines: number): number {
  return ABOVE_EM + lines * LINE_EM + BELOW_EM;
}
