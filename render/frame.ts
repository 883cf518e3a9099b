/**
 * One picture of a film in the encoder's own layout (I420), so that drawing needs no conversion.
 *
 * @module
 */

/** A picture: BT.709 colours in the limited range (luma 16 to 235, chroma 16 to 240). */
export interface Frame {
  /** Pixels, even. */
  readonly width: number;
  /** Pixels, even. */
  readonly height: number;
  /** I420: Y plane, then U, then V (each (w/2)*(h/2)) in one buffer. */
  readonly data: Uint8Array;
  /** The luma plane: a view on `data`. */
  readonly y: Uint8Array;
  /** The blue difference plane: a view on `data`. */
  readonly u: Uint8Array;
  /** The red difference plane: a view on `data`. */
  readonly v: Uint8Array;
}

/**
 * An unwritten frame of the given size in pixels.
 *
 * @throws {RangeError} when a side is not a positive even integer: chroma is stored at half size
 */
export function createFrame(width: number, height: number): Frame {
  for (const side of [width, height]) {
    if (!Number.isSafeInteger(side) || side <= 0 || side % 2 !== 0) {
      throw new RangeError(
        `Cannot create a frame of ${width}x${height}: each side must be a positive even integer`,
      );
    }
  }
  const luma = width * height;
  const chroma = luma / 4;
  const data = new Uint8Array(luma + 2 * chroma);
  return {
    width,
    height,
    data,
    y: data.subarray(0, luma),
    u: data.subarray(luma, luma + chroma),
    v: data.subarray(luma + chroma),
  };
}
