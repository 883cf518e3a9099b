/**
 * Converse: recorded streams told to callers of chat and Messages, and what is asked.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { jsonReply, type Reply, type Step } from "../../support/fake_upstream.ts";
import {
  chatCall,
  chatRoute,
  failureOf,
  never,
  readAll,
  readUntilFailure,
} from "../../support/provider_parts.ts";
import { ANSWER, bench, CLAUDE } from "./converse_bench.ts";
import { exceptionFrame, frame } from "./fixtures/frames.ts";
import {
  EXCEPTION_FRAME,
  HIDDEN_REASONING,
  REASONING,
  type RecordedEvent,
  TOOL_CALL,
  TOOL_WITHOUT_ARGUMENTS,
} from "./fixtures/streams.ts";

function streamReply(steps: readonly Step[], framing: Reply["framing"] = "chunked"): Reply {
  return {
    headers: { "content-type": "application/vnd.amazon.eventstream" },
    steps,
    ...(framing && { framing }),
  };
}

const STREAM = chatCall({ stream: true }, { route: CLAUDE });

interface Told {
  readonly text: string;
  readonly thoughts: string;
  readonly calls: string;
  readonly finish: unknown;
}

/** What a caller of chat reads of a stream. */
function toldBy(chunks: readonly JsonObject[]): Told {
  const told = { text: "", thoughts: "", calls: "", finish: undefined as unknown };
  for (const { choices } of chunks) {
    for (
      const { delta, finish_reason } of choices as { delta: JsonObject; finish_reason: unknown }[]
    ) {
      told.text += String(delta.content ?? "");
      told.thoughts += String(delta.reasoning_content ?? "");
      for (const { function: called } of (delta.tool_calls ?? []) as { function: JsonObject }[]) {
        told.calls += `${called.name ?? ""}${called.arguments ?? ""}`;
      }
      told.finish = finish_reason ?? told.finish;
    }
  }
  return told;
}

const NOTHING: Told = { text: "", thoughts: "", calls: "", finish: "stop" };

const RECORDED: readonly (readonly [name: string, readonly RecordedEvent[], Told, object])[] = [
  ["a call", TOOL_CALL, {
    ...NOTHING,
    calls: 'test-tool{"value":"Sparkle Day"}',
    finish: "tool_calls",
  }, { input: 125, output: 45 }],
  ["a call without arguments", TOOL_WITHOUT_ARGUMENTS, {
    ...NOTHING,
    text: "I'll update the issue list for you.",
    calls: "updateIssueList{}",
    finish: "tool_calls",
  }, { input: 100, output: 25 }],
  ["thoughts", REASONING, {
    ...NOTHING,
    text: "There are **3** r's",
    thoughts: `Let me count the r's in "strawberry"`,
  }, { input: 51, output: 94 }],
  ["hidden thoughts", HIDDEN_REASONING, {
    ...NOTHING,
    calls: 'propose{"groups":[]}',
    finish: "tool_calls",
  }, { input: 67, output: 70 }],
];

for (const [name, events, told, usage] of RECORDED) {
  Deno.test(`a recorded stream of ${name} is told to a caller of chat`, async () => {
    await using on = await bench(streamReply(events.map(frame)));
    const read = await readAll(await on.stream(STREAM));
    assert.deepEqual(toldBy(read.map(({ chunk }) => chunk)), told);
    assert.deepEqual(read.findLast((event) => event.usage !== undefined)!.usage, usage);
    const { target, headers } = on.upstream.requests[0]!;
    assert.equal(
      target,
      "/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0/converse-stream",
    );
    assert.equal(headers.get("authorization"), "Bearer bedrock-key-0123");
  });

  Deno.test(`a recorded stream of ${name} that is cut between frames is broken`, async () => {
    const end = events.findIndex((event) => "messageStop" in event);
    for (let count = 0; count < end; count++) {
      await using on = await bench(streamReply(events.slice(0, count).map(frame)));
      const { error } = await readUntilFailure(await on.stream(STREAM));
      assert.equal(error.failure, "broken");
    }
  });
}

Deno.test("an exception in a stream ends it as an error of its kind", async () => {
  await using on = await bench(streamReply([frame(REASONING[6]!), EXCEPTION_FRAME]));
  const { events, error } = await readUntilFailure(await on.stream(STREAM));
  assert.equal(events.map(({ text }) => text).join(""), "There");
  assert.deepEqual([error.failure, error.status], ["broken", 424]);
  for (const [kind, failure] of [["throttling", "busy"], ["validation", "caller"]] as const) {
    const bytes = exceptionFrame(`${kind}Exception`, { message: "why" });
    await using other = await bench(streamReply([bytes]));
    const { error } = await readUntilFailure(await other.stream(STREAM));
    assert.equal(error.failure, failure, kind);
  }
});

Deno.test("an answer is told to callers of chat and of Messages, every bucket apart", async () => {
  await using on = await bench(jsonReply(ANSWER));
  const { body, usage } = await on.answer(chatCall({}, { route: CLAUDE }));
  const [{ message, finish_reason }] = body.choices as [
    { message: JsonObject; finish_reason: string },
  ];
  assert.equal(finish_reason, "tool_calls");
  assert.equal(message.content, "Let me look.");
  assert.equal(message.reasoning_content, "Hm");
  assert.deepEqual(usage, {
    input: 10,
    output: 20,
    cachedInput: 3,
    cacheWrite: 3,
    cacheWrite1h: 2,
  });
  const told = await on.messages({
    route: CLAUDE,
    body: { model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
    outputTokensCap: 9,
  });
  const types = (told.body.content as JsonObject[]).map(({ type }) => type);
  assert.deepEqual(types, ["thinking", "text", "tool_use"]);
  assert.equal(told.body.stop_reason, "tool_use");
});

Deno.test("a conversation with tools, a picture and a mark is asked in Bedrock's own words", async () => {
  await using on = await bench(jsonReply(ANSWER));
  const sent = await on.sent(chatCall({
    messages: [
      {
        role: "system",
        content: [{ type: "text", text: "Be brief", cache_control: { type: "ephemeral" } }],
      },
      {
        role: "user",
        content: [
          { type: "text", text: " " },
          { type: "text", text: "What is it?" },
          { type: "image_url", image_url: { url: "data:image/png;base64,iVBO" } },
        ],
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "look", arguments: '{"at":1}' } },
          { id: "call:2", type: "function", function: { name: "look", arguments: "" } },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: "a fox" },
      { role: "tool", tool_call_id: "call:2", content: "" },
      { role: "user", content: "And?" },
    ],
    tools: [{
      type: "function",
      function: { name: "look", description: "", parameters: { properties: {} } },
    }],
    tool_choice: "required",
    temperature: 1.5,
    seed: 7,
    stop: ["END", " "],
  }, { route: CLAUDE, outputTokensCap: 99 }));
  assert.deepEqual(sent.system, [{ text: "Be brief" }, { cachePoint: { type: "default" } }]);
  const messages = sent.messages as { role: string; content: JsonObject[] }[];
  assert.deepEqual(messages.map(({ role }) => role), ["user", "assistant", "user"]);
  assert.deepEqual(messages[0]!.content, [
    { text: "What is it?" },
    { image: { format: "png", source: { bytes: "iVBO" } } },
  ]);
  const ids = messages[1]!.content.map(({ toolUse }) => (toolUse as JsonObject).toolUseId);
  assert.deepEqual(ids[0], "call_1");
  assert.match(String(ids[1]), /^tg_[0-9a-f]{40}$/);
  assert.deepEqual(messages[2]!.content, [
    { toolResult: { toolUseId: "call_1", content: [{ text: "a fox" }] } },
    { toolResult: { toolUseId: ids[1], content: [{ text: "(nothing)" }] } },
    { text: "And?" },
  ]);
  assert.deepEqual(sent.toolConfig, {
    tools: [{
      toolSpec: { name: "look", inputSchema: { json: { type: "object", properties: {} } } },
    }],
    toolChoice: { any: {} },
  });
  assert.deepEqual(sent.inferenceConfig, { maxTokens: 99, temperature: 1, stopSequences: ["END"] });
  assert.deepEqual(
    Object.keys(sent).sort(),
    ["inferenceConfig", "messages", "system", "toolConfig"],
  );
});

Deno.test("tools that earlier calls have used are there, although none may be called", async () => {
  await using on = await bench(jsonReply(ANSWER));
  const sent = await on.sent(chatCall({
    messages: [
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        tool_calls: [{ id: "c", type: "function", function: { name: "look", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c", content: "x" },
    ],
    tools: [{ type: "function", function: { name: "other", parameters: {} } }],
    tool_choice: "none",
  }, { route: CLAUDE }));
  assert.deepEqual(sent.toolConfig, {
    tools: [{ toolSpec: { name: "look", inputSchema: { json: { type: "object" } } } }],
  });
});

Deno.test("what a model does not take is not sent to it", async () => {
  const cases = [
    ["us.anthropic.claude-opus-5-5", { effort: true, sampled: false, choice: { auto: {} } }],
    ["us.anthropic.claude-opus-5", { effort: true, sampled: false, choice: { any: {} } }],
    // Made to call, it does not think: then it takes a temperature.
    ["eu.anthropic.claude-sonnet-4-6", { effort: true, sampled: true, choice: { any: {} } }],
    ["amazon.nova-pro-v1:0", { effort: false, sampled: true, choice: { any: {} } }],
  ] as const;
  for (const [upstreamModel, { effort, sampled, choice }] of cases) {
    await using on = await bench(jsonReply(ANSWER));
    const sent = await on.sent(chatCall({
      temperature: 0.5,
      reasoning_effort: "high",
      tools: [{ type: "function", function: { name: "look", parameters: {} } }],
      tool_choice: "required",
    }, { route: chatRoute({ upstreamModel }) }));
    assert.equal(sent.additionalModelRequestFields !== undefined, effort, upstreamModel);
    assert.equal(sent.inferenceConfig !== undefined, sampled, upstreamModel);
    assert.deepEqual((sent.toolConfig as JsonObject).toolChoice, choice, upstreamModel);
  }
});

Deno.test("signed thoughts go back to Bedrock as they came, and no other's do", async () => {
  await using on = await bench(jsonReply(ANSWER));
  const first = await on.messages({
    route: CLAUDE,
    body: { model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
    outputTokensCap: 9,
  });
  const thinking = (first.body.content as JsonObject[])[0]!;
  const foreign = { type: "thinking", thinking: "x", signature: "EvYB" };
  await on.messages({
    route: CLAUDE,
    body: {
      model: "m",
      max_tokens: 9,
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: [thinking, foreign, { type: "text", text: "Yes" }] },
        { role: "user", content: "Go on" },
      ],
    },
    outputTokensCap: 9,
  });
  const { messages } = on.upstream.requests.at(-1)!.json() as {
    messages: { content: JsonObject[] }[];
  };
  const thoughts = messages[1]!.content.filter(({ reasoningContent }) => reasoningContent);
  assert.deepEqual(thoughts, [
    { reasoningContent: { reasoningText: { text: "Hm", signature: "Sig==" } } },
  ]);
});

Deno.test("an answer that is none is broken, and a picture by its address is refused by name", async () => {
  for (
    const body of [{}, { output: {}, stopReason: "malformed_tool_use" }, {
      output: { message: { content: [1] } },
    }]
  ) {
    await using on = await bench(jsonReply(body));
    assert.equal((await failureOf(on.answer(chatCall({}, { route: CLAUDE })))).failure, "broken");
  }
  await using on = await bench(jsonReply(ANSWER));
  const content = [{ type: "image_url", image_url: { url: "https://x/y.png" } }];
  const call = chatCall({ messages: [{ role: "user", content }] }, { route: CLAUDE });
  const { failure, publicMessage } = await failureOf(on.answer(call));
  assert.equal(failure, "caller");
  assert.match(publicMessage!, /an image by its URL \(send it as data\)/);
  assert.equal(on.upstream.requests.length, 0);
});

Deno.test("check() asks for the models of the region", async () => {
  await using on = await bench(jsonReply({ modelSummaries: [{ modelId: "a" }] }));
  const { ok, checked, detail } = await on.made.check(never());
  assert.deepEqual([ok, checked, detail], [true, true, "has a model list"]);
  assert.equal(on.upstream.requests[0]!.target, "/foundation-models");
});
