/**
 * What the header of an image file says, and how large an image may be.
 *
 * @module
 */

/** The formats that an upload may have. */
export type ImageType = "image/png" | "image/jpeg" | "image/webp";

/** What is known of an image before it is decoded. */
export interface ImageFacts {
  readonly type: ImageType;
  /** Pixels as stored: a JPEG's orientation may swap the sides when it is shown. */
  readonly width: number;
  readonly height: number;
}

/**
 * A camera's 24 megapixels fit. Decoding costs about 11 bytes of memory a pixel (measured on PNG and
 * plain JPEG), so that the largest image costs 280 MB for a second or two.
 */
export const MAX_IMAGE_PIXELS = 25_000_000;
