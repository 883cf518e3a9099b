/**
 * Reading request bodies within limits.
 *
 * @module
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { GatewayError } from "../../../src/errors.ts";
import { createBodyBudget, createSharedBudget } from "../../../src/http/bodies/body_budget.ts";
import { listen } from "../../../src/http/listener.ts";
import type { ListenerLimits } from "../../../src/http/listener/contract.ts";
import { type BodyLimits, readBody } from "../../../src/http/bodies/read_body.ts";
import { LargeBodyTurns } from "../../../src/limits/large_body_turns.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { RawSocket } from "../../support/raw_socket.ts";

const SILENT_SOON = { bodySilenceMs: 50, bodyMinBytesPerSecond: 1_000_000 };

/** Sends one raw request; says what `readBody` made of it. */
async function readOver(
  request: string | readonly (string | Uint8Array)[],
  options: BodyLimits,
  limits: Partial<ListenerLimits> = {},
): Promise<{ bytes?: Uint8Array; error?: Error }> {
  const seen = Promise.withResolvers<{ bytes?: Uint8Array; error?: Error }>();
  const listener = listen(async (received) => {
    try {
      seen.resolve({ bytes: await readBody(received, options) });
    } catch (error) {
      seen.resolve({ error: error as Error });
    }
    return new Response();
  }, { limits });
  using socket = await RawSocket.connect(listener.address);
  for (const part of [request].flat()) await socket.send(part);
  const result = await seen.promise;
  listener.close();
  return result;
}

/** Without what shows a difference item by item: of a megabyte that takes gigabytes. */
function assertSame(bytes: Uint8Array | undefined, expected: Uint8Array): void {
  assert.ok(bytes !== undefined && Buffer.compare(bytes, expected) === 0);
}

function sized(length: number): string {
  return `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;
}

const CHUNKED = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

Deno.test("readBody() returns bodies of every size and framing, and reserves just them", async () => {
  const large = crypto.getRandomValues(new Uint8Array(60_000));
  for (const copies of [0, 1, 2, 20]) {
    const body = new Uint8Array(large.length * copies);
    for (let copy = 0; copy < copies; copy++) body.set(large, copy * large.length);
    const budget = createBodyBudget(10_000_000);
    const { bytes } = await readOver([sized(body.length), body], {
      maxBytes: body.length,
      budget,
    });
    assertSame(bytes, body);
    assert.equal(budget.usedBytes, body.length);

    const inChunks = [CHUNKED];
    const pieces: (string | Uint8Array)[] = inChunks;
    for (let from = 0; from < body.length; from += 70_001) {
      const piece = body.subarray(from, from + 70_001);
      pieces.push(`${piece.length.toString(16)}\r\n`, piece, "\r\n");
    }
    pieces.push("0\r\n\r\n");
    const chunkedBudget = createBodyBudget(10_000_000);
    const chunked = await readOver(pieces, { maxBytes: body.length, budget: chunkedBudget });
    assertSame(chunked.bytes, body);
    assert.equal(chunkedBudget.usedBytes, body.length);
  }
});

Deno.test("readBody() refuses bodies over the limit, and reserves nothing for them", async () => {
  const budget = createBodyBudget(1000);
  const options = { maxBytes: 4, budget };
  for (
    const request of [
      `${sized(5)}abcde`,
      sized(5), // said only: nothing is read for it
      `${CHUNKED}5\r\nabcde\r\n0\r\n\r\n`,
      `${CHUNKED}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`,
      `${CHUNKED}ffffffff\r\n`,
    ]
  ) {
    const { error } = await readOver(request, options);
    assert.equal(error?.name, "BodyTooLargeError");
    assert.match(error.message, /larger than 4 bytes/);
    assert.equal(budget.usedBytes, 0);
  }
  assert.equal((await readOver(`${sized(4)}abcd`, options)).bytes?.length, 4);
});

Deno.test("readBody() says when the client goes away or is too slow", async () => {
  const budget = createBodyBudget(1_000_000);
  const slow = await readOver(`${sized(100_000)}abc`, {
    maxBytes: 100_000,
    budget,
  }, SILENT_SOON);
  assert.equal(slow.error?.name, "BodyTooSlowError");
  assert.match(slow.error.message, /1000000 bytes\/s/);
  assert.equal(budget.usedBytes, 0);

  const seen = Promise.withResolvers<unknown>();
  const listener = listen(async (request) => {
    await readBody(request, { maxBytes: 100, budget }).catch(seen.resolve);
    return new Response();
  });
  const socket = await RawSocket.connect(listener.address);
  await socket.send(`${sized(10)}abc`);
  socket.conn.close();
  assert.equal((await seen.promise as Error).name, "BodyAbortedError");
  assert.equal(budget.usedBytes, 0);
  await listener.drain();
});

Deno.test("readBody() keeps all bodies together within the budget, by bytes that came", async () => {
  const budget = createBodyBudget(100_000);
  budget.reserve(50_000);
  const refused = await readOver([sized(60_000), new Uint8Array(60_000)], {
    maxBytes: 100_000,
    budget,
  });
  assert.equal(refused.error?.name, "GatewayError");
  assert.equal(budget.usedBytes, 50_000);

  // Claiming a length takes at most one part of the budget until bytes come.
  const small = createBodyBudget(70_000);
  const claimed = await readOver(`${sized(50_000_000)}abc`, {
    maxBytes: 50_000_000,
    budget: small,
  }, SILENT_SOON);
  assert.equal(claimed.error?.name, "BodyTooSlowError");
  assert.equal(small.usedBytes, 0);
});

Deno.test("readBody() reads a body once", async () => {
  const results: unknown[] = [];
  const limits = { maxBytes: 9, budget: createBodyBudget(9) };
  const listener = listen(async (request) => {
    assert.equal(request.bodyUsed, false);
    results.push((await readBody(request, limits)).length, request.bodyUsed);
    await readBody(request, limits).catch((error) => results.push(error.constructor));
    await request.text().catch((error) => results.push(error.constructor));
    return new Response();
  });
  using socket = await RawSocket.connect(listener.address);
  await socket.send(`${sized(2)}ab`);
  assert.equal((await socket.readResponse()).status, 200);
  assert.deepEqual(results, [2, true, TypeError, TypeError]);
  listener.close();
});

Deno.test("readBody() refuses a body whose turn is too far away, and does not wait for it", async () => {
  const turns = new LargeBodyTurns(new FakeClock());
  const shared = createSharedBudget({ maxBytes: 1e9, leastShareBytes: 1e9, turns });
  const budget = shared.of("shop");
  turns.turnInMs("shop", 1_024 ** 3);
  for (const request of [sized(1_000_000), `${CHUNKED}1\r\n`]) {
    const { error } = await readOver(request, { maxBytes: 1_000_000, budget });
    assert.ok(error instanceof GatewayError);
    assert.deepEqual([error.code, error.retryAfterSeconds], ["POOL_LIMIT_EXCEEDED", 30]);
  }
  assert.equal(shared.usedBytes, 0);
  const small = await readOver([sized(3), "abc"], { maxBytes: 9, budget });
  assert.equal(small.bytes?.length, 3);
  assert.equal((await readOver(sized(0), { maxBytes: 9, budget })).bytes?.length, 0);
});
