/**
 * Decodes PNG files.
 *
 * @module
 */

import { decode, initSync } from "@jsquash/png/codec/pkg/squoosh_png.js";
import wasm from "@jsquash/png/codec/pkg/squoosh_png_bg.wasm" with { type: "bytes" };
import { type Picture, pictureOf } from "./picture.ts";

/** The chunk of compressed pixels, by the bytes of its name. */
const IDAT = 0x49444154;
/** The most that a pixel takes: four samples of 16 bits. */
const MOST_BYTES_PER_PIXEL = 8;
/** For what comes with the pixels: the filter's byte of each row, the frames of stored blocks. */
const SLACK_BYTES = 64 * 1024;

/**
 * The picture in a PNG file; of an animated one its first. The library inflates row by row into the
 * size that the header gives, so that a file that would inflate to more costs no more; one that
 * holds more, compressed, than its picture has uncompressed is a bomb.
 *
 * @throws {Error} for a damaged file, and for a bomb.
 */
export function decodePng(bytes: Uint8Array): Picture {
  requirePlausible(bytes);
  initSync(wasm);
  return pictureOf(decode(bytes));
}

/** PNG, third edition, 5.3: length, name, content and checksum of each chunk; `IHDR` is the first. */
function requirePlausible(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pixels = view.getUint32(16) * view.getUint32(20);
  let compressed = 0;
  for (let at = 8; at + 8 <= bytes.length; at += 12 + view.getUint32(at)) {
    if (view.getUint32(at + 4) === IDAT) compressed += view.getUint32(at);
  }
  const most = pixels * MOST_BYTES_PER_PIXEL + SLACK_BYTES;
  if (compressed <= most) return;
  throw new Error(`Cannot decode a PNG of ${pixels} pixels with ${compressed} bytes of them`);
}
