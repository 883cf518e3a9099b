/**
 * Decodes JPEG files.
 *
 * @module
 */

import factory from "@jsquash/jpeg/codec/dec/mozjpeg_dec.js";
import wasm from "@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm" with { type: "bytes" };
import { startCodec } from "./codec_module.ts";
import { type Picture, pictureOf } from "./picture.ts";

interface JpegCodec {
  decode(file: Uint8Array, useOrientation: boolean): ImageData | null;
}

/**
 * A progressive file has about ten scans. Each goes over the whole picture, however few bytes it
 * has, so that a small file could keep the decoder busy for hours.
 */
const MAX_SCANS = 64;

/**
 * The picture in a JPEG file, turned as its Exif orientation says.
 *
 * @throws {Error} for a damaged file, also for one that is cut short: the decoder fills the rest
 * with grey and only warns.
 */
export async function decodeJpeg(bytes: Uint8Array): Promise<Picture> {
  if (countScans(bytes) > MAX_SCANS) throw new Error(`The JPEG has more than ${MAX_SCANS} scans`);
  const { codec, warnings } = await startCodec<JpegCodec>(factory, wasm);
  const image = codec.decode(bytes, true);
  if (image === null) throw new Error("The JPEG decoder refuses the file");
  const isCutShort = warnings.some((line) => line.startsWith("Premature end"));
  if (isCutShort) throw new Error("The JPEG is cut short");
  return pictureOf(image);
}

/** Marker `SOS`; the few that may stand in a preview inside the metadata count too. */
function countScans(bytes: Uint8Array): number {
  let scans = 0;
  for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    if (bytes[at + 1] === 0xda) scans++;
  }
  return scans;
}
