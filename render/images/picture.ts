/**
 * A decoded image.
 *
 * @module
 */

/** Pixels row by row from the top left, four bytes each: red, green, blue, opacity. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8ClampedArray;
}

/** The picture that a codec gave, without a copy. */
export function pictureOf({ width, height, data }: ImageData): Picture {
  return { width, height, rgba: new Uint8ClampedArray(data.buffer) };
}
