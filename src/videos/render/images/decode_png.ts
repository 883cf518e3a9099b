/**
 * Decodes PNG files.
 *
 * @module
 */

import { decode, initSync } from "@jsquash/png/codec/pkg/squoosh_png.js";
import wasm from "@jsquash/png/codec/pkg/squoosh_png_bg.wasm" with { type: "bytes" };
import { type Picture, pictureOf } from "./picture.ts";

/**
 * The picture in a PNG file; of an animated one its first. The library inflates row by row into the
 * size that the header gives, so that a file that would inflate to more costs no more.
 *
 * @throws {Error} for a damaged file.
 */
export function decodePng(bytes: Uint8Array): Picture {
  initSync(wasm);
  return pictureOf(decode(bytes));
}
