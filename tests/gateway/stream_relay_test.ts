/**
 * The ends of a stream that no client can bring about at will.
 *
 * @module
 */

import { nested } from "../support/nested_tokens.ts";
import assert from "node:assert/strict";
import type { AnswerEvent } from "../../src/dialects/base/answer.ts";
import { relayBench as bench, written } from "../support/relay_bench.ts";

Deno.test("a stream that is stopped while its reader stalls costs the reader nothing", async () => {
  const { relay, open, closed, ended, balance, cancelled } = bench({ first: [written("Hello")] });
  assert.match(await relay.next() ?? "", /Hello/);
  open.forEach((stream) => stream.stop());
  await relay.cancel();
  assert.equal(cancelled(), 1);
  assert.deepEqual(ended, ["aborted"]);
  const [call, more] = closed;
  assert.equal(more, undefined);
  assert.equal(call?.result, "gateway_stopped");
  assert.equal(call.chargedE8, 0n);
  assert.equal(call.lossE8 > 0n, true);
  assert.deepEqual(balance(), { projectId: "p", avail: 1_000_000n, held: 0n });
});

Deno.test("counts that came before any output are billed although the caller took nothing", async () => {
  const usage = { input: 100, output: 2 };
  const { relay, closed } = bench({ first: [written("Hello", { usage, usageBody: {} })] });
  await relay.cancel();
  assert.equal(closed[0]?.usageSource, "reported");
  assert.equal(nested(closed[0].work).promptTokens, 100);
  assert.equal(closed[0].chargedE8, closed[0].saleE8);
});

Deno.test("a caller that takes nothing pays nothing when the upstream has counted nothing", async () => {
  const { relay, closed, ended, open } = bench({ first: [written("Hello")] });
  await relay.cancel();
  await relay.cancel();
  assert.equal(closed.length, 1);
  assert.equal(closed[0]!.chargedE8, 0n);
  assert.equal(closed[0]!.lossE8, 0n);
  assert.deepEqual(ended, ["aborted"]);
  assert.equal(open.size, 0);
});

Deno.test("a provider that fails in an unknown way after the last token does not keep the call open", async () => {
  const { relay, closed, over } = bench({
    first: [written("Hello", { finished: true })],
    next: () => Promise.reject(new TypeError("a bug")),
  });
  await relay.next();
  await relay.cancel();
  assert.equal(closed[0]?.usageSource, "estimated");
  assert.equal(closed[0].result, "client_aborted");
  assert.equal(over(), 1);
});

Deno.test("a stream whose end cannot be written says so, and is logged as a request", async () => {
  const { relay, closed, note, over, balance } = bench({
    first: [written("Hello", { finished: true })],
    next: () => Promise.resolve(undefined),
    result: { ok: false, reason: "full", message: "The disk is full" },
  });
  await relay.next();
  assert.equal(note.isCall, true);
  const tail = await relay.next() ?? "";
  assert.match(tail, /"code":"storage_full"/);
  assert.doesNotMatch(tail, /DONE|choices/);
  assert.equal(await relay.next(), undefined);
  assert.deepEqual(closed, []);
  assert.equal(note.isCall, false);
  assert.equal(over(), 1);
  assert.equal(balance().held, 1_000_000n);
});

Deno.test("a silent stream sends a comment to a reader that waits, and loses nothing by it", async () => {
  const { promise: more, resolve: send } = Promise.withResolvers<readonly AnswerEvent[]>();
  const { relay, open, clock } = bench({ first: [written("Hello")], next: () => more });
  const keepAlive = (silenceMs: number) => {
    open.forEach((stream) => stream.keepAlive(clock.monotonic() - silenceMs));
  };
  clock.advance(20_000);
  // Nobody waits yet: nothing is sent ahead of the reader.
  keepAlive(15_000);
  assert.match(await relay.next() ?? "", /Hello/);
  const waiting = relay.next();
  clock.advance(14_999);
  keepAlive(15_000);
  clock.advance(2);
  keepAlive(15_000);
  assert.equal(await waiting, ": keepalive\n\n");
  const still = relay.next();
  keepAlive(15_000);
  send([written("again")]);
  assert.match(await still ?? "", /^data: .*again/);
  await relay.cancel();
});

Deno.test("a stream tells which of its parts is the last", async () => {
  const { relay, open } = bench({
    first: [written("Hello", { finished: true })],
    next: () => Promise.resolve(undefined),
  });
  assert.match(await relay.next() ?? "", /Hello/);
  assert.equal(relay.isOver, false);
  assert.match(await relay.next() ?? "", /DONE/);
  assert.equal(relay.isOver, true);
  assert.equal(open.size, 0);
});

/** Reads a stream of ten events to its end; time passes where the test says. */
async function tokensOf({ upstreamMs, readerMs }: { upstreamMs: number; readerMs: number }) {
  let left = 10;
  const { relay, clock, endedTokens } = bench({
    first: [written("Hello")],
    next() {
      clock.advance(upstreamMs);
      if (left-- === 0) return Promise.resolve(undefined);
      return Promise.resolve([written("x", { usage: { input: 1, output: 500 }, usageBody: {} })]);
    },
  });
  while (await relay.next() !== undefined) clock.advance(readerMs);
  return endedTokens;
}

Deno.test("a stream tells what its upstream wrote in its time, unless its caller held it back", async () => {
  assert.deepEqual(await tokensOf({ upstreamMs: 100, readerMs: 0 }), [500]);
  assert.deepEqual(await tokensOf({ upstreamMs: 100, readerMs: 5 }), [500], "a tenth is no matter");
  assert.deepEqual(await tokensOf({ upstreamMs: 1, readerMs: 1 }), [500], "nor are milliseconds");
  assert.deepEqual(await tokensOf({ upstreamMs: 100, readerMs: 50 }), [undefined]);
  assert.deepEqual(await tokensOf({ upstreamMs: 0, readerMs: 100 }), [undefined]);
});
