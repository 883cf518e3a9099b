import assert from "node:assert/strict";
import { nested } from "../../../support/nested_tokens.ts";
import type { JsonObject } from "../../../../src/domain/json_value.ts";
import { jsonReply, type Script, startFakeUpstream } from "../../../support/fake_upstream.ts";
import { never, openAiCompatible } from "../../../support/provider_parts.ts";
import {
  messageItem,
  nativeCall,
  nativeRoute,
  RESPONSE_USAGE,
  responseBody,
} from "../../../support/response_bodies.ts";

async function respond(script: Script, call = nativeCall()) {
  await using upstream = await startFakeUpstream(script);
  const answer = await openAiCompatible(upstream.url).speaks.openai_responses.answer(call, never());
  return { answer, requests: upstream.requests };
}

Deno.test("respond() asks the upstream's own endpoint and passes its answer on", async () => {
  const body = responseBody({ service_tier: "flex", vendor: { kept: true } });
  const { answer, requests } = await respond(jsonReply(body));
  const { completed_at } = answer.body;
  assert.deepEqual(answer.body, { ...body, ...ADDED, completed_at });
  // By the gateway's clock, as the time of creation that callers see: the upstream's may be behind.
  assert.ok((completed_at as number) > (body.completed_at as number));
  assert.deepEqual(answer.usage, { input: 4, cachedInput: 1, output: 2 });
  assert.equal(answer.text(), "Hello");
  assert.equal(requests.length, 1);
  const [request] = requests;
  assert.equal(`${request!.method} ${request!.target}`, "POST /v1/responses");
  assert.equal(request!.headers.get("accept"), "application/json");
  assert.equal(request!.json().model, "upstream-model");
  assert.equal(request!.json().store, false);
});

/** What a Response object says of a request that the upstream's does not say back. */
const ADDED = {
  background: false,
  max_tool_calls: null,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  text: { format: { type: "text" } },
  top_logprobs: 0,
  truncation: "disabled",
};

Deno.test("respond() completes an answer that lacks what OpenAI requires", async () => {
  const tools = [{ type: "function", name: "f", parameters: {}, strict: false }];
  const call = nativeCall({ instructions: "Be brief", tools, metadata: { a: "b" }, top_p: 0.5 });
  const { answer } = await respond(
    jsonReply({ output: [{ role: "assistant", content: [{ type: "text", text: "Hi" }] }] }),
    call,
  );
  const { id, created_at, completed_at, output, ...rest } = answer.body;
  assert.ok(typeof id === "string" && id !== "");
  assert.ok(Number.isInteger(created_at) && Number.isInteger(completed_at));
  assert.deepEqual(rest, {
    ...ADDED,
    object: "response",
    status: "completed",
    error: null,
    incomplete_details: null,
    model: "upstream-model",
    instructions: "Be brief",
    max_output_tokens: null,
    metadata: { a: "b" },
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: "auto",
    tools,
    top_p: 0.5,
  });
  const [item] = output as [JsonObject];
  assert.match(item.id as string, /^msg_\w{24}$/);
  assert.deepEqual(item, messageItem("Hi", { id: item.id }));
  assert.equal(answer.usage, undefined);
  assert.equal(answer.text(), "Hi");
});

Deno.test("respond() repairs items of every kind and finds all that the model wrote", async () => {
  const { answer } = await respond(jsonReply(responseBody({
    output: [
      {
        type: "reasoning",
        id: "",
        summary: [],
        content: [{ type: "reasoning_text", text: "Hm. " }],
        encrypted_content: null,
        status: null,
      },
      { type: "reasoning", summary: [{ type: "summary_text", text: "So. " }], content: null },
      messageItem("", { content: [{ type: "refusal", refusal: "No. " }], status: undefined }),
      { type: "function_call", name: "f", arguments: { a: 1 } },
      { type: "custom_tool_call", id: "ctc_1", call_id: "call_2", name: "g", input: "ls" },
      { type: "vendor_call", vendor: 1 },
    ],
  })));
  const output = answer.body.output as JsonObject[];
  for (const item of output) assert.ok(typeof item.id === "string" && item.id !== "");
  assert.equal(new Set(output.map(({ id }) => id)).size, 6);
  const [thoughts, summary, message, call] = output;
  assert.match(thoughts!.id as string, /^rs_/);
  assert.ok(!("status" in thoughts!));
  assert.ok(!("content" in summary!));
  assert.equal(message!.status, "completed");
  assert.match(call!.id as string, /^fc_/);
  assert.match(call!.call_id as string, /^call_/);
  assert.equal(call!.arguments, '{"a":1}');
  assert.equal(call!.status, "completed");
  assert.equal(answer.text(), 'Hm. So. No. f{"a":1}gls');
});

Deno.test("respond() tells an incomplete answer as one", async () => {
  const reason = { reason: "max_output_tokens" };
  for (const status of ["incomplete", undefined]) {
    const { answer } = await respond(
      jsonReply(responseBody({ status, incomplete_details: reason, completed_at: 5 })),
    );
    assert.equal(answer.body.status, "incomplete");
    assert.equal(answer.body.completed_at, null);
    assert.deepEqual(answer.body.incomplete_details, reason);
  }
});

const USAGES: readonly [name: string, usage: unknown, expected: JsonObject | undefined][] = [
  ["OpenAI's", RESPONSE_USAGE, RESPONSE_USAGE],
  ["no usage", undefined, undefined],
  ["null", null, undefined],
  ["negative counts", { ...RESPONSE_USAGE, input_tokens: -1 }, undefined],
  ["counts beyond the context", { ...RESPONSE_USAGE, output_tokens: 1e9 }, undefined],
  [
    "no details",
    { input_tokens: 5, output_tokens: 2, total_tokens: 7 },
    { ...RESPONSE_USAGE, input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 } },
  ],
  [
    "null details and fields of its own",
    {
      input_tokens: 5,
      input_tokens_details: null,
      output_tokens: 2,
      output_tokens_details: { reasoning_tokens: null, audio_tokens: 3 },
      num_sources_used: 4,
    },
    {
      input_tokens: 5,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 2,
      output_tokens_details: { reasoning_tokens: 0, audio_tokens: 3 },
      total_tokens: 7,
      num_sources_used: 4,
    },
  ],
  [
    "chat's names",
    {
      prompt_tokens: 5,
      prompt_tokens_details: { cached_tokens: 1, audio_tokens: 0 },
      completion_tokens: 2,
      total_tokens: 7,
    },
    {
      ...RESPONSE_USAGE,
      input_tokens_details: { cached_tokens: 1, cache_write_tokens: 0, audio_tokens: 0 },
    },
  ],
  [
    "reasoning beside the output",
    {
      input_tokens: 307,
      output_tokens: 26,
      output_tokens_details: { reasoning_tokens: 227 },
      total_tokens: 560,
    },
    {
      input_tokens: 307,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 253,
      output_tokens_details: { reasoning_tokens: 227 },
      total_tokens: 560,
    },
  ],
  [
    "cached beside the input",
    {
      input_tokens: 4142,
      input_tokens_details: { cached_tokens: 4328 },
      output_tokens: 1,
      total_tokens: 4143,
    },
    {
      input_tokens: 8470,
      input_tokens_details: { cached_tokens: 4328, cache_write_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 8471,
    },
  ],
];

for (const [name, usage, expected] of USAGES) {
  Deno.test(`respond() normalises usage: ${name}`, async () => {
    const route = nativeRoute({ supports: { contextTokens: 100_000 } });
    const { answer } = await respond(
      jsonReply(responseBody({ usage })),
      nativeCall({}, { route }),
    );
    assert.deepEqual(answer.body.usage, expected);
    assert.equal("usage" in answer.body, expected !== undefined);
    assert.equal(nested(answer.usage)?.promptTokens, expected?.input_tokens);
    assert.equal(nested(answer.usage)?.completionTokens, expected?.output_tokens);
  });
}
