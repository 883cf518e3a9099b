import assert from "node:assert/strict";
import { nested } from "../../../support/nested_tokens.ts";
import { gzipSync } from "node:zlib";
import type { AnswerEvent } from "../../../../src/dialects/base/answer.ts";
import type { JsonObject } from "../../../../src/domain/json_value.ts";
import type { Transport } from "../../../../src/providers/transport/contract.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import {
  rawSseReply,
  type Reply,
  sseReply,
  startFakeUpstream,
} from "../../../support/fake_upstream.ts";
import {
  chatCall,
  chunk,
  never,
  openAiCompatible,
  readAll,
  textChunk,
} from "../../../support/provider_parts.ts";

const STOP = chunk({}, { finish_reason: "stop" });
const USAGE = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };

async function stream(reply: Reply): Promise<AnswerEvent[]> {
  await using upstream = await startFakeUpstream(reply);
  return await readAll(
    await openAiCompatible(upstream.url).speaks.openai_chat.stream(chatCall(), never()),
  );
}

function deltas(events: readonly AnswerEvent[]): JsonObject[] {
  return events.flatMap(({ chunk }) =>
    (chunk.choices as { delta: JsonObject }[]).map((choice) => choice.delta)
  );
}

function textOf(events: readonly AnswerEvent[]): string {
  return events.map((event) => event.text).join("");
}

Deno.test("a stream that is finished and counted ends without [DONE], though its upstream goes on", async () => {
  const clock = new FakeClock();
  const sent = [textChunk("Hi"), STOP, chunk({ choices: [], usage: USAGE })];
  let reads = 0;
  const transport: Transport = {
    request: () =>
      Promise.resolve({
        status: 200,
        header: (name) => name === "content-type" ? "text/event-stream" : undefined,
        read() {
          clock.advance(1_000);
          const next = sent[reads++];
          assert.ok(reads < 30, "it is read without end");
          const text = next === undefined ? ": alive\n\n" : `data: ${JSON.stringify(next)}\n\n`;
          return Promise.resolve(new TextEncoder().encode(text));
        },
        text: () => Promise.reject(new Error("nobody asks for all of it")),
        close() {},
        release() {},
      }),
    close() {},
  };
  const { openai_chat } = openAiCompatible("http://up.example/v1", { clock, transport }).speaks;
  const events = await readAll(await openai_chat.stream(chatCall(), never()));
  assert.equal(textOf(events), "Hi");
  assert.equal(events.at(-1)!.usageBody?.total_tokens, USAGE.total_tokens);
});

Deno.test("a stream's chunks pass on with unknown fields, usage apart", async () => {
  const events = await stream(sseReply([
    chunk({ obfuscation: "xyz", service_tier: "default" }, {
      delta: { role: "assistant", content: "" },
      content_filter_results: { hate: { filtered: false } },
      logprobs: null,
    }),
    textChunk("Hel"),
    textChunk("lo"),
    STOP,
    chunk({ usage: USAGE }),
    "[DONE]",
  ]));
  assert.equal(textOf(events), "Hello");
  assert.deepEqual(events[0]!.chunk, {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "upstream-model",
    obfuscation: "xyz",
    service_tier: "default",
    choices: [{
      index: 0,
      delta: { role: "assistant", content: "" },
      finish_reason: null,
      content_filter_results: { hate: { filtered: false } },
      logprobs: null,
    }],
  });
  assert.deepEqual(events.map((event) => event.finished), [false, false, false, true, false]);
  assert.deepEqual(events.map((event) => event.empty), [false, false, false, false, true]);
  const last = events.at(-1)!;
  assert.equal(nested(last.usage)?.completionTokens, 2);
  assert.equal(last.usageBody?.total_tokens, 7);
  for (const event of events) {
    assert.ok(!("usage" in event.chunk));
    assert.ok(!("error" in event.chunk));
  }
});

Deno.test("usage: null on every chunk is no usage", async () => {
  const events = await stream(sseReply([
    { ...textChunk("Hi"), usage: null },
    { ...STOP, usage: null },
    { ...chunk(), usage: USAGE },
    "[DONE]",
  ]));
  assert.deepEqual(events.map((event) => nested(event.usage)?.promptTokens), [
    undefined,
    undefined,
    5,
  ]);
  for (const event of events) assert.ok(!("usage" in event.chunk));
});

Deno.test("Azure's first chunk waits for the real id", async () => {
  const events = await stream(sseReply([
    { ...chunk({ prompt_filter_results: [{ prompt_index: 0 }] }), id: "", model: "", created: 0 },
    textChunk("Hi", "stop"),
    "[DONE]",
  ]));
  assert.equal(events.length, 2);
  assert.deepEqual(events[0]!.chunk, {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "upstream-model",
    choices: [],
    prompt_filter_results: [{ prompt_index: 0 }],
  });
  assert.ok(events[0]!.empty);
});

Deno.test("a stream has one non-empty id throughout, whatever the upstream sends", async () => {
  for (const ids of [["", "", ""], [undefined, "a", "b"], ["", "a", ""], ["a", "b", null]]) {
    const events = await stream(sseReply([
      { ...chunk(), id: ids[0], prompt_filter_results: [] },
      { ...textChunk("Hi"), id: ids[1] },
      { ...STOP, id: ids[2] },
      "[DONE]",
    ]));
    const seen = new Set(events.map((event) => event.chunk.id));
    assert.equal(seen.size, 1, JSON.stringify(ids));
    assert.ok([...seen][0]);
    assert.equal(events.length, 3);
  }
});

Deno.test("a stream of chunks without object, created and model is completed", async () => {
  const events = await stream(sseReply([
    { choices: [{ delta: { content: "Hi" } }] },
    { choices: [{ delta: {}, finish_reason: "stop" }] },
    "[DONE]",
  ]));
  for (const { chunk } of events) {
    assert.equal(chunk.object, "chat.completion.chunk");
    assert.equal(chunk.model, "upstream-model");
    assert.ok(Number.isInteger(chunk.created) && (chunk.created as number) > 1_700_000_000);
    assert.match(chunk.id as string, /^chatcmpl-\w{24}$/);
  }
  assert.equal(new Set(events.map((event) => event.chunk.created)).size, 1);
});

Deno.test("xAI: no finish_reason key until the end, reasoning deltas, a whole tool call at once", async () => {
  const bare = (delta: JsonObject) => ({ ...chunk(), choices: [{ index: 0, delta }] });
  const call = { id: "call_1", type: "function", function: { name: "f", arguments: '{"a":1}' } };
  const events = await stream(sseReply([
    bare({ role: "assistant", reasoning_content: "Think" }),
    bare({ tool_calls: [{ index: 0, ...call }] }),
    chunk({}, { finish_reason: "tool_calls" }),
    "[DONE]",
  ]));
  assert.deepEqual(
    events.map(({ chunk }) => (chunk.choices as JsonObject[])[0]!.finish_reason),
    [null, null, "tool_calls"],
  );
  assert.equal(events[0]!.text, "Think");
  assert.equal(events[1]!.text, 'f{"a":1}');
  assert.deepEqual(deltas(events)[1], { tool_calls: [{ index: 0, ...call }] });
});

Deno.test("empty tool_calls are left out, empty content stays", async () => {
  const events = await stream(sseReply([
    chunk({}, { delta: { role: "assistant", content: "", tool_calls: [] } }),
    chunk({}, { delta: { content: "Hi", tool_calls: null } }),
    chunk({}, { delta: { content: " you", tool_calls: [] }, finish_reason: "stop" }),
    "[DONE]",
  ]));
  assert.deepEqual(deltas(events), [
    { role: "assistant", content: "" },
    { content: "Hi" },
    { content: " you" },
  ]);
  assert.equal(textOf(events), "Hi you");
});

Deno.test("finish_reason on the chunk with the last text counts", async () => {
  const events = await stream(sseReply([textChunk("Hi"), textChunk(" you", "stop"), "[DONE]"]));
  assert.equal(textOf(events), "Hi you");
  assert.ok(events[1]!.finished);
});

Deno.test("a finish_reason comes once per choice", async () => {
  const events = await stream(sseReply([
    textChunk("Hi", "stop"),
    STOP,
    chunk({ usage: USAGE }, { finish_reason: "stop" }),
    "[DONE]",
  ]));
  assert.deepEqual(events.map((event) => event.finished), [true, false, false]);
});

Deno.test("the first delta of each choice has the role assistant, and no later one another", async () => {
  const events = await stream(sseReply([
    textChunk("a"),
    chunk({}, { delta: { role: "", content: "b" } }),
    chunk({}, { delta: { role: null, content: "c" } }),
    chunk({}, { index: 1, delta: { role: "model", content: "d" } }),
    chunk({}, { index: 1, delta: { role: "assistant" }, finish_reason: "stop" }),
    STOP,
    "[DONE]",
  ]));
  assert.deepEqual(deltas(events).map((delta) => delta.role), [
    "assistant",
    undefined,
    undefined,
    "assistant",
    "assistant",
    undefined,
  ]);
});

Deno.test("Mistral: content in parts becomes text and reasoning_content", async () => {
  const events = await stream(sseReply([
    chunk({}, {
      delta: {
        content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm" }] }],
        tool_calls: null,
      },
    }),
    chunk({}, { delta: { content: [{ type: "text", text: "Hi" }, { type: "text", text: "!" }] } }),
    STOP,
    "[DONE]",
  ]));
  assert.deepEqual(deltas(events).slice(0, 2), [
    { role: "assistant", content: "", reasoning_content: "Hm" },
    { content: "Hi!" },
  ]);
  assert.equal(textOf(events), "HmHi!");
});

Deno.test("[DONE] may be missing when every choice is finished", async () => {
  const events = await stream(sseReply([textChunk("Hi"), STOP]));
  assert.equal(textOf(events), "Hi");
});

Deno.test("[DONE] may stand in spaces, and nothing after it counts", async () => {
  const events = await stream(rawSseReply([
    `data: ${JSON.stringify(textChunk("Hi", "stop"))}\n\n`,
    "data:   [DONE]  \n\n",
    "data: {not json\n\n",
  ]));
  assert.equal(textOf(events), "Hi");
});

Deno.test("[DONE] without a finish_reason gets one", async () => {
  const call = { index: 0, id: "a", type: "function", function: { name: "f", arguments: "{}" } };
  for (
    const [delta, reason] of [
      [{ content: "Hi" }, "stop"],
      [{ tool_calls: [call] }, "tool_calls"],
    ] as const
  ) {
    const events = await stream(sseReply([chunk({}, { delta }), "[DONE]"]));
    assert.equal(events.length, 2);
    assert.ok(events[1]!.finished);
    assert.deepEqual(events[1]!.chunk.choices, [{ index: 0, delta: {}, finish_reason: reason }]);
    assert.equal(events[1]!.chunk.id, "chatcmpl-1");
  }
});

Deno.test("a final event without its blank line counts", async () => {
  const events = await stream(rawSseReply([
    `data: ${JSON.stringify(textChunk("Hi"))}\r\n\r\ndata: ${JSON.stringify(STOP)}`,
  ]));
  assert.ok(events.at(-1)!.finished);
});

Deno.test("comments, names and a byte order mark are no events", async () => {
  const events = await stream(rawSseReply([
    "\ufeff: OPENROUTER PROCESSING\n\n",
    `event: message\nid: 1\nretry: 5\ndata: ${JSON.stringify(textChunk("Hi", "stop"))}\n\n`,
    "event: ping\n\n",
    "data:\n\n",
    "data: [DONE]\n\n",
  ]));
  assert.equal(events.length, 1);
});

Deno.test("every division of the bytes gives the same events", async () => {
  const text =
    [textChunk("Grüße 😀 世界"), STOP].map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`)
      .join("") + "data: [DONE]\r\n\r\n";
  const bytes = new TextEncoder().encode(text);
  const pieces = (size: number) =>
    Array.from(
      { length: Math.ceil(bytes.length / size) },
      (_, at) => bytes.slice(at * size, (at + 1) * size),
    );
  for (const size of [1, 2, 3, 7, 64, bytes.length]) {
    const events = await stream(rawSseReply(pieces(size)));
    assert.equal(textOf(events), "Grüße 😀 世界", `pieces of ${size}`);
    assert.equal(events.length, 2);
  }
});

Deno.test("half a UTF-8 sequence is replaced and the stream goes on", async () => {
  const json = new TextEncoder().encode(JSON.stringify(textChunk("H?")));
  json[json.indexOf(0x3f)] = 0xc3;
  const events = await stream(rawSseReply([
    "data: ",
    json,
    `\n\ndata: ${JSON.stringify(STOP)}\n\n`,
    new Uint8Array([0xe4, 0xb8]),
  ]));
  assert.equal(textOf(events), "H\ufffd");
});

Deno.test("a gzipped stream is decoded as it comes", async () => {
  const text = [textChunk("Hi"), STOP].map((one) => `data: ${JSON.stringify(one)}\n\n`).join("");
  const events = await stream({
    headers: { "content-type": "text/event-stream", "content-encoding": "gzip" },
    steps: [gzipSync(text)],
  });
  assert.equal(textOf(events), "Hi");
});

Deno.test("each event is there as soon as the upstream has sent it", async () => {
  const gate = Promise.withResolvers<void>();
  const [first, last] = [textChunk("Hi"), STOP].map((one) => `data: ${JSON.stringify(one)}\n\n`);
  await using upstream = await startFakeUpstream(
    rawSseReply([first!, gate.promise, last!, "data: [DONE]\n\n"]),
  );
  const opened = await openAiCompatible(upstream.url).speaks.openai_chat.stream(
    chatCall(),
    never(),
  );
  const events = await opened.next();
  assert.equal(textOf(events!), "Hi");
  gate.resolve();
  assert.ok((await readAll(opened)).at(-1)!.finished);
});

Deno.test("error: null in a chunk is no error and does not pass on", async () => {
  const events = await stream(sseReply([{ ...textChunk("Hi", "stop"), error: null }, "[DONE]"]));
  assert.ok(!("error" in events[0]!.chunk));
});
