/**
 * Chat streams of every shape as the events of a message: in the order and with the numbers that
 * Anthropic's clients take, and the same as the answer in one piece.
 *
 * @module
 */

import assert from "node:assert/strict";
import { EventQueue } from "../../../src/dialects/base/event_queue.ts";
import type { AnswerEvent } from "../../../src/dialects/base/answer.ts";
import { DIALECTS } from "../../../src/dialects/registry.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { STREAM_SHAPES } from "../../support/chat_stream_shapes.ts";
import { ChunkStream, countedIds } from "../../support/converted_response.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { readAll } from "../../support/provider_parts.ts";
import { sealOf } from "../../support/thought_seals.ts";

const { openai_chat: chat, anthropic_messages: messages } = DIALECTS;

/** What a client makes of the events, which it takes in this order only. */
function assemble(events: readonly JsonObject[]): JsonObject {
  assert.equal(events[0]!.type, "message_start");
  assert.equal(events.at(-1)!.type, "message_delta");
  const content: JsonObject[] = [];
  const inputs: string[] = [];
  let open: number | undefined;
  for (const { type, index, content_block: block, delta } of events.slice(1, -1)) {
    if (type === "content_block_start") {
      assert.equal(open, undefined, "two blocks are open");
      assert.equal(index, content.length);
      open = index as number;
      content.push({ ...block as JsonObject });
      inputs.push("");
      continue;
    }
    assert.equal(index, open);
    if (type === "content_block_stop") {
      open = undefined;
      const text = inputs[index as number];
      if (content[index as number]!.type === "tool_use") {
        content[index as number]!.input = parsed(text!);
      }
      continue;
    }
    const one = content[index as number]!;
    const { text, thinking, signature, partial_json: input } = delta as Record<string, string>;
    if (text !== undefined) one.text += text;
    else if (thinking !== undefined) one.thinking += thinking;
    else if (signature !== undefined) one.signature = signature;
    else inputs[index as number] = inputs[index as number]! + input!;
  }
  assert.equal(open, undefined, "a block is left open");
  const { message } = events[0] as { message: JsonObject };
  return { ...message, ...(events.at(-1)!.delta as JsonObject), content };
}

/** None of arguments that were cut are to be run. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch {
    return {};
  }
}

for (const { name, reads } of STREAM_SHAPES) {
  Deno.test(`a chat stream as the events of a message: ${name}`, async () => {
    const parts = { clock: new FakeClock(), ids: countedIds(), seal: sealOf };
    const queue = new EventQueue();
    const writer = messages.callers.answerWriter({}, parts, queue);
    const reader = chat.upstreams!.answerReader(writer);
    const told: AnswerEvent[] = [];
    for (const event of await readAll(new ChunkStream(reads))) {
      reader.addEvent(event);
      told.push(...queue.take());
    }
    reader.end();
    told.push(...queue.take());
    const { usage: _, ...streamed } = assemble(told.map(({ chunk }) => chunk));
    const { usage: counted, ...whole } = writer.whole;
    assert.deepEqual(streamed, whole);
    assert.deepEqual(told.findLast(({ usageBody }) => usageBody)?.usageBody, counted);

    // And back: a chat client would see the same answer.
    const again = DIALECTS.openai_chat.callers!.answerWriter({}, parts);
    const back = messages.upstreams.answerReader(again);
    for (const event of told) back.addEvent(structuredClone(event));
    back.end();
    const plain = DIALECTS.openai_chat.callers!.answerWriter({}, parts);
    const direct = chat.upstreams!.answerReader(plain);
    for (const event of await readAll(new ChunkStream(reads))) direct.addEvent(event);
    direct.end();
    assert.deepEqual(saidIn(again.whole), saidIn(plain.whole));
  });
}

function saidIn({ choices }: JsonObject): unknown {
  const [{ message, finish_reason }] = choices as [JsonObject];
  const { content, refusal, reasoning_content, tool_calls: calls } = message as JsonObject;
  return {
    // Messages has no place of its own for a refusal, but a reason.
    text: `${content ?? ""}${refusal ?? ""}`,
    reasoning_content,
    finish_reason: refusal === null || refusal === undefined ? finish_reason : "content_filter",
    // Nor for a tool that takes any text, which none of its callers can offer.
    calls: (calls as JsonObject[] | undefined)?.map(({ function: called, custom }) => {
      const { name, arguments: input, input: text } = (called ?? custom) as JsonObject;
      return { name, input: input ?? text };
    }),
  };
}
