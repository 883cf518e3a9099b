import assert from "node:assert/strict";
import { nested } from "../../../support/nested_tokens.ts";
import { isDeepStrictEqual } from "node:util";
import type { AnswerEvent } from "../../../../src/dialects/base/answer.ts";
import type { JsonObject } from "../../../../src/domain/json_value.ts";
import {
  jsonReply,
  rawSseReply,
  type Script,
  sseReply,
  startFakeUpstream,
} from "../../../support/fake_upstream.ts";
import { never, openAiCompatible, readAll } from "../../../support/provider_parts.ts";
import {
  beginEvents,
  callEvents,
  callItem,
  completedEvent,
  helloEvents,
  messageEvents,
  messageItem,
  nativeCall,
  numbered,
  RESPONSE_USAGE,
} from "../../../support/response_bodies.ts";
import { assertWholeStream } from "../../../support/response_stream_check.ts";

async function stream(script: Script, call = nativeCall()): Promise<AnswerEvent[]> {
  await using upstream = await startFakeUpstream(script);
  return await readAll(
    await openAiCompatible(upstream.url).speaks.openai_responses.stream(call, never()),
  );
}

function chunks(events: readonly AnswerEvent[]): JsonObject[] {
  return events.map((event) => event.chunk);
}

function textOf(events: readonly AnswerEvent[]): string {
  return events.map((event) => event.text).join("");
}

/** Events as they were sent, without their numbers and without Response objects. */
function bare(events: readonly JsonObject[]): JsonObject[] {
  return events.map(({ sequence_number: _number, response: _response, ...event }) => event);
}

Deno.test("a proper stream passes as it is, without its numbers", async () => {
  await using upstream = await startFakeUpstream(sseReply(helloEvents()));
  const events = await readAll(
    await openAiCompatible(upstream.url).speaks.openai_responses.stream(nativeCall(), never()),
  );
  assert.deepEqual(bare(chunks(events)), bare(helloEvents()));
  assert.deepEqual(assertWholeStream(chunks(events)), [messageItem("Hello")]);
  assert.equal(textOf(events), "Hello");
  const last = events.at(-1)!;
  assert.deepEqual(events.map((event) => event.finished), events.map((event) => event === last));
  assert.ok(events.every((event) => !event.empty));
  assert.equal(nested(last.usage)?.completionTokens, 2);
  assert.deepEqual(last.usageBody, RESPONSE_USAGE);
  assert.ok(events.slice(0, -1).every((event) => event.usage === undefined));
  const [request] = upstream.requests;
  assert.equal(request!.target, "/v1/responses");
  assert.equal(request!.headers.get("accept"), "text/event-stream");
  assert.equal(request!.json().stream, true);
  assert.equal(request!.json().store, false);
});

Deno.test("every Response object of a stream has what OpenAI requires", async () => {
  const events = await stream(sseReply([
    { type: "response.created", response: { id: "resp_1", usage: RESPONSE_USAGE } },
    { type: "response.queued", response: {} },
    { type: "response.in_progress" },
    ...messageEvents(["Hi"]),
    { type: "response.completed", response: { output: [messageItem("Hi")] } },
  ], { framing: "close" }));
  const responses = chunks(events).flatMap(({ type, response }) =>
    response === undefined ? [] : [[type, response as JsonObject] as const]
  );
  assert.deepEqual(responses.map(([type, { status }]) => [type, status]), [
    ["response.created", "in_progress"],
    ["response.queued", "queued"],
    ["response.in_progress", "in_progress"],
    ["response.completed", "completed"],
  ]);
  for (const [type, response] of responses) {
    for (
      const field of ["id", "object", "created_at", "model", "output", "tools", "tool_choice"]
    ) assert.ok(response[field], `${type} ${field}`);
    assert.equal(response.error, null);
    assert.equal(response.parallel_tool_calls, true);
    assert.equal(response.completed_at === null, type !== "response.completed");
    if (type !== "response.completed") assert.ok(!("usage" in response));
  }
  assert.ok(!("usage" in responses.at(-1)![1]));
  assertWholeStream(chunks(events));
});

Deno.test("function calls, custom calls, reasoning and refusals pass, and are what the model wrote", async () => {
  const refusal = { item_id: "msg_9", output_index: 3, content_index: 0 };
  const refused = messageItem("", {
    id: "msg_9",
    content: [{ type: "refusal", refusal: "No." }],
  });
  const custom = { type: "custom_tool_call", id: "ctc_1", call_id: "call_2", name: "g" };
  const thought = {
    type: "reasoning",
    id: "rs_1",
    summary: [{ type: "summary_text", text: "Hm" }],
    encrypted_content: "gAAA",
  };
  const summary = { item_id: "rs_1", output_index: 0, summary_index: 0 };
  const sent = [
    ...beginEvents(),
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...thought, summary: [], encrypted_content: "" },
    },
    {
      type: "response.reasoning_summary_part.added",
      ...summary,
      part: { type: "summary_text", text: "" },
    },
    { type: "response.reasoning_summary_text.delta", ...summary, delta: "Hm" },
    { type: "response.reasoning_summary_text.done", ...summary, text: "Hm" },
    {
      type: "response.reasoning_summary_part.done",
      ...summary,
      part: { type: "summary_text", text: "Hm" },
    },
    { type: "response.output_item.done", output_index: 0, item: thought },
    ...callEvents(['{"a":', "1}"], 1),
    {
      type: "response.output_item.added",
      output_index: 2,
      item: { ...custom, input: "" },
    },
    {
      type: "response.custom_tool_call_input.delta",
      item_id: "ctc_1",
      output_index: 2,
      delta: "ls",
    },
    {
      type: "response.custom_tool_call_input.done",
      item_id: "ctc_1",
      output_index: 2,
      input: "ls",
    },
    { type: "response.output_item.done", output_index: 2, item: { ...custom, input: "ls" } },
    {
      type: "response.output_item.added",
      output_index: 3,
      item: { ...refused, status: "in_progress", content: [] },
    },
    {
      type: "response.content_part.added",
      ...refusal,
      part: { type: "refusal", refusal: "" },
    },
    { type: "response.refusal.delta", ...refusal, delta: "No." },
    { type: "response.refusal.done", ...refusal, refusal: "No." },
    {
      type: "response.content_part.done",
      ...refusal,
      part: { type: "refusal", refusal: "No." },
    },
    { type: "response.output_item.done", output_index: 3, item: refused },
    completedEvent({
      output: [thought, callItem('{"a":1}'), { ...custom, input: "ls" }, refused],
    }),
  ];
  const events = await stream(sseReply(numbered(sent)));
  assert.deepEqual(bare(chunks(events)), bare(sent));
  assert.equal(assertWholeStream(chunks(events)).length, 4);
  assert.equal(textOf(events), 'Hmweather{"a":1}glsNo.');
});

Deno.test("events of tools that the upstream runs pass, and name their items", async () => {
  const search = { type: "web_search_call", id: "ws_1", status: "in_progress" };
  const code = { type: "code_interpreter_call", id: "ci_1", status: "in_progress", code: "" };
  const places = [{ item_id: "ws_1", output_index: 0 }, { item_id: "ci_1", output_index: 1 }];
  const passing = [
    { type: "response.web_search_call.searching", ...places[0] },
    { type: "response.code_interpreter_call_code.delta", ...places[1], delta: "print(1)" },
    { type: "response.code_interpreter_call.interpreting", ...places[1] },
    { type: "response.audio.delta", delta: "UklGRg==" },
  ];
  const sent = [
    { type: "response.output_item.added", output_index: 0, item: search },
    { type: "response.output_item.added", output_index: 1, item: code },
    ...passing,
    { type: "response.output_item.done", output_index: 0, item: search },
    { type: "response.output_item.done", output_index: 1, item: code },
    completedEvent({ output: [search, code] }),
  ];
  const bared = sent.map(({ item_id: _id, output_index: _index, ...event }: JsonObject) => event);
  for (const events of [sent, bared]) {
    const seen = await stream(sseReply([...beginEvents(), ...events]));
    for (const event of passing) {
      assert.ok(
        chunks(seen).some((one) => isDeepStrictEqual(one, event)),
        JSON.stringify(event),
      );
    }
    assert.equal(textOf(seen), "print(1)");
  }
});

Deno.test("an incomplete response ends a stream, by its type or by its status", async () => {
  const details = { incomplete_details: { reason: "max_output_tokens" } };
  for (
    const [type, status] of [
      ["response.incomplete", "incomplete"],
      ["response.incomplete", undefined],
      ["response.completed", "incomplete"],
    ]
  ) {
    const events = await stream(sseReply([
      ...beginEvents(),
      ...messageEvents(["Hi"]),
      { ...completedEvent({ ...details, status, output: [messageItem("Hi")] }), type },
    ]));
    const last = events.at(-1)!;
    assert.equal(last.chunk.type, "response.incomplete");
    assert.equal((last.chunk.response as JsonObject).status, "incomplete");
    assert.ok(last.finished);
    assert.equal(nested(last.usage)?.promptTokens, 5);
  }
});

Deno.test("a stream is read in any division, with names, comments, CRLF and [DONE]", async () => {
  const text = `: hello\r\n\r\nretry: 5\r\nid: 7\r\n\r\n` +
    helloEvents().map((event) => `event: ${event.type}\r\ndata: ${JSON.stringify(event)}\r\n\r\n`)
      .join(": keepalive\r\n\r\n") +
    "data: [DONE]\r\n\r\n";
  const bytes = new TextEncoder().encode(text.replace('"Hel"', '"Häl"'));
  for (const size of [7, 64, bytes.length]) {
    const steps: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) steps.push(bytes.slice(at, at + size));
    const events = await stream(rawSseReply(steps));
    assert.deepEqual(
      chunks(events).map(({ type }) => type),
      helloEvents().map(({ type }) => type),
    );
    assert.equal(textOf(events), "Hällo");
  }
});

Deno.test("a type that only the event's name says is its type", async () => {
  const steps = helloEvents().map(({ type, ...event }) =>
    `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`
  );
  assertWholeStream(chunks(await stream(rawSseReply(steps))));
});

Deno.test("nothing after the last event is read, and the connection is used again", async () => {
  await using upstream = await startFakeUpstream(
    sseReply([...helloEvents(), '{"type":"error","message":"late"}', "[DONE]"]),
  );
  const provider = openAiCompatible(upstream.url);
  for (let call = 0; call < 2; call++) {
    const events = await readAll(
      await provider.speaks.openai_responses.stream(nativeCall(), never()),
    );
    assert.equal(events.at(-1)!.chunk.type, "response.completed");
    assert.equal(textOf(events), "Hello");
  }
});

const USAGES: readonly [name: string, usage: unknown, expected: JsonObject | undefined][] = [
  ["none", undefined, undefined],
  ["absurd", { input_tokens: -5, output_tokens: 1 }, undefined],
  [
    "reasoning beside the output",
    {
      input_tokens: 10,
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 4 },
      total_tokens: 15,
    },
    {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 4 },
      total_tokens: 15,
    },
  ],
];

for (const [name, usage, expected] of USAGES) {
  Deno.test(`a stream's usage is normalised: ${name}`, async () => {
    const events = await stream(sseReply([
      ...beginEvents(),
      ...messageEvents(["Hello"]),
      completedEvent({ usage }),
    ]));
    const last = events.at(-1)!;
    assert.deepEqual(last.usageBody, expected);
    assert.equal(nested(last.usage)?.completionTokens, expected?.output_tokens);
    assert.deepEqual((last.chunk.response as JsonObject).usage, expected);
  });
}

Deno.test("respondStream() leaves out reasoning that another account sealed", async () => {
  const sealed = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" };
  const question = { role: "user", content: "Hello" };
  const code = "invalid_encrypted_content";
  await using upstream = await startFakeUpstream([
    jsonReply({ error: { message: "No", code } }, { status: 400 }),
    sseReply(helloEvents()),
  ]);
  const call = nativeCall({ input: [sealed, question] });
  const events = await readAll(
    await openAiCompatible(upstream.url).speaks.openai_responses.stream(call, never()),
  );
  assert.equal(textOf(events), "Hello");
  assert.deepEqual(upstream.requests[1]!.json().input, [question]);
});
