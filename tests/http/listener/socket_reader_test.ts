/**
 * How much memory the reading half of a connection takes.
 *
 * @module
 */

import assert from "node:assert/strict";
import { SocketReader } from "../../../src/http/listener/socket_reader.ts";

/** A reader of requests of some lengths, one after the other. */
function readerOf(requests: readonly number[]) {
  let left = 0;
  const waiting = [...requests];
  const conn = {
    read(buffer: Uint8Array): Promise<number | null> {
      if (left === 0) left = waiting.shift() ?? 0;
      const count = Math.min(left, buffer.length);
      left -= count;
      return Promise.resolve(count === 0 ? null : count);
    },
  } as Partial<Deno.Conn> as Deno.Conn;
  return new SocketReader(conn, () => {});
}

/** Takes requests; the buffer's size and the reads of each. */
async function sizes(requests: readonly number[]): Promise<readonly (readonly [number, number])[]> {
  const reader = readerOf(requests);
  const seen: [number, number][] = [];
  for (const length of requests) {
    let reads = 0;
    while (reader.buffered < length) {
      await reader.fill();
      reads++;
    }
    seen.push([reader.bytes.length, reads]);
    reader.start = reader.end;
  }
  return seen;
}

Deno.test("SocketReader stays small for small requests", async () => {
  assert.deepEqual(await sizes([600, 1_000, 700]), [[1_024, 1], [1_024, 1], [1_024, 1]]);
});

Deno.test("SocketReader reads requests at once that are like the one before", async () => {
  const seen = await sizes([3_000, 3_000, 6_000, 6_000, 600]);
  assert.deepEqual(seen.map(([, reads]) => reads), [2, 1, 2, 1, 1]);
});

Deno.test("SocketReader keeps no large buffer for a single large request", async () => {
  const seen = await sizes([60_000, 600, 600]);
  assert.deepEqual(seen.map(([bytes]) => bytes), [65_536, 8_192, 8_192]);
});
