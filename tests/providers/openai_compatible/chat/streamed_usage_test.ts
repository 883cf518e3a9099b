import { nested } from "../../../support/nested_tokens.ts";
import assert from "node:assert/strict";
import type { AnswerEvent } from "../../../../src/dialects/base/answer.ts";
import type { JsonObject } from "../../../../src/domain/json_value.ts";
import { type Reply, sseReply, startFakeUpstream } from "../../../support/fake_upstream.ts";
import {
  chatCall,
  chatRoute,
  chunk,
  never,
  openAiCompatible,
  readAll,
  textChunk,
} from "../../../support/provider_parts.ts";

const STOP = chunk({}, { finish_reason: "stop" });
const USAGE = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };

async function stream(reply: Reply, supports = {}): Promise<AnswerEvent[]> {
  await using upstream = await startFakeUpstream(reply);
  const call = chatCall({}, { route: chatRoute({ supports }) });
  return await readAll(
    await openAiCompatible(upstream.url).speaks.openai_chat.stream(call, never()),
  );
}

Deno.test("Groq: usage on the finishing chunk and under x_groq, counted once", async () => {
  const usage = { ...USAGE, queue_time: 0.01, total_time: 0.5 };
  const events = await stream(sseReply([
    textChunk("Hi"),
    { ...STOP, usage, x_groq: { id: "req_1", usage } },
    "[DONE]",
  ]));
  const last = events.at(-1)!;
  assert.equal(nested(last.usage)?.promptTokens, 5);
  assert.equal(last.usageBody?.queue_time, 0.01);
  assert.ok(!last.empty && last.finished);
  assert.deepEqual(last.chunk.x_groq, { id: "req_1", usage });
});

Deno.test("Groq: usage and no text at all is a proper answer", async () => {
  for (const tail of [["[DONE]"], []]) {
    const events = await stream(sseReply([{ ...chunk(), x_groq: { usage: USAGE } }, ...tail]));
    assert.equal(events.length, 1);
    assert.equal(nested(events[0]!.usage)?.completionTokens, 2);
    assert.ok(events[0]!.empty);
  }
});

Deno.test("Kimi: usage in the finishing choice, then at top level, is not added up", async () => {
  const inChoice = { ...USAGE, cached_tokens: 3 };
  const finishing = chunk({}, { finish_reason: "stop", usage: inChoice });
  const events = await stream(sseReply([
    textChunk("Hi"),
    finishing,
    chunk({ usage: { ...USAGE, prompt_tokens: 6 } }),
    "[DONE]",
  ]));
  assert.deepEqual(events.map((event) => nested(event.usage)?.promptTokens), [undefined, 5, 6]);
  assert.equal(nested(events[1]!.usage)?.cachedTokens, 3);
  assert.ok(!("usage" in (events[1]!.chunk.choices as JsonObject[])[0]!));
});

Deno.test("Kimi: usage in a choice never replaces usage that stood at top level", async () => {
  const events = await stream(sseReply([
    { ...textChunk("Hi"), usage: USAGE },
    chunk({}, { finish_reason: "stop", usage: { ...USAGE, prompt_tokens: 99 } }),
    "[DONE]",
  ]));
  assert.deepEqual(events.map((event) => nested(event.usage)?.promptTokens), [5, undefined]);
});

Deno.test("Gemini, vLLM: cumulative usage on every chunk, the last one counts", async () => {
  const at = (completion_tokens: number) => ({ prompt_tokens: 5, completion_tokens });
  const events = await stream(sseReply([
    { ...textChunk("a"), usage: at(1) },
    { ...textChunk("b"), usage: at(2) },
    { ...STOP, usage: at(3) },
    "[DONE]",
  ]));
  assert.deepEqual(events.map((event) => nested(event.usage)?.completionTokens), [1, 2, 3]);
});

Deno.test("Anthropic's endpoint, small servers: no usage at all", async () => {
  const events = await stream(sseReply([textChunk("Hi"), STOP, "[DONE]"]));
  for (const event of events) {
    assert.equal(event.usage, undefined);
    assert.equal(event.usageBody, undefined);
  }
});

Deno.test("absurd usage in a stream is none", async () => {
  const usage = { prompt_tokens: 50_000, completion_tokens: 2 };
  const events = await stream(sseReply([{ ...textChunk("Hi", "stop"), usage }, "[DONE]"]), {
    contextTokens: 4_096,
  });
  assert.equal(events[0]!.usage, undefined);
  assert.equal(events[0]!.usageBody, undefined);
});
