/**
 * Calls by callbacks are told from those by promises by nobody: two gateways that differ in this alone
 * get the same odd requests, and the same odd answers from their upstreams.
 *
 * `TOLLGATE_QUICK_CASES` and `TOLLGATE_QUICK_SEED` ask for more cases, and for others.
 *
 * @module
 */

import assert from "node:assert/strict";
import { systemClock } from "../../src/domain/clock.ts";
import { MeteredCall } from "../../src/gateway/metered_call.ts";
import { QuickCall } from "../../src/gateway/quick_call.ts";
import { answerBody, chunk, finishChunk, usageChunk } from "../support/chat_bodies.ts";
import { jsonReply, type Reply, sseReply } from "../support/fake_upstream.ts";
import type { RawSocket } from "../support/raw_socket.ts";
import { compareTwins } from "../support/twins/compare_twins.ts";
import { masked } from "../support/twins/masked.ts";
import { QuickWatch } from "../support/twins/quick_watch.ts";
import { twinCase } from "../support/twins/twin_cases.ts";
import { ROOM_BYTES, Twin, type TwinRequest } from "../support/twins/twin_gateways.ts";
import { until } from "../support/until.ts";
import { within } from "../support/within.ts";

const CASES = Number(Deno.env.get("TOLLGATE_QUICK_CASES") ?? 240);
const SEED = Number(Deno.env.get("TOLLGATE_QUICK_SEED") ?? 1);
/** Unless more are asked for, they may take no longer. */
const MOST_MS = Deno.env.has("TOLLGATE_QUICK_CASES") ? Infinity : 30_000;

const encoder = new TextEncoder();
const FIRST_OF_WORD = "w".charCodeAt(0);
const END = [finishChunk(), usageChunk(10, 5), "[DONE]"];
const WHOLE = ["answer"];
const STREAM = ["begin", "part", "last part"];

/** A usual request. */
function ask(fields: Record<string, unknown> = {}, headers: readonly string[] = []): TwinRequest {
  const body = {
    model: "usual-1",
    messages: [{ role: "user", content: "Hello there" }],
    max_tokens: 2_000,
    ...fields,
  };
  return {
    project: "paying",
    headers: ["content-type: application/json", ...headers],
    body: encoder.encode(JSON.stringify(body)),
  };
}

const asStream = { stream: true };

Deno.test("odd calls go the same way by callbacks as by promises, to the last byte of the books", async () => {
  const { cases, differences } = await compareTwins({
    seed: SEED,
    cases: CASES,
    withinMs: MOST_MS,
    make: twinCase,
  });
  assert.deepEqual(differences, []);
  assert.ok(cases > 0);
});

Deno.test("usual calls go by callbacks to their end, others not at all", async () => {
  using watch = new QuickWatch();
  await using twin = await Twin.start("on");
  const plain = jsonReply(answerBody("Hi"));
  const stream = sseReply([chunk({ content: "Hi" }), ...END]);
  for (
    const [label, request, reply, steps] of [
      ["plain", ask(), plain, [WHOLE]],
      ["in chunks", ask(), { ...plain, framing: "chunked" }, [WHOLE]],
      ["stream", ask(asStream), stream, [STREAM]],
      ["tools", ask({ tools: [], n: 1, user: "u" }), plain, [WHOLE]],
      ["tags", ask({ tags: { team: "x" } }), plain, [WHOLE]],
      ["limits", { ...ask(), project: "single" }, plain, [WHOLE]],
      ["no answer yet", ask(), jsonReply({}, { status: 500 }), [["hand over"]]],
      ["broken", ask(asStream), sseReply([chunk({ content: "Hi" }), "cut!"]), [
        ["begin", "part", "hand over parts"],
      ]],
      ["Idempotency-Key", ask({}, ["idempotency-key: one"]), plain, []],
      ["further models", ask({ models: ["warm"] }), plain, []],
      ["kept prompts", { ...ask(), project: "keeping" }, plain, []],
      ["no balance", { ...ask(), project: "poor" }, plain, []],
      ["two packets", { ...ask({ user: "x".repeat(300) }), cuts: [300] }, plain, []],
      ["wrong", ask({ messages: 7 }), plain, []],
    ] as const
  ) {
    // It leaves an idle connection to the upstream, by whichever way.
    await twin.warm();
    watch.calls.length = 0;
    await twin.run({ label, requests: [request as TwinRequest], replies: [reply as Reply, plain] });
    const warmed = label === "broken" || label === "no answer yet"
      ? watch.calls.slice(0, 1)
      : undefined;
    assert.deepEqual(warmed ?? watch.calls.slice(0, -1), steps, label);
  }
});

Deno.test("none goes by callbacks where that is switched off", async () => {
  using watch = new QuickWatch();
  await using twin = await Twin.start("off");
  await twin.warm();
  await twin.warm();
  assert.equal(watch.engine, undefined);
  assert.deepEqual(watch.calls, []);
});

/** Does the same at both; what it gives and what is written down must be the same, too. */
async function same(
  does: (twin: Twin, watch: QuickWatch) => Promise<unknown>,
): Promise<void> {
  using watch = new QuickWatch();
  const seen: unknown[] = [];
  for (const quickCalls of ["on", "off"] as const) {
    await using twin = await Twin.start(quickCalls);
    await twin.warm();
    const said = await does(twin, watch);
    await twin.quiet();
    assert.ok(await twin.hasRoom(ROOM_BYTES), "bytes are still counted");
    const { calls, rows } = await twin.look();
    seen.push({ said, calls, rows });
    const { held } = twin.gateway.admin.ledger.balanceOf("paying");
    assert.equal(held, 0n);
  }
  assert.deepEqual(seen[0], seen[1]);
  assert.ok(watch.calls.length > 0, "one of them went by callbacks");
}

/** Sends a request on a connection of its own. */
async function send(twin: Twin, request: TwinRequest): Promise<RawSocket> {
  const socket = await twin.connect();
  await socket.send(twin.written(request));
  return socket;
}

function soon<T>(what: string, promise: Promise<T>): Promise<T> {
  return within(30_000, promise, () => `Cannot wait longer for ${what}`);
}

/** The next request that the upstream gets. */
function nextAsked(twin: Twin) {
  return twin.upstream.received(twin.upstream.requests.length);
}

for (const stream of [false, true]) {
  Deno.test(`a caller leaves before ${stream ? "a stream" : "an answer"} begins`, async () => {
    await same(async (twin) => {
      twin.upstream.answer({ before: ["stall!"], steps: [] });
      const asked = nextAsked(twin);
      const socket = await send(twin, ask({ stream }));
      const request = await asked;
      socket[Symbol.dispose]();
      await soon("the end", request.closed);
    });
  });
}

Deno.test("a caller leaves in the middle of a stream", async () => {
  await same(async (twin) => {
    twin.upstream.answer(sseReply([chunk({ content: "Some words" }), "stall!"]));
    const asked = nextAsked(twin);
    const socket = await send(twin, ask(asStream));
    await socket.readThrough("words");
    socket[Symbol.dispose]();
    await soon("the end", (await asked).closed);
  });
});

for (const stream of [false, true]) {
  Deno.test(`a caller leaves while ${stream ? "a stream" : "an answer"} is settled`, async () => {
    const closeThen = MeteredCall.prototype.closeThen;
    const left = QuickCall.prototype.left;
    try {
      const settling = Promise.withResolvers<() => void>();
      const gone = Promise.withResolvers<void>();
      QuickCall.prototype.left = function () {
        left.call(this);
        gone.resolve();
      };
      await using twin = await Twin.start("on");
      await twin.warm();
      await twin.look();
      MeteredCall.prototype.closeThen = function (...how) {
        settling.resolve(() => closeThen.apply(this, how));
      };
      twin.upstream.answer(
        stream ? sseReply([chunk({ content: "Hi" }), ...END]) : jsonReply(answerBody("Hi")),
      );
      const socket = await send(twin, ask({ stream }));
      const settle = await settling.promise;
      socket[Symbol.dispose]();
      await soon("the leaving", gone.promise);
      settle();
      await twin.quiet();
      const { rows, calls } = await twin.look();
      assert.equal(calls.length, 1);
      assert.match(calls[0]!, /"state":"settled","result":"completed"/);
      assert.equal(rows.length, 1);
      MeteredCall.prototype.closeThen = closeThen;
      await twin.warm();
      assert.ok(await twin.hasRoom(ROOM_BYTES));
    } finally {
      MeteredCall.prototype.closeThen = closeThen;
      QuickCall.prototype.left = left;
    }
  });
}

for (const ends of [true, false]) {
  Deno.test(`a gateway stops in the middle of a stream that ${ends ? "ends" : "does not end"}`, async () => {
    using watch = new QuickWatch();
    const told: string[] = [];
    for (const quickCalls of ["on", "off"] as const) {
      await using twin = await Twin.start(quickCalls, { drainTimeoutMs: ends ? 30_000 : 100 });
      await twin.warm();
      const goOn = Promise.withResolvers<void>();
      twin.upstream.answer(sseReply([chunk({ content: "words" }), goOn.promise, ...END]));
      using socket = await send(twin, ask(asStream));
      const begun = await socket.readThrough("words");
      const stopping = twin.gateway.stop();
      if (ends) {
        await until(
          "the drain",
          () => twin.gateway.log().includes("drain") || watch.engine?.draining,
        );
        goOn.resolve();
      }
      const { text } = await socket.readToEnd();
      await stopping;
      goOn.resolve();
      told.push(masked(begun + text).replaceAll(/\r\n[0-9a-f]+\r\n/g, ""));
    }
    assert.equal(told[0], told[1]);
    assert.match(told[0]!, ends ? /\[DONE\]/ : /"error"/);
    assert.deepEqual(watch.calls.length, 1);
  });
}

Deno.test("a gateway stops while the part is sent after which a stream was to be cut", async () => {
  const { sent, stop } = QuickCall.prototype;
  const stopped = Promise.withResolvers<void>();
  QuickCall.prototype.sent = function () {
    stopped.promise.then(() => sent.call(this));
  };
  QuickCall.prototype.stop = function () {
    stop.call(this);
    stopped.resolve();
  };
  try {
    await using twin = await Twin.start("on", { drainTimeoutMs: 100 });
    await twin.warm();
    twin.upstream.answer(sseReply([chunk({ content: "words ".repeat(5_000) }), "stall!"]));
    using socket = await send(twin, ask({ ...asStream, max_tokens: 5 }));
    await socket.readThrough("words");
    const stopping = twin.gateway.stop();
    const { text } = await socket.readToEnd();
    await stopping;
    assert.match(text, /"error"/);
    assert.ok(text.endsWith("\r\n0\r\n\r\n"), "the answer is cut");
  } finally {
    Object.assign(QuickCall.prototype, { sent, stop });
  }
});

Deno.test("a stream whose upstream is silent is kept alive by comments", async () => {
  await same(async (twin, watch) => {
    const goOn = Promise.withResolvers<void>();
    twin.upstream.answer(sseReply([chunk({ content: "words" }), goOn.promise, ...END]));
    using socket = await send(twin, ask(asStream));
    const begun = await socket.readThrough("words");
    keepAlive(watch, 14_000);
    keepAlive(watch, 16_000);
    const comment = await soon("a comment", socket.readThrough(": keepalive"));
    goOn.resolve();
    const rest = await socket.readThrough("[DONE]");
    return masked(begun + comment + rest).replaceAll(/\r\n[0-9a-f]+\r\n/g, "");
  });
});

/** Has streams kept alive as that long from now. */
function keepAlive({ engine }: QuickWatch, afterMs: number): void {
  const { monotonic } = systemClock;
  systemClock.monotonic = () => monotonic() + afterMs;
  try {
    engine!.keepStreamsAlive();
  } finally {
    systemClock.monotonic = monotonic;
  }
}

/** How many words an answer has, read to its last chunk. */
async function countWords(conn: Deno.Conn): Promise<number> {
  const buffer = new Uint8Array(64 * 1024);
  const decoder = new TextDecoder();
  let words = 0;
  for (let tail = ""; !tail.endsWith("\r\n0\r\n\r\n");) {
    const count = await conn.read(buffer);
    assert.ok(count !== null, "the answer is cut");
    const bytes = buffer.subarray(0, count);
    for (const byte of bytes) if (byte === FIRST_OF_WORD) words++;
    tail = (tail + decoder.decode(bytes)).slice(-16);
  }
  return words;
}

Deno.test("a caller that reads slowly holds its upstream back, and gets all of it", async () => {
  await same(async (twin) => {
    const long = chunk({ content: "words ".repeat(40_000) });
    let written = 0;
    const parts = Array<object>(120).fill(long);
    twin.upstream.answer((request) =>
      request.json().stream === true
        ? { ...sseReply([...parts, ...END]), onWrite: () => written++ }
        : jsonReply(answerBody("Hi"))
    );
    using slow = await send(twin, ask({ ...asStream, max_tokens: 16_000_000 }));
    await slow.readExactly(100);
    // Others are served meanwhile, for longer than it takes to fill all buffers.
    for (let call = 0; call < 100; call++) await twin.warm();
    assert.ok(written < parts.length, "all was read that nobody has taken");
    return await soon("the rest", countWords(slow.conn));
  });
});
