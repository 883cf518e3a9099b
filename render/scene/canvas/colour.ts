/**
 * Arithmetic on colours written as 0xRRGGBB.
 *
 * @module
 */

/** A colour on the way from `from` (0) to `to` (1). */
export function mixColour(from: number, to: number, amount: number): number {
  const share = amount <= 0 ? 0 : amount >= 1 ? 1 : amount;
  const red = (from >> 16) + ((to >> 16) - (from >> 16)) * share;
  const green = (from >> 8 & 255) + ((to >> 8 & 255) - (from >> 8 & 255)) * share;
  const blue = (from & 255) + ((to & 255) - (from & 255)) * share;
  return Math.round(red) << 16 | Math.round(green) << 8 | Math.round(blue);
}

/** A surface of one colour under light of another. */
export function multiplyColour(surface: number, light: number): number {
  const red = (surface >> 16) * (light >> 16) / 255;
  const green = (surface >> 8 & 255) * (light >> 8 & 255) / 255;
  const blue = (surface & 255) * (light & 255) / 255;
  return Math.round(red) << 16 | Math.round(green) << 8 | Math.round(blue);
}

/** Lighter for `amount` above 0, darker below: -1 is black, 1 is white. */
export function shadeColour(colour: number, amount: number): number {
  return amount < 0 ? mixColour(colour, 0x000008, -amount) : mixColour(colour, 0xffffff, amount);
}

/** How bright a colour looks, 0 to 1 (BT.709). */
export function brightnessOf(colour: number): number {
  return (0.2126 * (colour >> 16) + 0.7152 * (colour >> 8 & 255) + 0.0722 * (colour & 255)) / 255;
}

/** A grey as bright as the colour. */
export function greyOf(colour: number): number {
  return Math.round(brightnessOf(colour) * 255) * 0x010101;
}

/** BT.709 luma in the limited range. */
export function lumaOf(colour: number): number {
  return 16 + brightnessOf(colour) * 219;
}

/** BT.709 blue difference in the limited range. */
export function blueDifferenceOf(colour: number): number {
  return 128 + ((colour & 255) / 255 - brightnessOf(colour)) / 1.8556 * 224;
}

/** BT.709 red difference in the limited range. */
export function redDifferenceOf(colour: number): number {
  return 128 + ((colour >> 16) / 255 - brightnessOf(colour)) / 1.5748 * 224;
}
