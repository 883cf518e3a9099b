/**
 * Makes a small WebP image of a frame.
 *
 * @module
 */

import factory from "@jsquash/webp/codec/enc/webp_enc_simd.js";
import wasm from "@jsquash/webp/codec/enc/webp_enc_simd.wasm" with { type: "bytes" };
import { defaultOptions } from "@jsquash/webp/meta.js";
import type { Frame } from "../frame.ts";
import { colourOf } from "./bt709.ts";
import { startCodec } from "./codec_module.ts";
import { type PixelSource, resample } from "./resample.ts";

/** Pixels of the longer side: a card on a wide screen. */
const MAX_SIDE = 640;

interface WebpEncoder {
  encode(
    rgba: Uint8ClampedArray,
    width: number,
    height: number,
    options: typeof defaultOptions,
  ): Uint8Array | null;
}

/**
 * The frame as a WebP file of at most 640 pixels on its longer side, never larger than it was.
 *
 * @throws {Error} when the encoder refuses it.
 */
export async function encodeThumbnail(frame: Frame): Promise<Uint8Array<ArrayBuffer>> {
  const shrink = Math.min(1, MAX_SIDE / Math.max(frame.width, frame.height));
  const width = Math.max(1, Math.round(frame.width * shrink));
  const height = Math.max(1, Math.round(frame.height * shrink));
  const rgba = new Uint8ClampedArray(width * height * 4);
  resample(coloursOf(frame), {
    crop: { left: 0, top: 0, width: frame.width, height: frame.height },
    width,
    height,
    writeRow(row, rgb) {
      for (let column = 0; column < width; column++) {
        const at = (row * width + column) * 4;
        rgba.set(rgb.subarray(column * 3, column * 3 + 3), at);
        rgba[at + 3] = 255;
      }
    },
  });
  const { codec } = await startCodec<WebpEncoder>(factory, wasm);
  const file = codec.encode(rgba, width, height, defaultOptions);
  if (file === null) throw new Error(`Cannot encode a thumbnail of ${width}x${height}`);
  return new Uint8Array(file);
}

function coloursOf({ width, height, y, u, v }: Frame): PixelSource {
  return {
    width,
    height,
    readRow(row, rgb) {
      for (let column = 0; column < width; column++) {
        const chroma = (row >> 1) * (width / 2) + (column >> 1);
        rgb.set(colourOf(y[row * width + column]!, u[chroma]!, v[chroma]!), column * 3);
      }
    },
  };
}
