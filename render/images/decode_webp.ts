/**
 * Decodes still WebP files.
 *
 * @module
 */

import factory from "@jsquash/webp/codec/dec/webp_dec.js";
import wasm from "@jsquash/webp/codec/dec/webp_dec.wasm" with { type: "bytes" };
import { startCodec } from "./codec_module.ts";
import { type Picture, pictureOf } from "./picture.ts";

interface WebpCodec {
  decode(file: Uint8Array): ImageData | null;
}

/**
 * The picture in a WebP file.
 *
 * @throws {Error} for a damaged file.
 */
export async function decodeWebp(bytes: Uint8Array): Promise<Picture> {
  const { codec } = await startCodec<WebpCodec>(factory, wasm);
  const image = codec.decode(bytes);
  if (image === null) throw new Error("The WebP decoder refuses the file");
  return pictureOf(image);
}
