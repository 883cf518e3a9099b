/**
 * Whole bodies that come a piece at a time, many at once.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { IncomingBody } from "../../../src/http/listener/incoming_body.ts";
import { SocketReader } from "../../../src/http/listener/socket_reader.ts";

const PIECE_BYTES = 9_000;

/** A body that comes in pieces, of which each other body has one in between; its sender's bytes. */
function comingBody(seed: number, { isCutOff }: { readonly isCutOff: boolean }) {
  const sent = Uint8Array.from(
    { length: 20_000 + seed * 7_919 },
    (_, at) => (at * 31 + seed) % 251,
  );
  let at = 0;
  const conn = {
    async read(target: Uint8Array): Promise<number | null> {
      await Promise.resolve();
      const most = Math.min(PIECE_BYTES, target.length);
      const piece = sent.subarray(at, Math.min(at + most, sent.length - (isCutOff ? 1 : 0)));
      if (piece.length === 0) return null;
      target.set(piece);
      at += piece.length;
      return piece.length;
    },
  } as Partial<Deno.Conn> as Deno.Conn;
  const body = new IncomingBody(new SocketReader(conn, () => {}), {
    length: sent.length,
    clock: { nowMs: 0 },
    minBytesPerSecond: 1,
    onFirstRead: undefined,
    onComplete: () => {},
  });
  return { body, sent };
}

Deno.test("bodies that come at once are read each for itself, and counted to the byte", async () => {
  let reserved = 0;
  const budget = {
    reserve: (bytes: number) => void (reserved += bytes),
    release: (bytes: number) => void (reserved -= bytes),
  };
  for (let round = 0; round < 2; round++) {
    const coming = Array.from(
      { length: 40 },
      (_, seed) => comingBody(seed, { isCutOff: seed % 4 === 3 }),
    );
    const read = await Promise.allSettled(
      coming.map(({ body }) => body.readAll(1_000_000, budget)),
    );
    let total = 0;
    for (const [seed, { sent }] of coming.entries()) {
      const outcome = read[seed]!;
      if (seed % 4 === 3) {
        assert.equal(outcome.status, "rejected");
        continue;
      }
      assert.ok(outcome.status === "fulfilled");
      assert.equal(outcome.value.buffer.byteLength, sent.length, "more is held than was sent");
      assert.equal(Buffer.compare(outcome.value, sent), 0, `body ${seed} is not what was sent`);
      total += sent.length;
    }
    assert.equal(reserved, total);
    budget.release(total);
  }
});
