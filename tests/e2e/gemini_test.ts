/**
 * OpenAI's and Anthropic's official clients over an upstream that speaks Google's dialect alone, which
 * answers as recorded.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Anthropic } from "anthropic1";
import OpenAI from "openai7";
import type { JsonObject } from "../../src/domain/json_value.ts";
import { answerBody } from "../support/chat_bodies.ts";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import {
  BLOCKED,
  CALL_STREAM,
  FULL_USAGE,
  geminiReply,
  RATE_LIMITED,
  responseOf,
  THOUGHTS_STREAM,
} from "../support/gemini_bodies.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { additionsOf } from "./anthropic_sdk/scene.ts";

const KEY = "AIza-upstream-secret-012345";
const CATALOGUE = (url: string) => `
currency: USD
providers:
  - id: google
    kind: gemini
    base_url: "${url}"
    api_key: env:GEMINI_KEY
    safety_settings: [{ category: HARM_CATEGORY_HARASSMENT, threshold: BLOCK_ONLY_HIGH }]
  - { id: box, kind: openai_compatible, base_url: "${url}/v1", auth: none }
models:
  - id: both
    kind: chat
    routes:
      - { id: google/both, provider: google, upstream_model: gemini-3.1-pro, cost: { input: "1", output: "1" }, sale: { markup: "1" } }
      - { id: box/both, provider: box, upstream_model: glm, cost: { input: "9", output: "9" }, sale: { markup: "1" } }${
  ["pro", "spare", "broken", "cut"].map((id) => `
  - id: ${id}
    kind: chat
    aliases: [claude-${id}]
    routes:
      - id: google/${id}
        provider: google
        upstream_model: gemini-3.1-pro
        cost:
          input: "2"
          cached_input: "0.20"
          output: "12"
          when: [{ context_above: 200000, input: "4", cached_input: "0.40", output: "18" }]
        sale: { markup: "1.5" }`).join("")
}
  - id: painter
    kind: image
    routes:
      - id: google/painter
        provider: google
        upstream_model: gemini-3.1-flash-image
        cost: { input: "0.50", output: "3", output_image: "60" }
        sale: { markup: "1" }
  - id: imagen
    kind: image
    routes:
      - id: google/imagen
        provider: google
        upstream_model: imagen-4.0-generate-001
        cost: { image_out: "0.04" }
        sale: { markup: "1" }
projects:
  - { id: paying, models: ["*"] }
`;

const PARTS = [
  { text: "Which one?", thought: true },
  { text: "I will look." },
  { functionCall: { name: "list", args: {} }, thoughtSignature: "SignatureOfStep" },
  { functionCall: { name: "read", args: { path: "a" } } },
];
const TOOLS = ["list", "read"].map((name) => ({
  type: "function" as const,
  function: { name, parameters: { type: "object", properties: {} } },
}));
const HELLO = [{ role: "user" as const, content: "Hello" }];
/** 79 · 2 + 3 · 0.20 + 60 · 12, per million. */
const PRICED = {
  provider: "google",
  route: "google/pro",
  pricing: { currency: "USD", cost_amount: "0.00087860", sale_amount: "0.00131790" },
};

Deno.test("official clients over an upstream of Google's dialect", async (test) => {
  await using upstream = await startFakeUpstream(jsonReply({}));
  await using gateway = await serveGateway({
    env: { GEMINI_KEY: KEY },
    catalogue: CATALOGUE(upstream.url.replace(/\/v1$/, "")),
  });
  await gateway.credit("paying", "100");
  const apiKey = await gateway.key("paying");
  const openai = new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const anthropic = new Anthropic({ apiKey, baseURL: gateway.url, maxRetries: 0 });
  const lastBody = () => upstream.requests.at(-1)!.json() as JsonObject;

  await test.step("its model list is asked for, with the key", async () => {
    upstream.answer(jsonReply({ models: [{ name: "models/gemini-3.1-pro" }] }));
    const [{ ok, checked }] = await gateway.cli("providers", "test", "google");
    assert.deepEqual([ok, checked], [true, true]);
    const { target, headers } = upstream.requests.at(-1)!;
    assert.equal(target, "/v1beta/models?pageSize=1");
    assert.equal(headers.get("x-goog-api-key"), KEY);
  });

  await test.step("a chat with tools is answered, priced, and goes on with its signature", async () => {
    upstream.answer(jsonReply(responseOf(PARTS, { usage: FULL_USAGE })));
    const answer = await openai.chat.completions.create({
      model: "pro",
      messages: HELLO,
      tools: TOOLS,
      reasoning_effort: "low",
    });
    const [{ message, finish_reason }] = answer.choices as [OpenAI.ChatCompletion.Choice];
    assert.equal(finish_reason, "tool_calls");
    assert.equal(message.content, "I will look.");
    assert.deepEqual(additionsOf(answer), PRICED as unknown);
    assert.equal(answer.usage!.prompt_tokens_details!.cached_tokens, 3);
    const calls = message.tool_calls!;
    const results = calls.map(({ id }) => ({
      role: "tool" as const,
      tool_call_id: id,
      content: "done",
    }));
    upstream.answer(jsonReply(responseOf([{ text: "Done." }])));
    await openai.chat.completions.create({
      model: "pro",
      messages: [...HELLO, message, ...results],
      tools: TOOLS,
    });
    const sent = JSON.stringify(lastBody());
    assert.ok(sent.includes('"thoughtSignature":"SignatureOfStep"'));
    assert.ok(!sent.includes("tg1."));
    assert.deepEqual(lastBody().safetySettings, [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_ONLY_HIGH" },
    ]);
  });

  await test.step("several choices are asked of routes that have them, or refused by name", async () => {
    const asked = { messages: HELLO, n: 2 };
    const before = upstream.requests.length;
    await assert.rejects(
      openai.chat.completions.create({ ...asked, model: "pro" }),
      (error: unknown) => error instanceof OpenAI.BadRequestError && error.param === "n",
    );
    assert.equal(upstream.requests.length, before);
    upstream.answer(jsonReply(answerBody("Hi")));
    const { route } = additionsOf(
      await openai.chat.completions.create({ ...asked, model: "both" }),
    );
    assert.equal(route, "box/both");
    const explained = await gateway.cli("routes", "explain", "both", "--only-in", "openai_chat");
    assert.deepEqual(
      [explained.candidates, explained.rejected].map((list) =>
        list.map(({ route, reason }: JsonObject) => [route, reason])
      ),
      [[["box/both", undefined]], [["google/both", "endpoint_not_supported"]]],
    );
    upstream.answer(jsonReply(responseOf([{ text: "Hi" }])));
    const one = await openai.chat.completions.create({ ...asked, model: "both", n: 1 });
    assert.equal(additionsOf(one).route, "google/both");
  });

  await test.step("a long prompt has the price of long prompts, as a whole", async () => {
    const usage = { promptTokenCount: 200_001, candidatesTokenCount: 10, totalTokenCount: 200_011 };
    upstream.answer(jsonReply(responseOf([{ text: "Hi" }], { usage })));
    const answer = await openai.chat.completions.create({ model: "pro", messages: HELLO });
    assert.equal(additionsOf(answer).pricing!.cost_amount, "0.80018400");
  });

  await test.step("a chat's stream tells thoughts, text, a call and what was used", async () => {
    for (
      const [pieces, content, used] of [
        [THOUGHTS_STREAM, "hello", [6, 77]],
        [CALL_STREAM, "", [29, 819]],
      ] as const
    ) {
      upstream.answer(geminiReply(pieces));
      const stream = openai.chat.completions.stream({
        model: "pro",
        messages: HELLO,
        stream_options: { include_usage: true },
      });
      const { choices: [choice], usage } = await stream.finalChatCompletion();
      assert.equal(choice!.message.content ?? "", content);
      assert.equal(choice!.finish_reason, content === "" ? "tool_calls" : "stop");
      assert.deepEqual([usage!.prompt_tokens, usage!.completion_tokens], used);
    }
    assert.equal(
      upstream.requests.at(-1)!.target,
      "/v1beta/models/gemini-3.1-pro:streamGenerateContent?alt=sse",
    );
  });

  await test.step("the Responses API answers over it, plain and as a stream", async () => {
    upstream.answer(jsonReply(responseOf(PARTS, { usage: FULL_USAGE })));
    const plain = await openai.responses.create({ model: "pro", input: "Hello" });
    assert.equal(plain.output_text, "I will look.");
    assert.deepEqual(additionsOf(plain), PRICED as unknown);
    assert.equal(plain.output.filter(({ type }) => type === "function_call").length, 2);
    upstream.answer(geminiReply(CALL_STREAM));
    const stream = await openai.responses.create({ model: "pro", input: "Hello", stream: true });
    let last: OpenAI.Responses.Response | undefined;
    for await (const event of stream) {
      if (event.type === "response.completed") last = event.response;
    }
    assert.equal(last!.usage!.output_tokens, 819);
    const call = last!.output.find(({ type }) => type === "function_call");
    upstream.answer(jsonReply(responseOf([{ text: "Sunny." }])));
    const { call_id } = call as OpenAI.Responses.ResponseFunctionToolCall;
    await openai.responses.create({
      model: "pro",
      input: [
        { role: "user", content: "Hello" },
        ...last!.output as OpenAI.Responses.ResponseInputItem[],
        { type: "function_call_output", call_id, output: "Sun" },
      ],
    });
    assert.ok(JSON.stringify(lastBody()).includes('"thoughtSignature":"EpEgCo4gAb4+9vvW"'));
  });

  await test.step("Messages are answered over it, plain and as a stream, thoughts signed", async () => {
    upstream.answer(jsonReply(responseOf(PARTS, { usage: FULL_USAGE })));
    const request = {
      model: "pro",
      max_tokens: 1_000,
      messages: HELLO,
      tools: [{ name: "list", input_schema: { type: "object" as const } }],
    };
    const plain = await anthropic.messages.create(request);
    assert.equal(plain.stop_reason, "tool_use");
    assert.deepEqual(plain.content.map(({ type }) => type), [
      "thinking",
      "text",
      "thinking",
      "tool_use",
      "tool_use",
    ]);
    assert.deepEqual(additionsOf(plain), PRICED as unknown);
    const { input_tokens, cache_read_input_tokens, output_tokens } = plain.usage;
    assert.deepEqual([input_tokens, cache_read_input_tokens, output_tokens], [79, 3, 60]);
    upstream.answer(geminiReply(CALL_STREAM));
    const streamed = await anthropic.messages.stream(request).finalMessage();
    assert.deepEqual(streamed.content.map(({ type }) => type), ["thinking", "tool_use"]);
    upstream.answer(jsonReply(responseOf([{ text: "Sunny." }])));
    await anthropic.messages.create({
      ...request,
      messages: [
        ...HELLO,
        { role: "assistant", content: streamed.content as Anthropic.ContentBlockParam[] },
        {
          role: "user",
          content: streamed.content.flatMap((block) =>
            block.type === "tool_use"
              ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "Sun" }]
              : []
          ),
        },
      ],
    });
    assert.ok(JSON.stringify(lastBody()).includes('"thoughtSignature":"EpEgCo4gAb4+9vvW"'));
  });

  await test.step("a message's prompt is counted by the upstream, for nothing", async () => {
    upstream.answer(jsonReply({ totalTokens: 1_234 }));
    const question = { model: "pro", messages: HELLO, system: "Be kind" };
    assert.equal((await anthropic.messages.countTokens(question)).input_tokens, 1_234);
    const { target } = upstream.requests.at(-1)!;
    assert.equal(target, "/v1beta/models/gemini-3.1-pro:countTokens");
    const { generateContentRequest: asked } = lastBody() as { generateContentRequest: JsonObject };
    assert.equal(asked.model, "models/gemini-3.1-pro");
    assert.deepEqual(asked.systemInstruction, { parts: [{ text: "Be kind" }] });
    upstream.answer(jsonReply({ totalTokens: -1 }));
    assert.ok((await anthropic.messages.countTokens(question)).input_tokens > 1);
  });

  await test.step("a blocked prompt is a refusal in each client's own words", async () => {
    upstream.answer(jsonReply(BLOCKED));
    const chat = await openai.chat.completions.create({ model: "pro", messages: HELLO });
    assert.equal(chat.choices[0]!.finish_reason, "content_filter");
    const message = await anthropic.messages.create({
      model: "pro",
      max_tokens: 10,
      messages: HELLO,
    });
    assert.equal(message.stop_reason, "refusal");
  });

  await test.step("a call that the model spoilt is asked for again", async () => {
    const spoilt = { candidates: [{ content: {}, finishReason: "MALFORMED_FUNCTION_CALL" }] };
    upstream.answer([geminiReply([spoilt]), geminiReply(THOUGHTS_STREAM)]);
    const before = upstream.requests.length;
    const stream = openai.chat.completions.stream({ model: "spare", messages: HELLO });
    assert.equal((await stream.finalChatCompletion()).choices[0]!.message.content, "hello");
    assert.equal(upstream.requests.length, before + 2);
  });

  await test.step("a stream that is cut is told as broken, and no answer", async () => {
    upstream.answer(geminiReply(THOUGHTS_STREAM.slice(0, 3)));
    await assert.rejects(
      openai.chat.completions.stream({ model: "cut", messages: HELLO }).finalChatCompletion(),
    );
  });

  await test.step("images are paid for by their tokens or each, never by both", async () => {
    const data = "iVBORw0KGgo=";
    const usage = {
      promptTokenCount: 10,
      candidatesTokenCount: 1_300,
      totalTokenCount: 1_310,
      candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_290 }],
    };
    const made = responseOf([{ inlineData: { mimeType: "image/png", data } }], { usage });
    upstream.answer(jsonReply(made));
    const painted = await openai.images.generate({ model: "painter", prompt: "A hat", n: 2 });
    assert.deepEqual(painted.data!.map(({ b64_json }) => b64_json), [data, data]);
    assert.equal(painted.usage!.output_tokens, 2_600);
    // 20 · 0.50 + 20 · 3 + 2,580 · 60, per million.
    assert.equal(additionsOf(painted).pricing!.cost_amount, "0.15487000");
    upstream.answer(jsonReply({ predictions: [{ bytesBase64Encoded: data }, {}] }));
    const one = await openai.images.generate({ model: "imagen", prompt: "A hat", n: 2 });
    assert.equal(one.data!.length, 1);
    assert.equal(additionsOf(one).pricing!.cost_amount, "0.04000000");
    await assert.rejects(
      openai.images.generate({ model: "imagen", prompt: "A hat", size: "1000x100" as never }),
      (error: unknown) => error instanceof OpenAI.BadRequestError && error.param === "size",
    );
  });

  await test.step("a rate limit says when to come back, and shows no key", async () => {
    upstream.answer(jsonReply(RATE_LIMITED, { status: 429 }));
    await assert.rejects(
      openai.chat.completions.create({ model: "broken", messages: HELLO }),
      (error: unknown) => {
        assert.ok(error instanceof OpenAI.APIError);
        assert.equal(Number(error.headers!.get("retry-after")) > 5, true);
        assert.ok(!JSON.stringify(error.error).includes(KEY));
        return true;
      },
    );
  });

  await test.step("every balance adds up, and the key was shown to nobody", async () => {
    const { differences } = await gateway.cli("ledger", "verify");
    assert.deepEqual(differences, []);
    assert.ok(!gateway.server.stderr.includes(KEY));
  });
});
