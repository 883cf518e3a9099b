/**
 * Streams that Anthropic's Python client is tested with (its repository's `tests/lib/streaming/fixtures`
 * and `tests/fixtures/fable-fallback`, version 2.12.0, MIT), read as an upstream's.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DIALECTS } from "../../../src/dialects/registry.ts";
import { EventQueue } from "../../../src/dialects/base/event_queue.ts";
import { usageBody } from "../../../src/dialects/anthropic_messages/usage.ts";
import type { AnswerEvent } from "../../../src/dialects/base/answer.ts";
import { asObject, type JsonObject } from "../../../src/domain/json_value.ts";
import { completionTokens, promptTokens, type Work } from "../../../src/domain/work.ts";
import { MessageReader } from "../../../src/providers/anthropic/message_reader.ts";
import { countedIds } from "../../support/converted_response.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { sealOf } from "../../support/thought_seals.ts";

const FOLDER = new URL("../../fixtures/anthropic/streams/", import.meta.url);

/** The events of a stream; those that the client skips too are not there. */
function eventsOf(text: string): JsonObject[] {
  return text.replaceAll("\r\n", "\n").split("\n\n").flatMap((frame) => {
    const data = /^data: ?(.*)$/m.exec(frame)?.[1];
    return data === undefined ? [] : [JSON.parse(data)];
  });
}

function read(events: readonly JsonObject[]): AnswerEvent[] {
  const reader = new MessageReader(undefined);
  const told: AnswerEvent[] = [];
  for (const event of structuredClone(events)) {
    if (!reader.isOver) reader.read(event, String(event.type), told);
  }
  if (!reader.isOver) reader.end("body", told);
  return told;
}

/** What a client puts together of the blocks. */
function contentOf(events: readonly JsonObject[]): unknown[] {
  const blocks = new Map<unknown, JsonObject>();
  for (const { type, index, content_block, delta } of events) {
    if (type === "content_block_start") blocks.set(index, { ...content_block as JsonObject });
    const block = blocks.get(index);
    if (type !== "content_block_delta" || block === undefined) continue;
    for (const [field, value] of Object.entries(delta as JsonObject)) {
      if (field === "type") continue;
      block[field] = typeof value === "string" ? `${block[field] ?? ""}${value}` : value;
    }
  }
  return [...blocks.values()];
}

/** The last of each count that the upstream tells. */
function countsOf(events: readonly JsonObject[]): JsonObject {
  const counts: JsonObject = {};
  for (const { type, message, usage } of events) {
    if (type !== "message_start" && type !== "message_delta") continue;
    const told = asObject(usage) ?? asObject(asObject(message)?.usage) ?? {};
    for (const [field, value] of Object.entries(told)) {
      if (value !== null && value !== undefined) counts[field] = value;
    }
  }
  return counts;
}

function sumOf({ ...counts }: JsonObject): number {
  const names = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
  return names.reduce((sum, name) => sum + Number(counts[name] ?? 0), 0);
}

for (const { name } of [...Deno.readDirSync(FOLDER)].sort((a, b) => a.name < b.name ? -1 : 1)) {
  Deno.test(`the recorded stream ${name} is passed on whole, and counted`, () => {
    const recorded = eventsOf(Deno.readTextFileSync(new URL(name, FOLDER)));
    const told = read(recorded);
    const chunks = told.map(({ chunk }) => chunk);
    assert.deepEqual(contentOf(chunks), contentOf(recorded));
    assert.equal(chunks.filter(({ type }) => type === "message_start").length, 1);
    assert.equal(chunks.at(-1)!.type, "message_stop");
    assert.ok(told.at(-1)!.finished);

    const counts = countsOf(recorded);
    const work: Work = told.findLast(({ usage }) => usage !== undefined)!.usage!;
    for (const [unit, count] of Object.entries(work)) assert.ok(count >= 0, unit);
    if (counts.iterations === undefined) {
      assert.equal(promptTokens(work), sumOf(counts));
      assert.equal(completionTokens(work), counts.output_tokens);
    }
    // What is written of counts says the same as what was read.
    assert.equal(sumOf(usageBody(work)), promptTokens(work));
    assert.equal(usageBody(work).output_tokens, completionTokens(work));
  });

  Deno.test(`the recorded stream ${name} is a chat's`, () => {
    const { anthropic_messages: from, openai_chat: to } = DIALECTS;
    const recorded = eventsOf(Deno.readTextFileSync(new URL(name, FOLDER)));
    const events = new EventQueue();
    const parts = { clock: new FakeClock(), ids: countedIds(), seal: sealOf };
    const writer = to.callers!.answerWriter({}, parts, events);
    const reader = from.upstreams.answerReader(writer);
    for (const event of read(recorded)) reader.addEvent(event);
    reader.end();
    const deltas = events.take().flatMap(({ chunk }) =>
      (chunk.choices as { delta: JsonObject }[]).map(({ delta }) => delta)
    );
    const said = deltas.map(({ content }) => content ?? "").join("");
    const blocks = contentOf(recorded) as JsonObject[];
    const texts = blocks.filter(({ type }) => type === "text").map(({ text }) => text);
    assert.equal(said, texts.join(""));
    const calls = blocks.filter(({ type }) => type === "tool_use");
    const [{ message, finish_reason }] = writer.whole.choices as [
      { message: { tool_calls?: { function: JsonObject }[] }; finish_reason: string },
    ];
    assert.deepEqual(
      (message.tool_calls ?? []).map(({ function: { name } }) => name),
      calls.map(({ name }) => name),
    );
    // No word of one vendor's reaches the other's clients.
    assert.ok(["stop", "tool_calls", "length", "content_filter"].includes(finish_reason));
  });
}
