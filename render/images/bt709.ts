/**
 * Between red, green, blue and the film's own colours: BT.709 in the limited range (ITU-R
 * BT.709-6, part 2: items 3.2 to 3.4), as {@linkcode Frame} has them.
 *
 * @module
 */

/** Shares of red, green and blue in brightness; they add up to 1. */
const RED = 0.2126;
const GREEN = 0.7152;
const BLUE = 0.0722;
const LUMA_RANGE = 219 / 255;
const CHROMA_RANGE = 224 / 255;

/** Luma of a colour whose parts are 0 to 255, not rounded. */
export function lumaOf(red: number, green: number, blue: number): number {
  return 16 + LUMA_RANGE * (RED * red + GREEN * green + BLUE * blue);
}

/** Blue and red difference of a colour whose parts are 0 to 255, not rounded. */
export function chromaOf(red: number, green: number, blue: number): [number, number] {
  const brightness = RED * red + GREEN * green + BLUE * blue;
  return [
    128 + CHROMA_RANGE * (blue - brightness) / (2 * (1 - BLUE)),
    128 + CHROMA_RANGE * (red - brightness) / (2 * (1 - RED)),
  ];
}

/** Red, green and blue; they may lie a little outside of 0 to 255. */
export function colourOf(luma: number, u: number, v: number): [number, number, number] {
  const brightness = (luma - 16) / LUMA_RANGE;
  const red = brightness + (v - 128) / CHROMA_RANGE * 2 * (1 - RED);
  const blue = brightness + (u - 128) / CHROMA_RANGE * 2 * (1 - BLUE);
  return [red, (brightness - RED * red - BLUE * blue) / GREEN, blue];
}
