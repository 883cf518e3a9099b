/**
 * Thoughts that a caller of the Responses API gives back: to the upstream that had them as they were,
 * to others not at all.
 *
 * @module
 */

import assert from "node:assert/strict";
import OpenAI from "openai7";
import {
  jsonReply,
  type RecordedRequest,
  type Reply,
  startFakeUpstream,
} from "../../support/fake_upstream.ts";
import { answerBody } from "../../support/chat_bodies.ts";
import {
  type Block,
  messageBody,
  messageEvents,
  messageReply,
} from "../../support/message_bodies.ts";
import { responseBody } from "../../support/response_bodies.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";

const THOUGHTS: readonly Block[] = [
  { type: "thinking", thinking: "Which one?", signature: "EsEC+/=" },
  { type: "redacted_thinking", data: "EvERYTHING" },
  // Where thoughts are not shown.
  { type: "thinking", thinking: "", signature: "EmPTY" },
];
const CALL: Block = { type: "tool_use", id: "toolu_1", name: "look", input: { at: "a" } };
const TOOLS = [{
  type: "function" as const,
  name: "look",
  parameters: { type: "object", properties: {} },
  strict: false,
}];
const OUTPUT = { type: "function_call_output" as const, call_id: "toolu_1", output: "There" };

function catalogue(url: string): string {
  const route = (id: string, provider: string, more = "{}") => `
      - { id: ${id}, provider: ${provider}, supports: ${more}, sale: { free: true } }`;
  return `
currency: USD
providers:
  - { id: claude, kind: anthropic, base_url: "${url.replace(/\/v1$/, "")}" }
  - { id: twin, kind: anthropic, base_url: "${url.replace(/\/v1$/, "")}" }
  - { id: box, kind: openai_compatible, base_url: "${url}" }
models:
  - id: any
    kind: chat
    routes:${route("box/chat", "box")}${route("box/responses", "box", "{ responses: true }")}
      - { id: claude/any, provider: claude, weight: 0.001, sale: { free: true } }
      - { id: twin/any, provider: twin, weight: 0.001, sale: { free: true } }
projects:
  - { id: default, unlimited: true, models: ["*"] }
`;
}

/** Each upstream's own plain answer, whatever it is asked. */
function plainReply({ target }: RecordedRequest): Reply {
  if (target.startsWith("/v1/messages")) {
    return jsonReply(messageBody([{ type: "text", text: "Fine" }]));
  }
  return jsonReply(target === "/v1/responses" ? responseBody() : answerBody("Fine"));
}

Deno.test("thoughts go back to the upstream that had them, and to no other", async (test) => {
  await using upstream = await startFakeUpstream(plainReply);
  await using gateway = await serveGateway({ catalogue: catalogue(upstream.url) });
  const apiKey = await gateway.key("default");
  const client = new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const on = (
    route: string,
  ) => ({ model: "any", route, tools: TOOLS, reasoning: { effort: "low" } } as const);
  const asked = () => upstream.requests.at(-1)!;
  let output: OpenAI.Responses.ResponseInputItem[] = [];

  await test.step("they come as reasoning items, sealed, plain and as a stream", async () => {
    upstream.answer(jsonReply(messageBody([...THOUGHTS, CALL])));
    const answer = await client.responses.create({ ...on("claude/any"), input: "Hi" });
    output = answer.output as OpenAI.Responses.ResponseInputItem[];
    assert.deepEqual(output.map(({ type }) => type), [
      "reasoning",
      "reasoning",
      "reasoning",
      "function_call",
    ]);
    const [first, second, third] = output as unknown as OpenAI.Responses.ResponseReasoningItem[];
    assert.deepEqual(first!.summary, [{ type: "summary_text", text: "Which one?" }]);
    assert.deepEqual([second!.summary, third!.summary], [[], []]);
    upstream.answer(messageReply(messageEvents([...THOUGHTS, CALL])));
    const stream = client.responses.stream({ ...on("claude/any"), input: "Hi" });
    const { output: streamed } = await stream.finalResponse();
    assert.deepEqual(
      streamed.map((item) => "encrypted_content" in item && item.encrypted_content),
      output.map((item) => "encrypted_content" in item && item.encrypted_content),
    );
  });

  const again = (extra: object = {}) =>
    client.responses.create({
      model: "any",
      tools: TOOLS,
      reasoning: { effort: "low" },
      input: [{ role: "user", content: "Hi" }, ...output, OUTPUT],
      ...extra,
    });
  const assistantContent = () =>
    (asked().json().messages as JsonObject[]).find(({ role }) => role === "assistant")!.content;

  await test.step("the conversation stays on its route, and thoughts are what they were", async () => {
    upstream.answer(plainReply);
    for (let round = 0; round < 5; round++) {
      const answer = await again() as unknown as JsonObject;
      assert.equal(answer.route, "claude/any");
      assert.deepEqual(assistantContent(), [...THOUGHTS, CALL]);
    }
  });

  await test.step("a client that keeps the seal alone keeps enough", async () => {
    const bare = output.map((item) => item.type === "reasoning" ? { ...item, summary: [] } : item);
    await again({ input: [{ role: "user", content: "Hi" }, ...bare, OUTPUT] });
    assert.deepEqual(assistantContent(), [...THOUGHTS, CALL]);
  });

  await test.step("they are kept with the answer, for who goes on from it", async () => {
    upstream.answer(jsonReply(messageBody([...THOUGHTS, CALL])));
    const kept = await client.responses.create({ ...on("claude/any"), input: "Hi" });
    upstream.answer(plainReply);
    await client.responses.create({
      ...on("claude/any"),
      previous_response_id: kept.id,
      input: [OUTPUT],
    });
    assert.deepEqual(assistantContent(), [...THOUGHTS, CALL]);
  });

  await test.step("other upstreams never see them", async () => {
    for (const route of ["box/chat", "box/responses"]) {
      await again({ route });
      assert.ok(!/EsEC|EvERY|EmPTY|tg1\.|Which one/.test(asked().body), asked().body);
      assert.match(asked().body, /There/);
    }
  });

  await test.step("an upstream that cannot read them is asked once more without them", async () => {
    const refusal = "messages.1.content.0: Invalid `signature` in `thinking` block";
    const seen = upstream.requests.length;
    upstream.answer([
      jsonReply(
        { type: "error", error: { type: "invalid_request_error", message: refusal } },
        { status: 400 },
      ),
      jsonReply(messageBody([{ type: "text", text: "Fine" }])),
    ]);
    const { output_text } = await again({ route: "twin/any" });
    assert.equal(output_text, "Fine");
    assert.equal(upstream.requests.length, seen + 2);
    assert.deepEqual(assistantContent(), [CALL]);
    // Of any other refusal it is told.
    upstream.answer(jsonReply(
      { type: "error", error: { type: "invalid_request_error", message: "Too odd" } },
      { status: 400 },
    ));
    await assert.rejects(again({ route: "twin/any" }), /Too odd/);
    assert.equal(upstream.requests.length, seen + 3);
  });

  await test.step("seals that a caller made up are its own affair", async () => {
    upstream.answer(plainReply);
    const forged = ["tg1.anthropic_messages.x.AAAA", "tg1.", "gAAAA", "tg1.thoughts..e30"];
    const items = forged.map((encrypted_content) => (
      { type: "reasoning" as const, id: "rs_1", summary: [], encrypted_content }
    ));
    for (const route of ["claude/any", "box/chat"]) {
      await client.responses.create({
        model: "any",
        input: [...items, { role: "user", content: "Hi" }],
        ...{ route },
      });
      assert.ok(!asked().body.includes("tg1."));
    }
  });
});

Deno.test("thoughts of chat upstreams are wrapped for who asks for that", async () => {
  const thinking = {
    ...answerBody("Fine"),
    choices: [{
      index: 0,
      message: {
        role: "assistant",
        content: null,
        reasoning_content: "Which one?",
        tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: "{}" } }],
      },
      finish_reason: "tool_calls",
    }],
  };
  await using upstream = await startFakeUpstream(jsonReply(thinking));
  await using gateway = await serveGateway({ catalogue: catalogue(upstream.url) });
  const apiKey = await gateway.key("default");
  const client = new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const ask = (extra: object) =>
    client.responses.create({
      model: "any",
      input: "Hi",
      tools: TOOLS,
      store: false,
      ...{ route: "box/chat" },
      ...extra,
    }) as Promise<OpenAI.Responses.Response>;
  const plain = await ask({});
  assert.ok(!("encrypted_content" in plain.output[0]!));
  const { output } = await ask({ include: ["reasoning.encrypted_content"] });
  const [first, call] = output;
  assert.ok(first?.type === "reasoning" && call?.type === "function_call");
  const input = [
    { role: "user", content: "Hi" },
    { ...first, summary: [] },
    call,
    { type: "function_call_output", call_id: "c1", output: "There" },
  ];
  await ask({ input });
  const messages = upstream.requests.at(-1)!.json().messages as JsonObject[];
  assert.equal(messages[1]!.reasoning_content, "Which one?");
});
