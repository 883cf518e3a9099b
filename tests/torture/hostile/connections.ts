/**
 * Connections that take a place and do nothing with it.
 *
 * @module
 */

import { type Hostility, keepOpen } from "./hostile_world.ts";

/** More than the row's `ulimit -n` has room for. */
const MORE_THAN_FIT = 600;
const UPLOADS = 16;
/** Nearly all that a JSON body may have. */
const UPLOAD_BYTES = 19 * 1024 ** 2;

function headOf(key: string, length: number): string {
  return "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\n" +
    `authorization: Bearer ${key}\r\ncontent-type: application/json\r\n` +
    `content-length: ${length}\r\n\r\n`;
}

/** An upload that is all there but for its last byte. */
function parkedUpload(key: string): Uint8Array {
  const bytes = new Uint8Array(UPLOAD_BYTES).fill(0x20);
  new TextEncoder().encodeInto(headOf(key, UPLOAD_BYTES), bytes);
  return bytes;
}

export const HOSTILE_CONNECTIONS: readonly Hostility[] = [
  {
    name: "idle connections",
    run: (world) => keepOpen(world, { connections: MORE_THAN_FIT, says: "" }),
  },
  {
    name: "half heads",
    run: (world) =>
      keepOpen(world, { connections: MORE_THAN_FIT, says: "POST /v1/chat/completions HTTP/1.1\r" }),
  },
  {
    name: "parked uploads",
    run: (world) => keepOpen(world, { connections: UPLOADS, says: parkedUpload(world.rich) }),
  },
  {
    name: "parked uploads without a key",
    run: (world) => keepOpen(world, { connections: UPLOADS, says: parkedUpload("sk-tg-none") }),
  },
];
