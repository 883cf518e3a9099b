import assert from "node:assert/strict";
import { isObject, type JsonObject } from "../../../src/domain/json_value.ts";
import type { AnswerEvent } from "../../../src/dialects/base/answer.ts";
import { UpstreamError } from "../../../src/domain/upstream_error.ts";
import schemas from "../../fixtures/openai/response_schemas.json" with { type: "json" };
import { STREAM_SHAPES } from "../../support/chat_stream_shapes.ts";
import {
  ChunkStream,
  convertPlain,
  convertStream,
  eventsOver,
  NOW_SECONDS,
} from "../../support/converted_response.ts";
import { joinChunks } from "../../support/joined_chunks.ts";
import { chunk, readAll, readUntilFailure, textChunk } from "../../support/provider_parts.ts";
import { assertSatisfies } from "../../support/schema_check.ts";

const STOP = chunk({}, { finish_reason: "stop" });

function typesOf(events: readonly AnswerEvent[]): unknown[] {
  return events.map(({ chunk }) => (chunk.type as string).replace("response.", ""));
}

function finalOf(events: readonly AnswerEvent[]): JsonObject {
  return events.at(-1)!.chunk.response as JsonObject;
}

for (const { name, reads, status = "completed", items } of STREAM_SHAPES) {
  Deno.test(`ResponseEvents converts a stream: ${name}`, async () => {
    const events = await convertStream(reads);
    events.forEach(({ chunk }, sequence_number) =>
      assertSatisfies(schemas, "ResponseStreamEvent", { ...chunk, sequence_number })
    );
    const final = finalOf(events);
    assert.equal(final.status, status);
    assert.deepEqual((final.output as JsonObject[]).map(({ type }) => type), items);
    assert.deepEqual(typesOf(events).slice(0, 2), ["created", "in_progress"]);
    assert.deepEqual(events.map(({ finished }) => finished), [
      ...events.slice(1).map(() => false),
      true,
    ]);
    assert.equal(events.at(-1)!.chunk.type, `response.${status}`);
    assert.equal(final.service_tier, reads[0]![0]!.service_tier);
    assertBracketed(events);
    assertDeltasAddUp(events);
  });

  Deno.test(`ResponseEvents ends with what toResponse() makes of the same answer: ${name}`, async () => {
    const joined = await joinChunks(reads);
    const plain = convertPlain(joined);
    const final = finalOf(await convertStream(reads));
    assert.deepEqual(final, plain.body);
  });

  Deno.test(`ResponseEvents tells the text and usage of the chat stream: ${name}`, async () => {
    const chat = (await readAll(new ChunkStream(reads))).filter(({ chunk }) =>
      (chunk.choices as JsonObject[]).every(({ index }) => index === 0)
    );
    const events = await convertStream(reads);
    const letters = (all: readonly AnswerEvent[]) =>
      all.map(({ text }) => text).join("").split("").sort().join("");
    assert.equal(letters(events), letters(chat));
    const usages = (all: readonly AnswerEvent[]) =>
      all.filter(({ usageBody }) => usageBody !== undefined).map(({ usage }) => usage);
    assert.deepEqual(usages(events).at(-1), usages(chat).at(-1));
    for (const { usageBody } of events) {
      if (usageBody !== undefined) assertSatisfies(schemas, "ResponseUsage", usageBody);
    }
  });
}

Deno.test("ResponseEvents keeps OpenAI's order when it writes thoughts, text and a call", async () => {
  const call = {
    index: 0,
    id: "call_1",
    type: "function",
    function: { name: "f", arguments: "{}" },
  };
  const events = await convertStream([
    [chunk({}, { delta: { reasoning_content: "Hm" } })],
    [textChunk("Let "), textChunk("me")],
    [chunk({}, { delta: { tool_calls: [call] } })],
    [chunk({}, { finish_reason: "tool_calls" })],
  ]);
  assert.deepEqual(typesOf(events), [
    "created",
    "in_progress",
    "output_item.added",
    "reasoning_summary_part.added",
    "reasoning_summary_text.delta",
    "reasoning_summary_text.done",
    "reasoning_summary_part.done",
    "output_item.done",
    "output_item.added",
    "content_part.added",
    "output_text.delta",
    "output_text.delta",
    "output_text.done",
    "content_part.done",
    "output_item.done",
    "output_item.added",
    "function_call_arguments.delta",
    "function_call_arguments.done",
    "output_item.done",
    "completed",
  ]);
  assert.deepEqual(events.map(({ chunk }) => chunk.output_index), [
    undefined,
    undefined,
    ...Array(6).fill(0),
    ...Array(7).fill(1),
    ...Array(4).fill(2),
    undefined,
  ]);
  assert.equal(events.at(-3)!.chunk.name, "f");
  assert.deepEqual(finalOf(events).output, [
    { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "Hm" }] },
    {
      id: "msg_2",
      type: "message",
      status: "completed",
      role: "assistant",
      content: [{ type: "output_text", text: "Let me", annotations: [], logprobs: [] }],
    },
    {
      id: "fc_3",
      type: "function_call",
      status: "completed",
      arguments: "{}",
      call_id: "call_1",
      name: "f",
    },
  ]);
});

Deno.test("ResponseEvents passes on each network read by itself", async () => {
  const stream = eventsOver(
    new ChunkStream([[textChunk("A")], [textChunk("B"), textChunk("C")], [STOP]]),
  );
  assert.deepEqual(typesOf(await stream.next() ?? []), [
    "created",
    "in_progress",
    "output_item.added",
    "content_part.added",
    "output_text.delta",
  ]);
  assert.deepEqual(typesOf(await stream.next() ?? []), ["output_text.delta", "output_text.delta"]);
  assert.deepEqual(typesOf(await stream.next() ?? []), [
    "output_text.done",
    "content_part.done",
    "output_item.done",
  ]);
  const last = await stream.next() ?? [];
  assert.deepEqual(typesOf(last), ["completed"]);
  assert.equal((last[0]!.chunk.response as JsonObject).completed_at, NOW_SECONDS);
  assert.equal(await stream.next(), undefined);
  assert.equal(await stream.next(), undefined);
});

Deno.test("ResponseEvents says nothing that counts as output before the model has written", async () => {
  const events = await convertStream([[
    chunk({}, { delta: { role: "assistant", content: "" } }),
  ], [textChunk("A", "stop")]]);
  assert.deepEqual(
    events.filter(({ text, finished }) => text !== "" || finished).map(({ chunk }) => chunk.type),
    ["response.output_text.delta", "response.completed"],
  );
});

Deno.test("ResponseEvents starts another item when thoughts or text come back", async () => {
  const events = await convertStream([
    [chunk({}, { delta: { reasoning_content: "a" } }), textChunk("b")],
    [chunk({}, { delta: { reasoning_content: "c" } }), textChunk("d"), STOP],
  ]);
  assert.deepEqual((finalOf(events).output as JsonObject[]).map(({ type }) => type), [
    "reasoning",
    "message",
    "reasoning",
    "message",
  ]);
  assertBracketed(events);
  assertDeltasAddUp(events);
});

Deno.test("ResponseEvents writes text behind a refusal as a part of its own", async () => {
  const events = await convertStream([
    [chunk({}, { delta: { refusal: "No. " } })],
    [textChunk("But "), textChunk("this")],
    [STOP],
  ]);
  assert.deepEqual(
    events.filter(({ text }) => text !== "").map(({ chunk }) => [chunk.type, chunk.content_index]),
    [["response.refusal.delta", 0], ["response.output_text.delta", 1], [
      "response.output_text.delta",
      1,
    ]],
  );
  assertBracketed(events);
  assertDeltasAddUp(events);
});

Deno.test("ResponseEvents throws what the chat stream throws, without a last event", async () => {
  const broken = new UpstreamError("broken", "cut");
  const chat = new ChunkStream([[textChunk("A")]]);
  const stream = eventsOver({
    next: async () => {
      const events = await chat.next();
      if (events?.some(({ finished }) => finished)) throw broken;
      return events;
    },
    cancel: () => chat.cancel(),
  });
  const { events, error } = await readUntilFailure(stream);
  assert.equal(error, broken);
  assert.ok(!events.some(({ finished }) => finished));
  assert.ok(!typesOf(events).includes("completed"));
});

Deno.test("ResponseEvents fails when the finish reason is a failure", async () => {
  for (const reason of ["error", "insufficient_system_resource"]) {
    const { events, error } = await readUntilFailure(
      eventsOver(new ChunkStream([[textChunk("A")], [chunk({}, { finish_reason: reason })]])),
    );
    assert.equal(error.failure, "broken");
    assert.ok(!events.some(({ finished }) => finished));
  }
});

Deno.test("ResponseEvents fails when a stream is longer than any answer may be", async () => {
  const [event] = await readAll(new ChunkStream([[textChunk("A")]]));
  const text = "A".repeat(1 << 20);
  const { error } = await readUntilFailure(eventsOver({
    next: () => Promise.resolve([{ ...event!, text }]),
    cancel() {},
  }));
  assert.equal(error.failure, "broken");
});

Deno.test("ResponseEvents gives nothing for a stream that says nothing", async () => {
  const stream = eventsOver({ next: () => Promise.resolve(undefined), cancel() {} });
  assert.equal(await stream.next(), undefined);
});

Deno.test("cancel() closes the chat stream", () => {
  const chat = new ChunkStream([]);
  eventsOver(chat).cancel();
  assert.ok(chat.isCancelled);
});

Deno.test("ResponseEvents is not changed by who changes its events", async () => {
  const stream = eventsOver(new ChunkStream([[textChunk("A")], [STOP]]));
  for (const { chunk } of await stream.next() ?? []) {
    const { response } = chunk;
    if (isObject(response)) Object.assign(response, { id: "mine", output: null });
  }
  const final = finalOf(await readAll(stream));
  assert.notEqual(final.id, "mine");
  assert.equal((final.output as unknown[]).length, 1);
});

/** Every item and part is announced before its events, once, and ends once, after them. */
function assertBracketed(events: readonly AnswerEvent[]): void {
  const open = new Map<unknown, JsonObject>();
  const parts = new Set<string>();
  let added = 0;
  for (const { chunk } of events) {
    const { type, output_index, item, item_id } = chunk;
    const part = `${output_index}:${chunk.content_index ?? chunk.summary_index}`;
    if (type === "response.output_item.added") {
      assert.equal(output_index, added++);
      open.set(output_index, item as JsonObject);
    } else if (type === "response.output_item.done") {
      assert.equal((item as JsonObject).id, open.get(output_index)?.id);
      open.delete(output_index);
      assert.ok(![...parts].some((one) => one.startsWith(`${output_index}:`)), "an open part");
    } else if (item_id !== undefined) {
      assert.equal(open.get(output_index)?.id, item_id, `${type} outside of its item`);
      if (/part\.added$/.test(type as string)) {
        assert.ok(!parts.has(part));
        parts.add(part);
      } else if (/part\.done$/.test(type as string)) assert.ok(parts.delete(part));
      else if (!part.endsWith("undefined")) assert.ok(parts.has(part), `${type} outside of a part`);
    }
  }
  assert.equal(open.size, 0, "an item never ended");
}

/** The deltas of every item, joined, are what its done events and the last event say. */
function assertDeltasAddUp(events: readonly AnswerEvent[]): void {
  const written = new Map<unknown, string>();
  const whole = new Map<unknown, JsonObject>();
  for (const { chunk } of events) {
    const { type, item_id, delta, item } = chunk;
    if (typeof delta === "string") written.set(item_id, (written.get(item_id) ?? "") + delta);
    if (type === "response.output_item.done") {
      whole.set((item as JsonObject).id, item as JsonObject);
    }
  }
  const { output } = finalOf(events);
  assert.deepEqual(output, [...whole.values()].sort(byPlace(output as JsonObject[])));
  for (const item of whole.values()) assert.equal(written.get(item.id) ?? "", contentOf(item));
}

function byPlace(output: readonly JsonObject[]) {
  const place = (item: JsonObject) => output.findIndex(({ id }) => id === item.id);
  return (one: JsonObject, other: JsonObject) => place(one) - place(other);
}

function contentOf({ type, content, summary, arguments: args, input }: JsonObject): unknown {
  if (type === "function_call") return args;
  if (type === "custom_tool_call") return input;
  return ((content ?? summary) as JsonObject[]).map(({ text, refusal }) => text ?? refusal)
    .join("");
}
