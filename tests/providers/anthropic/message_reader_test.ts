/**
 * Streams of upstreams that nearly speak Anthropic's dialect, as its clients are to see them.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { AnswerEvent } from "../../../src/dialects/base/answer.ts";
import { MOST_BLOCKS } from "../../../src/dialects/base/most_blocks.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { UpstreamError } from "../../../src/domain/upstream_error.ts";
import { MessageReader } from "../../../src/providers/anthropic/message_reader.ts";

const START = (input_tokens: number) => ({
  type: "message_start",
  message: { id: "msg_1", content: [], usage: { input_tokens, output_tokens: 1 } },
});
const OPEN = (index: number, block: object = { type: "text", text: "" }) => ({
  type: "content_block_start",
  index,
  content_block: block,
});
const TEXT = (index: number, text: string) => ({
  type: "content_block_delta",
  index,
  delta: { type: "text_delta", text },
});
const CLOSE = (index: number) => ({ type: "content_block_stop", index });
const DELTA = (stop_reason: string | null, usage?: object) => ({
  type: "message_delta",
  delta: { stop_reason, stop_sequence: null },
  ...(usage && { usage }),
});
const STOP = { type: "message_stop" };
const PING = { type: "ping" };

function read(events: readonly object[], end: "body" | "none" = "none") {
  const reader = new MessageReader(undefined);
  const told: AnswerEvent[] = [];
  for (const event of structuredClone(events)) {
    if (!reader.isOver) reader.read(event as JsonObject, "", told);
  }
  if (end === "body" && !reader.isOver) reader.end("body", told);
  return { told, reader, kinds: told.map(({ chunk }) => chunk.type) };
}

Deno.test("a second start is not passed on, and its counts win", () => {
  const { told, kinds } = read([
    START(10),
    START(99),
    OPEN(0),
    TEXT(0, "ok"),
    CLOSE(0),
    DELTA("end_turn", { output_tokens: 2 }),
    STOP,
  ]);
  assert.equal(kinds.filter((kind) => kind === "message_start").length, 1);
  assert.deepEqual(told.at(-2)!.usage, { input: 99, output: 2 });
  assert.ok(told.at(-1)!.finished);
});

Deno.test("blocks are numbered from 0 without gaps", () => {
  const { told } = read([START(1), OPEN(1), TEXT(1, "a"), CLOSE(1), OPEN(5), TEXT(5, "b")]);
  assert.deepEqual(told.map(({ chunk }) => chunk.index), [undefined, 0, 0, 0, 1, 1]);
  assert.equal(told.map(({ text }) => text).join(""), "ab");
});

Deno.test("counts are totals, the last of each wins", () => {
  const { told } = read([START(43), DELTA("end_turn", { input_tokens: 61, output_tokens: 2 })]);
  assert.deepEqual(told.at(-1)!.usage, { input: 61, output: 2 });
  assert.deepEqual(told.at(-1)!.usageBody, { input_tokens: 61, output_tokens: 2 });
});

Deno.test("absurd counts are told as none", () => {
  const { told } = read([START(43), DELTA("end_turn", { output_tokens: -2 })]);
  assert.equal(told.at(-1)!.usage, undefined);
  assert.ok(told.at(-1)!.usageBody);
});

Deno.test("an end is one that has a reason, in whatever way it comes", () => {
  const whole = [START(1), OPEN(0), TEXT(0, "a"), CLOSE(0), DELTA("end_turn")];
  assert.deepEqual(read(whole, "body").kinds.at(-1), "message_stop");
  assert.deepEqual(read([...whole, PING, PING]).kinds.slice(-2), ["ping", "message_stop"]);
  assert.equal(read(whole).reader.restMs, 10_000);
  assert.equal(read(whole.slice(0, -1)).reader.restMs, undefined);
  for (
    const cut of [[], whole.slice(0, 1), whole.slice(0, 4), [...whole.slice(0, 4), DELTA(null)]]
  ) {
    assert.throws(
      () => read(cut, "body"),
      (error) => error instanceof UpstreamError && error.failure === "broken",
    );
  }
});

Deno.test("what was written is counted: texts, thoughts apart, names and arguments of calls", () => {
  const { told } = read([
    START(1),
    OPEN(0, { type: "thinking", thinking: "", signature: "" }),
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm" } },
    { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "E1" } },
    CLOSE(0),
    OPEN(1, { type: "tool_use", id: "t", name: "read", input: {} }),
    {
      type: "content_block_delta",
      index: 1,
      delta: { type: "input_json_delta", partial_json: "{}" },
    },
    { type: "event_of_tomorrow", field: 1 },
  ]);
  assert.equal(told.map(({ text }) => text).join("|"), "||Hm|||read|{}|");
  assert.equal(told[2]!.thoughts, 2);
  assert.equal(told[1]!.isAtWork, true);
  assert.deepEqual(told.flatMap(({ seal }) => seal ?? []), ["E1"]);
  assert.deepEqual(told.at(-1)!.chunk, { type: "event_of_tomorrow", field: 1 });
});

Deno.test("an answer that is cut short ends as one that has reached its limit", () => {
  const { reader } = read([START(1), OPEN(0), TEXT(0, "a")]);
  const told: AnswerEvent[] = [];
  reader.cutShort(told);
  assert.deepEqual(told.map(({ chunk }) => chunk), [
    CLOSE(0),
    DELTA("max_tokens"),
    STOP,
  ]);
});

Deno.test("parts that are begun without end are no answer", () => {
  const endless = Array.from({ length: MOST_BLOCKS + 1 }, (_, index) => OPEN(index));
  assert.throws(
    () => read([START(1), ...endless]),
    (error: unknown) => error instanceof UpstreamError && error.failure === "broken",
  );
});
