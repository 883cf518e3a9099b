import assert from "node:assert/strict";
import { systemClock } from "../../../src/domain/clock.ts";
import { CHAT_FAULTS, parseChatFaults } from "../../../src/domain/chat_faults.ts";
import { createBuiltin } from "../../../src/providers/builtin/provider.ts";
import type { AnswerEvent, AnswerStream } from "../../../src/dialects/base/answer.ts";
import {
  chatCall,
  chatRoute,
  failureOf,
  never,
  providerSettings,
  readAll,
  readUntilFailure,
  timeouts,
} from "../../support/provider_parts.ts";

// "You said: Hello" is 4 tokens, this is 20.
const LONG = { messages: [{ role: "user", content: Array(17).fill("word").join(" ") }] };

function provider(limits: Parameters<typeof timeouts>[0] = {}) {
  const settings = providerSettings({ kind: "builtin", timeouts: timeouts(limits) });
  return createBuiltin(settings, { clock: systemClock, random: Math.random });
}

function call(faults: string, body = {}) {
  return chatCall(body, { route: chatRoute({ upstreamModel: `echo-1:${faults}` }) });
}

function tokensOf(events: readonly AnswerEvent[]): number {
  return events.filter((event) => event.text !== "").length;
}

Deno.test("status-N answers with that status, as an upstream would", async () => {
  const rows = [[429, "busy", 1], [503, "busy", 1], [500, "broken", undefined], [
    401,
    "doubtful",
    undefined,
  ], [400, "caller", undefined]] as const;
  for (const [status, failure, retryAfter] of rows) {
    for (const method of ["answer", "stream"] as const) {
      const error = await failureOf(
        provider().speaks.openai_chat[method](call(`status-${status}`), never()),
      );
      assert.equal(error.failure, failure);
      assert.equal(error.status, status);
      assert.equal(error.retryAfterSeconds, retryAfter);
    }
  }
});

Deno.test("stall ends at the first-byte limit in a stream, at the total limit in a plain call", async () => {
  const { events, error } = await readUntilFailure(
    await provider({ firstByteMs: 10 }).speaks.openai_chat.stream(call("stall"), never()),
  );
  assert.equal(events.length, 0);
  assert.equal(error.failure, "broken");
  assert.match(error.message, /begin to answer within 10 ms/);
  const plain = await failureOf(
    provider({ firstByteMs: 1, idleMs: 1, totalMs: 20 }).speaks.openai_chat.answer(
      call("stall"),
      never(),
    ),
  );
  assert.match(plain.message, /complete within 20 ms/);
});

Deno.test("stall-N sends N tokens, then ends at the idle limit", async () => {
  for (const [faults, tokens] of [["stall-5", 5], ["stall-19", 19], ["stall-500", 20]] as const) {
    const { events, error } = await readUntilFailure(
      await provider({ idleMs: 10 }).speaks.openai_chat.stream(call(faults, LONG), never()),
    );
    assert.equal(tokensOf(events), tokens);
    assert.ok(events.every((event) => !event.finished));
    assert.match(error.message, /send more within 10 ms/);
  }
});

Deno.test("cut-N sends N tokens and ends without a finish reason", async () => {
  for (const [faults, tokens] of [["cut-0", 0], ["cut-5", 5], ["cut-500", 20]] as const) {
    const { events, error } = await readUntilFailure(
      await provider().speaks.openai_chat.stream(call(faults, LONG), never()),
    );
    assert.equal(tokensOf(events), tokens);
    assert.ok(events.every((event) => !event.finished && event.usage === undefined));
    assert.equal(error.failure, "broken");
  }
  assert.equal(
    (await failureOf(provider().speaks.openai_chat.answer(call("cut-5"), never()))).failure,
    "broken",
  );
});

Deno.test("slow-N gives one token per read, and the total limit holds", async () => {
  const stream = await provider().speaks.openai_chat.stream(call("slow-1", LONG), never());
  for (let event = 0; event < 20; event++) assert.equal((await stream.next())?.length, 1);
  await readAll(stream);
  const { error } = await readUntilFailure(
    await provider({ totalMs: 25 }).speaks.openai_chat.stream(call("slow-10", LONG), never()),
  );
  assert.match(error.message, /complete within 25 ms/);
  await provider().speaks.openai_chat.answer(call("slow-1"), never());
});

Deno.test("no-usage reports none, plain and streamed", async () => {
  const answer = await provider().speaks.openai_chat.answer(call("no-usage"), never());
  assert.equal(answer.usage, undefined);
  assert.ok(!("usage" in answer.body));
  const events = await readAll(
    await provider().speaks.openai_chat.stream(call("no-usage"), never()),
  );
  assert.ok(events.at(-1)!.finished);
  assert.ok(events.every((event) => event.usage === undefined && event.usageBody === undefined));
});

Deno.test("faults combine with commas and colons", async () => {
  for (const faults of ["slow-1,cut-3", "cut-3:slow-1", "no-usage:slow-1,cut-3"]) {
    const { events } = await readUntilFailure(
      await provider().speaks.openai_chat.stream(call(faults), never()),
    );
    assert.equal(tokensOf(events), 3);
  }
  assert.deepEqual(parseChatFaults("echo-1:slow-20,cut-5:no-usage"), {
    status: undefined,
    stallAfter: undefined,
    cutAfter: 5,
    tokenMs: 20,
    noUsage: true,
  });
});

Deno.test("an unknown fault is the operator's, and the error lists all there are", async () => {
  const bad = [
    "nope",
    "",
    "cut",
    "cut-x",
    "status-200",
    "status-600",
    "slow",
    "no-usage-1",
    "cut-5,",
  ];
  for (const faults of bad) {
    const error = await failureOf(provider().speaks.openai_chat.answer(call(faults), never()));
    assert.equal(error.failure, "operator", faults);
    for (const name of Object.keys(CHAT_FAULTS)) assert.ok(error.message.includes(name));
  }
});

Deno.test("an abort ends every wait", async () => {
  const waits: readonly [string, (stream: AnswerStream) => Promise<unknown>][] = [
    ["stall", (stream) => stream.next()],
    ["stall-2", async (stream) => {
      await stream.next();
      await stream.next();
    }],
    ["slow-60000", (stream) => stream.next()],
  ];
  for (const [faults, wait] of waits) {
    const controller = new AbortController();
    const failed = failureOf(
      wait(await provider().speaks.openai_chat.stream(call(faults), controller.signal)),
    );
    controller.abort();
    assert.equal((await failed).failure, "aborted");

    const stream = await provider().speaks.openai_chat.stream(call(faults), never());
    const cancelled = failureOf(wait(stream));
    stream.cancel();
    stream.cancel();
    assert.equal((await cancelled).failure, "aborted");
  }
  const controller = new AbortController();
  const failed = failureOf(provider().speaks.openai_chat.answer(call("stall"), controller.signal));
  controller.abort();
  assert.equal((await failed).failure, "aborted");
  const early = await failureOf(
    provider().speaks.openai_chat.answer(call("no-usage"), AbortSignal.abort()),
  );
  assert.equal(early.failure, "aborted");
});
