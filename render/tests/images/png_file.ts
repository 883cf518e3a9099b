/**
 * Writes PNG files by hand, so that they can be wrong.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { crc32, deflateSync } from "node:zlib";

/** A file of 8-bit grey whose header says `width` by `height`, whatever `pixels` holds. */
export function pngFile(
  width: number,
  height: number,
  pixels: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header[8] = 8;
  return Uint8Array.from([
    ...[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
    ...chunk("IHDR", header),
    ...chunk("IDAT", deflateSync(pixels)),
    ...chunk("IEND", new Uint8Array()),
  ]);
}

/** A row filter byte and `width` grey bytes for each of `height` rows. */
export function greyRows(width: number, height: number): Uint8Array {
  const rows = new Uint8Array((width + 1) * height).fill(0x80);
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0;
  return rows;
}

function chunk(type: string, content: Uint8Array): Uint8Array {
  const named = Buffer.concat([Buffer.from(type), content]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(content.length, 0);
  frame.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
}
