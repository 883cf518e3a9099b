/**
 * The memory that large requests are put together in: used again, and never while one is sent.
 *
 * @module
 */

import assert from "node:assert/strict";
import { BufferPool } from "../../../src/domain/buffer_pool.ts";
import { systemClock } from "../../../src/domain/clock.ts";
import { Connection } from "../../../src/providers/transport/connection.ts";
import { createHttp1Transport } from "../../../src/providers/transport/http1_transport.ts";
import { never, timeouts } from "../../support/provider_parts.ts";

const ANSWER = new TextEncoder().encode("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");

/** What becomes of a write: all of it is taken, a part first, or the connection breaks. */
type Fate = "whole" | "in two" | "broken";

/** A connection whose writes end when they are told to, and are looked at no sooner. */
class SlowConn {
  written = "";
  readonly #fate: Fate;
  /** Bytes of the request that are not taken yet. */
  #left: number | undefined;
  readonly #answered = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<null>();
  #ends: (() => void)[] = [];
  #hasAnswered = false;

  constructor(fate: Fate, { answersEarly }: { readonly answersEarly: boolean }) {
    this.#fate = fate;
    if (answersEarly) this.#answered.resolve();
  }

  async write(bytes: Uint8Array): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ends.push(resolve);
    this.#left ??= bytes.length;
    await promise;
    const count = this.#fate === "in two" ? Math.ceil(bytes.length / 2) : bytes.length;
    this.written += new TextDecoder().decode(bytes.subarray(0, count));
    if (this.#fate === "broken") throw new Deno.errors.BrokenPipe("broken");
    this.#left! -= count;
    if (this.#left === 0) this.#answered.resolve();
    return count;
  }

  async read(target: Uint8Array): Promise<number | null> {
    if (this.#hasAnswered) return await this.#closed.promise;
    this.#hasAnswered = true;
    if (await Promise.race([this.#answered.promise, this.#closed.promise]) === null) return null;
    target.set(ANSWER);
    return ANSWER.length;
  }

  /** Ends what is being written. */
  end(): void {
    const ends = this.#ends;
    this.#ends = [];
    for (const end of ends) end();
  }

  ref(): void {}
  unref(): void {}
  close(): void {
    this.#closed.resolve(null);
  }
}

/** Lets everything happen that waits for nothing else. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

Deno.test("large requests that are sent at once do not write into each other", async () => {
  const conns: SlowConn[] = [];
  const transport = createHttp1Transport({
    clock: systemClock,
    connect: () => {
      const fate = (["whole", "in two", "whole", "broken"] as const)[conns.length % 4]!;
      const conn = new SlowConn(fate, { answersEarly: conns.length % 3 === 0 });
      conns.push(conn);
      return Promise.resolve(new Connection(conn as unknown as Deno.Conn));
    },
  });
  const encoder = new TextEncoder();
  const outcomes: Promise<string>[] = [];
  const bodies: string[] = [];
  try {
    for (let sent = 0; sent < 60; sent++) {
      // Without an idle connection each has one of its own, in its order.
      const body = `${String(sent).padStart(8, ".").repeat(4_000 + sent * 400)}!`;
      bodies.push(body);
      const asked = {
        method: "POST" as const,
        url: `http://upstream-${sent}.example/v1`,
        headers: {},
        body: sent % 2 === 0
          ? body
          : [encoder.encode(body.slice(0, 9)), encoder.encode(body.slice(9))],
        timeouts: timeouts({}),
        stream: false,
      };
      outcomes.push(
        transport.request(asked, never()).then((answer) => answer.text(9), () => "failed"),
      );
      await settle();
      // The first written ends a while after the next ones have begun.
      if (sent % 5 === 4) {
        for (const conn of conns.slice(0, -3).toReversed()) {
          conn.end();
          await settle();
        }
      }
    }
    for (let round = 0; round < 20; round++) {
      for (const conn of conns) conn.end();
      await settle();
    }
    const texts = await Promise.all(outcomes);
    assert.equal(conns.length, bodies.length);
    for (const [index, conn] of conns.entries()) {
      const body = conn.written.slice(conn.written.indexOf("\r\n\r\n") + 4);
      assert.ok(body === bodies[index], `request ${index} is not what was to be sent`);
      const isLost = index % 4 === 3 && index % 3 !== 0;
      assert.equal(texts[index], isLost ? "failed" : "ok");
    }
  } finally {
    transport.close();
  }
});

Deno.test("BufferPool lends a buffer again only once it was taken back, and once", () => {
  const pool = new BufferPool({ bytes: 100, most: 1 });
  const one = pool.lend();
  const other = pool.lend();
  assert.notEqual(one.buffer, other.buffer);
  pool.takeBack(one.subarray(10, 20));
  pool.takeBack(one);
  pool.takeBack(new Uint8Array(100));
  const again = pool.lend();
  assert.equal(again.buffer, one.buffer);
  assert.equal(again.length, 100);
  assert.notEqual(pool.lend().buffer, one.buffer);
});

Deno.test("BufferPool keeps no more buffers than it is to", () => {
  const pool = new BufferPool({ bytes: 100, most: 1 });
  const lent = [pool.lend(), pool.lend()];
  for (const buffer of lent) pool.takeBack(buffer);
  const again = [pool.lend(), pool.lend()];
  assert.deepEqual(again.map(({ buffer }) => lent.some((was) => was.buffer === buffer)), [
    true,
    false,
  ]);
});
