/**
 * Decodes an image of any format that an upload may have.
 *
 * @module
 */

import { decodeJpeg } from "./decode_jpeg.ts";
import { decodePng } from "./decode_png.ts";
import { decodeWebp } from "./decode_webp.ts";
import { ImageError } from "./image_error.ts";
import { type ImageType, MAX_IMAGE_PIXELS } from "./image_facts.ts";
import { inspectImage } from "./inspect_image.ts";
import type { Picture } from "./picture.ts";

const DECODERS: Readonly<Record<ImageType, (bytes: Uint8Array) => Picture | Promise<Picture>>> = {
  "image/png": decodePng,
  "image/jpeg": decodeJpeg,
  "image/webp": decodeWebp,
};

/**
 * The picture in the file, as it is meant to be seen. Its size is looked at before a byte is
 * inflated.
 *
 * @throws {ImageError} when it cannot be used.
 */
export async function decodeImage(bytes: Uint8Array): Promise<Picture> {
  const facts = inspectImage(bytes);
  if (facts === undefined) throw new ImageError("not_an_image");
  if (facts.width * facts.height > MAX_IMAGE_PIXELS) throw new ImageError("too_large");
  try {
    return await DECODERS[facts.type](bytes);
  } catch (cause) {
    throw new ImageError("corrupt", { cause });
  }
}
