/**
 * A small body that unpacks to a huge one.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { constants, deflateRawSync } from "node:zlib";
import { crc32 } from "node:zlib";

const MEGABYTE = 1024 ** 2;

/** Gzip of `megabytes` MB of spaces and then `text`: valid JSON if `text` is. */
export function gzipBomb(megabytes: number, text: string): Buffer {
  const spaces = Buffer.alloc(MEGABYTE, " ");
  const tail = Buffer.from(text);
  // One block of a megabyte, which stands alone as it ends on a byte: repeated, it is the bomb.
  const block = deflateRawSync(spaces, { finishFlush: constants.Z_FULL_FLUSH });
  const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
  const end = Buffer.alloc(8);
  let sum = 0;
  for (let at = 0; at < megabytes; at++) sum = crc32(spaces, sum);
  end.writeUInt32LE(crc32(tail, sum), 0);
  end.writeUInt32LE((megabytes * MEGABYTE + tail.length) >>> 0, 4);
  return Buffer.concat([head, ...Array(megabytes).fill(block), deflateRawSync(tail), end]);
}
