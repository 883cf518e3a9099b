/**
 * Why bytes cannot be used as a picture.
 *
 * @module
 */

/**
 * - `not_an_image`: not a PNG, JPEG or still WebP file.
 * - `too_large`: more pixels than are decoded.
 * - `corrupt`: such a file, but cut short or damaged.
 */
export type ImageErrorKind = "not_an_image" | "too_large" | "corrupt";

const SENTENCES: Readonly<Record<ImageErrorKind, string>> = {
  not_an_image: "Cannot use the image: send a PNG, JPEG or still WebP file",
  too_large: "Cannot use the image: send one of at most 25 megapixels",
  corrupt: "Cannot decode the image: it is cut short or damaged",
};

/** An image that cannot be used; the message is fit for whoever sent it. */
export class ImageError extends Error {
  override readonly name = "ImageError";
  /** What is wrong with it. */
  readonly kind: ImageErrorKind;

  constructor(kind: ImageErrorKind, options?: ErrorOptions) {
    super(SENTENCES[kind], options);
    this.kind = kind;
  }
}
