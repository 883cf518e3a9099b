/**
 * OpenAI's official client, chat and Responses, over an upstream that speaks Anthropic's dialect alone.
 *
 * @module
 */

import assert from "node:assert/strict";
import OpenAI from "openai7";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import {
  type Block,
  FULL_USAGE,
  messageBody,
  messageEvents,
  messageReply,
} from "../support/message_bodies.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { additionsOf, nativeCatalogue } from "./anthropic_sdk/scene.ts";

const CONTENT: readonly Block[] = [
  { type: "thinking", thinking: "Which one?", signature: "EsEC" },
  { type: "text", text: "I will ", citations: null },
  { type: "text", text: "look.", citations: null },
  { type: "tool_use", id: "toolu_01", name: "list", input: {} },
  { type: "tool_use", id: "toolu_02", name: "read", input: { path: "a" } },
];
const CALLS = [
  { id: "toolu_01", type: "function", function: { name: "list", arguments: "{}" } },
  { id: "toolu_02", type: "function", function: { name: "read", arguments: '{"path":"a"}' } },
];
/** The parts of the prompt are inside it here, those of the output too. */
const USAGE = { prompt_tokens: 1_347, completion_tokens: 373, total_tokens: 1_720 };
const PRICED = {
  provider: "claude",
  route: "claude/sonnet",
  pricing: { currency: "USD", cost_amount: "0.00500500", sale_amount: "0.00750750" },
};
const TOOLS = [{
  type: "function" as const,
  function: { name: "read", parameters: { type: "object", properties: {} } },
}];
const HELLO = [{ role: "user" as const, content: "Hello" }];

Deno.test("OpenAI's client over an upstream of Anthropic's dialect", async (test) => {
  await using upstream = await startFakeUpstream(jsonReply({}));
  await using gateway = await serveGateway({
    env: { CLAUDE_KEY: "sk-ant-upstream-secret" },
    catalogue: nativeCatalogue(upstream.url.replace(/\/v1$/, "")),
  });
  await gateway.credit("paying", "100");
  const apiKey = await gateway.key("paying");
  const client = new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const lastBody = () => upstream.requests.at(-1)!.json();

  await test.step("a chat is answered, and priced to the last digit", async () => {
    upstream.answer(jsonReply(messageBody(CONTENT, { usage: FULL_USAGE })));
    const answer = await client.chat.completions.create({ model: "sonnet", messages: HELLO });
    const [{ message, finish_reason }] = answer.choices as [OpenAI.ChatCompletion.Choice];
    assert.equal(finish_reason, "tool_calls");
    assert.equal(message.content, "I will look.");
    assert.equal((message as unknown as Block).reasoning_content, "Which one?");
    assert.deepEqual(message.tool_calls, CALLS as unknown);
    const { prompt_tokens, completion_tokens, total_tokens } = answer.usage!;
    assert.deepEqual({ prompt_tokens, completion_tokens, total_tokens }, USAGE);
    assert.deepEqual(answer.usage!.prompt_tokens_details, {
      cached_tokens: 1_000,
      cache_write_tokens: 300,
    } as unknown);
    assert.equal(answer.usage!.completion_tokens_details!.reasoning_tokens, 62);
    assert.deepEqual(additionsOf(answer), PRICED as unknown);
  });

  await test.step("a chat's stream is told chunk by chunk", async () => {
    upstream.answer(messageReply(messageEvents(CONTENT, { usage: FULL_USAGE })));
    const stream = await client.chat.completions.create({
      model: "sonnet",
      messages: HELLO,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let thoughts = "";
    const calls: { id?: string; name?: string; input: string }[] = [];
    let last: unknown;
    let reason: string | null = null;
    for await (const chunk of stream) {
      last = chunk;
      const [choice] = chunk.choices;
      if (choice === undefined) continue;
      text += choice.delta.content ?? "";
      thoughts += (choice.delta as unknown as Block).reasoning_content ?? "";
      for (const { index, id, function: called } of choice.delta.tool_calls ?? []) {
        const one = calls[index] ??= { input: "" };
        if (id !== undefined) one.id = id;
        if (called?.name !== undefined) one.name = called.name;
        one.input += called?.arguments ?? "";
      }
      reason = choice.finish_reason ?? reason;
    }
    assert.deepEqual([text, thoughts, reason], ["I will look.", "Which one?", "tool_calls"]);
    assert.deepEqual(calls, [
      { id: "toolu_01", name: "list", input: "{}" },
      { id: "toolu_02", name: "read", input: '{"path":"a"}' },
    ]);
    assert.deepEqual(additionsOf(last), PRICED as unknown);
  });

  await test.step("a chat's request is written as the upstream takes it", async () => {
    upstream.answer(jsonReply(messageBody([{ type: "text", text: "Hi" }])));
    await client.chat.completions.create({
      model: "sonnet",
      max_completion_tokens: 300,
      temperature: 1.4,
      seed: 1,
      stop: ["END", " "],
      user: "u1",
      reasoning_effort: "minimal",
      parallel_tool_calls: false,
      tools: TOOLS,
      messages: [
        { role: "system", content: "Be kind" },
        {
          role: "user",
          content: [
            { type: "text", text: "Look", cache_control: { type: "ephemeral" } } as never,
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "low" } },
            { type: "image_url", image_url: { url: "https://example.com/a.png" } },
          ],
        },
        { role: "assistant", content: "", tool_calls: CALLS as never },
        { role: "tool", tool_call_id: "toolu_01", content: "" },
        { role: "tool", tool_call_id: "toolu_02", content: "found" },
        { role: "user", content: "Go on" },
        { role: "developer", content: "And short" },
      ],
    });
    assert.deepEqual(lastBody(), {
      model: "claude-upstream",
      max_tokens: 300,
      system: [{ type: "text", text: "Be kind" }, { type: "text", text: "And short" }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Look", cache_control: { type: "ephemeral" } },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
            { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "toolu_01", name: "list", input: {} },
            { type: "tool_use", id: "toolu_02", name: "read", input: { path: "a" } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_01" },
            {
              type: "tool_result",
              tool_use_id: "toolu_02",
              content: [{ type: "text", text: "found" }],
            },
            { type: "text", text: "Go on" },
          ],
        },
      ],
      tools: [{ name: "read", input_schema: { type: "object", properties: {} } }],
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
      stop_sequences: ["END"],
      metadata: { user_id: "u1" },
      thinking: { type: "adaptive" },
      output_config: { effort: "low" },
    });
    const { headers } = upstream.requests.at(-1)!;
    assert.equal(headers.get("anthropic-version"), "2023-06-01");
    assert.equal(headers.get("anthropic-beta"), undefined);
  });

  await test.step("an output limit is always said", async () => {
    await client.chat.completions.create({ model: "sonnet", messages: HELLO });
    assert.equal(typeof lastBody().max_tokens, "number");
  });

  await test.step("what the upstream has no word for is refused by name", async () => {
    const before = upstream.requests.length;
    for (const [more, field] of [[{ n: 2 }, "n"], [{ logprobs: true }, "logprobs"]] as const) {
      await assert.rejects(
        client.chat.completions.create({ model: "sonnet", messages: HELLO, ...more }),
        (error: unknown) =>
          error instanceof OpenAI.BadRequestError && error.param === field &&
          error.code === "not_supported",
      );
    }
    assert.equal(upstream.requests.length, before);
  });

  await test.step("the upstream's refusals are told as OpenAI's", async () => {
    upstream.answer(jsonReply({
      type: "error",
      error: { type: "invalid_request_error", message: "max_tokens: too large" },
      request_id: "req_up",
    }, { status: 400 }));
    await assert.rejects(
      client.chat.completions.create({ model: "sonnet", messages: HELLO }),
      (error: unknown) =>
        error instanceof OpenAI.BadRequestError && /max_tokens: too large/.test(error.message) &&
        !("request_id" in (error.error as object)),
    );
  });

  await test.step("the Responses API answers over it, plain and as a stream", async () => {
    upstream.answer(jsonReply(messageBody(CONTENT, { usage: FULL_USAGE })));
    const plain = await client.responses.create({ model: "sonnet", input: "Hello" });
    assert.equal(plain.output_text, "I will look.");
    assert.deepEqual(additionsOf(plain), PRICED as unknown);
    upstream.answer(messageReply(messageEvents(CONTENT, { usage: FULL_USAGE })));
    const stream = await client.responses.create({ model: "sonnet", input: "Hello", stream: true });
    let last: unknown;
    for await (const event of stream) {
      if (event.type === "response.completed") last = event.response;
    }
    const response = last as OpenAI.Responses.Response;
    assert.deepEqual(
      response.output.filter(({ type }) => type === "function_call").map((item) => [
        (item as OpenAI.Responses.ResponseFunctionToolCall).call_id,
        (item as OpenAI.Responses.ResponseFunctionToolCall).arguments,
      ]),
      [["toolu_01", "{}"], ["toolu_02", '{"path":"a"}']],
    );
    assert.equal(response.usage!.input_tokens, 1_347);
  });
});
