/**
 * Faults of others in streams that they put in another dialect, by their numbers in `faults.ts`.
 *
 * @module
 */

import assert from "node:assert/strict";
import { asArray, asObject, type JsonObject } from "../../src/domain/json_value.ts";
import { UpstreamError } from "../../src/domain/upstream_error.ts";
import { chunk, finishChunk, usageChunk } from "../support/chat_bodies.ts";
import { responseOf } from "../support/gemini_bodies.ts";
import { messageEvents } from "../support/message_bodies.ts";
import { ask, type Caller, choiceOf, type Reply, stream } from "./ask.ts";

const CALLERS: readonly Caller[] = ["openai_chat", "openai_responses", "anthropic_messages"];
const thought = (reasoning_content: string) => chunk({ reasoning_content });
const said = (content: string) => chunk({ content });
const part = (index: number, name: string | undefined, args: string | undefined, id?: string) =>
  chunk({
    tool_calls: [{
      index,
      ...(id && { id, type: "function" }),
      function: { name, arguments: args },
    }],
  });
const CALLS = finishChunk("tool_calls");

const chats = (...chunks: JsonObject[]): { readonly replies: readonly Reply[] } => ({
  replies: [{ events: [chunk({ role: "assistant", content: "" }), ...chunks, usageChunk(10, 5)] }],
});
/** A stream of chat, as a caller of Messages reads it. */
const asMessages = (...chunks: JsonObject[]) =>
  stream({ upstream: "chat", caller: "anthropic_messages", ...chats(...chunks) });

/** The blocks that events write, each checked to be written between its own start and stop. */
function blocksIn(chunks: readonly JsonObject[]): readonly JsonObject[] {
  const blocks: JsonObject[] = [];
  let open: number | undefined;
  for (const { type, index, content_block: block, delta } of chunks) {
    if (type === "content_block_start") {
      assert.deepEqual([open, index], [undefined, blocks.length]);
      open = index as number;
      blocks.push({ ...asObject(block), written: "" });
    } else if (type === "content_block_stop") {
      assert.equal(index, open);
      open = undefined;
    } else if (type === "content_block_delta") {
      assert.equal(index, open);
      const { text, thinking, partial_json } = asObject(delta)!;
      const last = blocks.at(-1)!;
      const kinds = { text, thinking, tool_use: partial_json } as JsonObject;
      if (asObject(delta)!.type !== "signature_delta") {
        assert.equal(typeof kinds[String(last.type)], "string", JSON.stringify(delta));
        last.written += String(kinds[String(last.type)]);
      }
    }
  }
  assert.equal(open, undefined);
  return blocks;
}
const written = (chunks: readonly JsonObject[]) =>
  blocksIn(chunks).map(({ type, written }) => [type, written]);

Deno.test("#1 thoughts that come back between texts have blocks of their own, after one start", async () => {
  const { chunks } = await asMessages(
    thought("Let me"),
    said("It is"),
    thought("no, wait"),
    said(" four"),
    finishChunk(),
  );
  assert.equal(chunks.filter(({ type }) => type === "message_start").length, 1);
  assert.deepEqual(written(chunks), [
    ["thinking", "Let me"],
    ["text", "It is"],
    ["thinking", "no, wait"],
    ["text", " four"],
  ]);
});

Deno.test("#2 arguments that only the last event has are told", async () => {
  const item = { type: "function_call", id: "fc_1", call_id: "c1", name: "f", status: "completed" };
  const args = '{"path":"a"}';
  const events = (
    fields: { readonly delta?: string; readonly done?: boolean; readonly item?: boolean },
  ) => [
    { type: "response.created", response: { id: "r", status: "in_progress", output: [] } },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...item, arguments: "", status: "in_progress" },
    },
    ...(fields.delta === undefined ? [] : [{
      type: "response.function_call_arguments.delta",
      output_index: 0,
      item_id: "fc_1",
      delta: fields.delta,
    }]),
    ...(fields.done === true
      ? [{
        type: "response.function_call_arguments.done",
        output_index: 0,
        item_id: "fc_1",
        arguments: args,
      }]
      : []),
    { type: "response.output_item.done", output_index: 0, item: { ...item, arguments: args } },
    {
      type: "response.completed",
      response: {
        id: "r",
        status: "completed",
        output: [{ ...item, arguments: args }],
        usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      },
    },
  ];
  for (const fields of [{ done: true }, { delta: '{"pa', done: true }, {}, { delta: '{"pa' }]) {
    const { chunks } = await stream({
      upstream: "responses",
      caller: "openai_responses",
      replies: [{ events: events(fields) }],
    });
    const deltas = chunks.filter(({ type }) => type === "response.function_call_arguments.delta");
    assert.equal(deltas.map(({ delta }) => delta).join(""), args, JSON.stringify(fields));
    const { response } = chunks.at(-1) as { response: { output: JsonObject[] } };
    assert.equal(response.output[0]!.arguments, args);
  }
});

Deno.test("#4 calls that are told in turns are written one after the other", async () => {
  const { chunks } = await asMessages(
    part(0, "f", "", "c0"),
    part(1, "g", "", "c1"),
    part(0, undefined, '{"a":'),
    part(1, undefined, '{"b":'),
    part(0, undefined, "1}"),
    part(1, undefined, "2}"),
    CALLS,
  );
  assert.deepEqual(written(chunks), [["tool_use", '{"a":1}'], ["tool_use", '{"b":2}']]);
});

Deno.test("#5 thoughts after a call have a block of their own", async () => {
  const { chunks } = await asMessages(
    thought("First"),
    part(0, "f", "{}", "c0"),
    thought("Then"),
    said("Done"),
    CALLS,
  );
  assert.deepEqual(written(chunks).map(([type]) => type).sort(), [
    "text",
    "thinking",
    "thinking",
    "tool_use",
  ]);
  assert.ok(blocksIn(chunks).some(({ written }) => written === "Then"));
});

Deno.test("#6 a call whose name comes late is told with its name", async () => {
  for (const caller of CALLERS) {
    const { chunks } = await stream({
      upstream: "chat",
      caller,
      ...chats(part(0, "", "", "c0"), part(0, "look", '{"a"'), part(0, undefined, ":1}"), CALLS),
    });
    const told = JSON.stringify(chunks);
    assert.match(told, /"name":"look"/, caller);
    assert.doesNotMatch(told, /"name":""/, caller);
    assert.match(told.replaceAll("\\", ""), /:1\}/, caller);
  }
});

Deno.test("#7 thoughts never are text, and what is said again at the end is not doubled", async () => {
  const summary = "Thinking it over";
  const item = {
    type: "reasoning",
    id: "rs_1",
    summary: [{ type: "summary_text", text: summary }],
  };
  const message = {
    type: "message",
    id: "m1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "Four", annotations: [] }],
  };
  const at = { output_index: 0, item_id: "rs_1", summary_index: 0 };
  const in1 = { output_index: 1, item_id: "m1", content_index: 0 };
  const { events, chunks } = await stream({
    upstream: "responses",
    caller: "openai_responses",
    replies: [{
      events: [
        { type: "response.created", response: { id: "r", status: "in_progress", output: [] } },
        { type: "response.output_item.added", output_index: 0, item: { ...item, summary: [] } },
        {
          type: "response.reasoning_summary_part.added",
          ...at,
          part: { type: "summary_text", text: "" },
        },
        { type: "response.reasoning_summary_text.delta", ...at, delta: summary },
        { type: "response.reasoning_summary_text.done", ...at, text: summary },
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.output_item.added", output_index: 1, item: { ...message, content: [] } },
        { type: "response.content_part.added", ...in1, part: { type: "output_text", text: "" } },
        { type: "response.output_text.delta", ...in1, delta: "Four" },
        { type: "response.output_text.done", ...in1, text: "Four" },
        { type: "response.output_item.done", output_index: 1, item: message },
        {
          type: "response.completed",
          response: {
            id: "r",
            status: "completed",
            output: [item, message],
            usage: { input_tokens: 1, output_tokens: 9, total_tokens: 10 },
          },
        },
      ],
    }],
  });
  const texts = chunks.filter(({ type }) => type === "response.output_text.delta");
  assert.equal(texts.map(({ delta }) => delta).join(""), "Four");
  assert.equal(events.map(({ text }) => text).join(""), `${summary}Four`);
  for (const caller of ["openai_chat", "anthropic_messages"] as const) {
    const over = await stream({
      upstream: "chat",
      caller,
      ...chats(thought("Hm"), said("Four"), finishChunk()),
    });
    const visible = JSON.stringify(over.chunks).match(/"(?:content|text)":"[^"]+"/g) ?? [];
    assert.doesNotMatch(visible.join(), /Hm/);
    assert.equal(visible.join().match(/Four/g)?.length, 1);
  }
});

Deno.test("#8 every event of a message is told with its name", async () => {
  const { text } = await asMessages(thought("Hm"), said("Hi"), part(0, "f", "{}", "c"), CALLS);
  const frames = text.split("\n\n").filter((frame) => frame !== "");
  assert.ok(frames.length > 6);
  for (const one of frames) {
    const [, name, type] = /^event: (\w+)\ndata: \{"type":"(\w+)"/.exec(one)!;
    assert.equal(name, type);
  }
});

Deno.test("#11 an upstream that says nothing has failed", async () => {
  for (const upstream of ["chat", "messages", "gemini", "converse"] as const) {
    for (const caller of CALLERS) {
      const type = upstream === "converse"
        ? "application/vnd.amazon.eventstream"
        : "text/event-stream";
      await assert.rejects(
        stream({ upstream, caller, replies: [{ bytes: new Uint8Array(), type }] }),
        (error) => error instanceof UpstreamError && error.failure === "broken",
      );
      await assert.rejects(
        ask({ upstream, caller, replies: [{ bytes: new Uint8Array(), type: "application/json" }] }),
        (error) => error instanceof UpstreamError && error.failure === "broken",
      );
    }
  }
});

Deno.test("#12 nothing is written after a message's stop", async () => {
  const late = [
    ...messageEvents([{ type: "text", text: "Hi" }]) as JsonObject[],
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "and more" } },
  ];
  const { chunks, text } = await stream({
    upstream: "messages",
    caller: "anthropic_messages",
    replies: [{ events: late }],
  });
  assert.doesNotMatch(text, /and more/);
  assert.equal(chunks.filter(({ type }) => type === "message_stop").length <= 1, true);
});

Deno.test("#17 an answer with calls ends for them, whatever the upstream calls it", async () => {
  const call = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
  const whole = {
    choices: [{
      index: 0,
      message: { role: "assistant", content: null, tool_calls: [call] },
      finish_reason: "stop",
    }],
  };
  const { replies } = chats(part(0, "f", "{}", "c1"), finishChunk("stop"));
  const plain = await ask({ upstream: "chat", caller: "openai_chat", replies: [{ json: whole }] });
  assert.equal(choiceOf(plain).finish_reason, "tool_calls");
  const streamed = await stream({ upstream: "chat", caller: "openai_chat", replies });
  const reasons = streamed.chunks.flatMap(({ choices }) => asArray(choices))
    .flatMap((choice) => asObject(choice)!.finish_reason ?? []);
  assert.deepEqual(reasons, ["tool_calls"]);
  const message = await ask({
    upstream: "chat",
    caller: "anthropic_messages",
    replies: [{ json: whole }],
  });
  assert.equal(message.body.stop_reason, "tool_use");
  const events = await stream({ upstream: "chat", caller: "anthropic_messages", replies });
  const delta = events.chunks.find(({ type }) => type === "message_delta");
  assert.equal(asObject(delta?.delta)?.stop_reason, "tool_use");
});

Deno.test("#18 a call and the end of the answer may come apart, with empty ends after it", async () => {
  const call = { functionCall: { name: "f", args: { a: 1 } } };
  const { finishReason: _, ...open } = asObject(asArray(responseOf([call]).candidates)[0])!;
  const events = [
    { candidates: [open] },
    { candidates: [{ content: { parts: [{ text: "" }] } }] },
    responseOf([{ text: "" }]),
  ];
  const reply = { replies: [{ events }] };
  const chat = await stream({ upstream: "gemini", caller: "openai_chat", ...reply });
  assert.match(chat.text, /"finish_reason":"tool_calls"/);
  const message = await stream({ upstream: "gemini", caller: "anthropic_messages", ...reply });
  assert.match(JSON.stringify(message.chunks), /"stop_reason":"tool_use"/);
});

Deno.test("#19 arguments come through whatever form they are in, and none are made up", async () => {
  const forms: readonly (readonly [unknown, string])[] = [
    [{ path: "a" }, '{"path":"a"}'],
    ['{"path":"a"}', '{"path":"a"}'],
    ["", "{}"],
    [null, "{}"],
    [undefined, "{}"],
  ];
  for (const [given, told] of forms) {
    const events = [
      part(0, "f", given as string, "c1"),
      CALLS,
    ];
    const { chunks } = await stream({
      upstream: "chat",
      caller: "anthropic_messages",
      ...chats(...events),
    });
    const [block] = blocksIn(chunks);
    assert.deepEqual(JSON.parse(String(block!.written) || "{}"), JSON.parse(told));
  }
});
