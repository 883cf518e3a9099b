/**
 * Conversations that are compacted, and inputs that are counted, by OpenAI's client: by the upstream
 * where it can, else by a model's summary and by an estimate.
 *
 * @module
 */

import assert from "node:assert/strict";
import OpenAI from "openai7";
import {
  jsonReply,
  type RecordedRequest,
  type Reply,
  sseReply,
  startFakeUpstream,
} from "../../support/fake_upstream.ts";
import { answerBody, chunk, finishChunk, usageChunk } from "../../support/chat_bodies.ts";
import { messageBody } from "../../support/message_bodies.ts";
import { messageItem, RESPONSE_USAGE, responseBody } from "../../support/response_bodies.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { additionsOf } from "../anthropic_sdk/scene.ts";
import { responseEvents } from "./response_events.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";

const SUMMARY = "The user wants three. note.txt has it now. Nothing is left to do.";

function catalogue(url: string): string {
  const priced = `cost: { input: "1", output: "2" }, sale: { markup: "2" }`;
  return `
currency: USD
providers:
  - { id: claude, kind: anthropic, base_url: "${url.replace(/\/v1$/, "")}" }
  - { id: box, kind: openai_compatible, base_url: "${url}" }
models:
  - { id: chat, kind: chat, routes: [{ id: box/chat, provider: box, ${priced} }] }
  - { id: messages, kind: chat, routes: [{ id: claude/messages, provider: claude, ${priced} }] }
  - id: responses
    kind: chat
    routes: [{ id: box/responses, provider: box, supports: { responses: true }, ${priced} }]
projects:
  - { id: paying, models: ["*"] }
`;
}

const ITEMS: OpenAI.Responses.ResponseInputItem[] = [
  { type: "message", role: "developer", content: "Be brief" },
  { type: "message", role: "user", content: "Write three into note.txt" },
  { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA" },
  { type: "function_call", call_id: "c1", name: "shell", arguments: '{"cmd":"echo three"}' },
  { type: "function_call_output", call_id: "c1", output: "a long output" },
  { type: "message", role: "assistant", content: "Done" } as never,
  { type: "message", role: "user", content: [{ type: "input_text", text: "And then?" }] },
];
const KEPT = [
  ["developer", "Be brief"],
  ["user", "Write three into note.txt"],
  ["user", "And then?"],
];

/** Every upstream's answer, with this text. */
function saying(text: string): (request: RecordedRequest) => Reply {
  return ({ target }) => {
    switch (target) {
      case "/v1/messages":
        return jsonReply(messageBody([{ type: "text", text }]));
      case "/v1/responses":
        return jsonReply(responseBody({ output: [messageItem(text)] }));
      case "/v1/chat/completions":
        return jsonReply(answerBody(text));
      default:
        return jsonReply({ detail: "Not Found" }, { status: 404 });
    }
  };
}

function saidIn(output: readonly unknown[]): readonly unknown[] {
  return (output as JsonObject[]).filter(({ type }) => type === "message").map((item) => [
    item.role,
    (item.content as JsonObject[]).map(({ text }) => text).join(),
  ]);
}

Deno.test("conversations are compacted over upstreams of each dialect", async (test) => {
  await using upstream = await startFakeUpstream(saying(SUMMARY));
  await using gateway = await serveGateway({ catalogue: catalogue(upstream.url) });
  await gateway.credit("paying", "100");
  const apiKey = await gateway.key("paying");
  const client = new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const asked = () => upstream.requests.at(-1)!;
  const charged = async () => (await gateway.get("/v1/key", apiKey)).project.balance as string;

  for (const model of ["chat", "messages", "responses"]) {
    await test.step(`${model}: a summary stands for what is left out, and is charged`, async () => {
      const before = await charged();
      const compacted = await client.responses.compact({ model, input: ITEMS });
      assert.equal(compacted.object, "response.compaction");
      assert.match(compacted.id, /^resp_/);
      assert.deepEqual(saidIn(compacted.output), KEPT);
      const last = compacted.output.at(-1)!;
      assert.ok(last.type === "compaction" && last.encrypted_content.startsWith("tg1."));
      assert.equal(compacted.output.length, KEPT.length + 1);
      const { route, pricing } = additionsOf(compacted) as JsonObject;
      assert.equal(route, `${model === "messages" ? "claude" : "box"}/${model}`);
      assert.ok(Number((pricing as JsonObject).sale_amount) > 0);
      assert.notEqual(await charged(), before);
      assert.match(asked().body, /a long output[^]*Write this summary/);
      if (model === "messages") {
        // What was called has to be there, and is not to be called.
        const { tools, tool_choice } = asked().json();
        assert.deepEqual(tools, [{ name: "shell", input_schema: { type: "object" } }]);
        assert.deepEqual(tool_choice, { type: "none" });
      }

      await client.responses.create({
        model,
        input: [...compacted.output as never[], { role: "user", content: "Go on" }],
      });
      assert.match(asked().body, /Be brief[^]*replaced by a summary[^]*three\. note\.txt[^]*Go on/);
      assert.ok(!/a long output|tg1\./.test(asked().body));

      // A summary is part of the next one, and not kept beside it.
      const again = await client.responses.compact({ model, input: compacted.output as never[] });
      assert.match(asked().body, /three\. note\.txt[^]*Write this summary/);
      assert.deepEqual(again.output.map(({ type }) => type), [
        "message",
        "message",
        "message",
        "compaction",
      ]);
    });
  }

  await test.step("a conversation that is kept here is compacted with the rest", async () => {
    const { id } = await client.responses.create({ model: "chat", input: "Remember seven" });
    const { output } = await client.responses.compact({
      model: "chat",
      previous_response_id: id,
      instructions: "Speak Latin",
    });
    assert.match(asked().body, /Speak Latin[^]*Remember seven[^]*Write this summary/);
    assert.deepEqual(saidIn(output), [["user", "Remember seven"]]);
    await assert.rejects(
      client.responses.compact({ model: "chat" }),
      /Missing required parameter .input./,
    );
  });

  await test.step("an upstream that compacts by itself is asked to", async () => {
    const output = [messageItem("Hi"), {
      type: "compaction",
      id: "cmp_1",
      encrypted_content: "gA",
    }];
    upstream.answer(({ target }) =>
      target === "/v1/responses/compact"
        ? jsonReply({
          id: "resp_up",
          object: "response.compaction",
          created_at: 1,
          output,
          usage: RESPONSE_USAGE,
        })
        : saying("Fine")(asked())
    );
    const compacted = await client.responses.compact({
      model: "responses",
      input: ITEMS,
      prompt_cache_key: "k",
      ...{ tools: [{ type: "function", name: "shell" }], reasoning: { effort: "low" } },
    });
    assert.deepEqual(compacted.output, output as never);
    assert.equal(compacted.usage.input_tokens, RESPONSE_USAGE.input_tokens);
    assert.deepEqual(Object.keys(asked().json()).sort(), ["input", "model", "prompt_cache_key"]);
    // What it has compacted it alone can read.
    const next = {
      input: [...compacted.output as never[], { role: "user" as const, content: "?" }],
    };
    await client.responses.create({ model: "responses", ...next });
    assert.match(asked().body, /"gA"/);
    const seen = upstream.requests.length;
    await assert.rejects(
      client.responses.create({ model: "chat", ...next }),
      (error: InstanceType<typeof OpenAI.APIError>) => {
        assert.deepEqual([error.status, error.code], [400, "not_supported"]);
        assert.match(error.message, /an input item of type 'compaction'/);
        return true;
      },
    );
    assert.equal(upstream.requests.length, seen);
    upstream.answer(saying(SUMMARY));
  });

  await test.step("a repeated request gets the first one's answer", async () => {
    const headers = { "idempotency-key": "compact-1" };
    const seen = upstream.requests.length;
    const first = await client.responses.compact({ model: "chat", input: ITEMS }, { headers });
    const again = await client.responses.compact({ model: "chat", input: ITEMS }, { headers });
    assert.deepEqual(again, first);
    assert.equal(upstream.requests.length, seen + 1);
  });

  await test.step("an agent that asks for it in its input gets one item, as a stream too", async () => {
    const input = [...ITEMS, { type: "compaction_trigger" } as never];
    const { output } = await client.responses.create({ model: "messages", input });
    assert.deepEqual(output.map(({ type }) => String(type)), ["compaction"]);
    upstream.answer(sseReply([
      chunk({ reasoning_content: "Hm" }),
      chunk({ content: SUMMARY.slice(0, 20) }),
      chunk({ content: SUMMARY.slice(20) }),
      finishChunk(),
      usageChunk(1_000, 50),
      "[DONE]",
    ]));
    const response = await fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "chat",
        input,
        stream: true,
        tools: [{ type: "function", name: "f" }],
      }),
    });
    const events = responseEvents(await response.text());
    assert.deepEqual(events.map(({ type }) => type), [
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.output_item.done",
      "response.completed",
    ]);
    const { item } = events[3] as { item: JsonObject };
    assert.deepEqual((events[4]!.response as JsonObject).output, [item]);
    assert.equal(asked().json().tool_choice, "none");
    upstream.answer(saying("Fine"));
    await client.responses.create({
      model: "chat",
      input: [item as never, { role: "user", content: "?" }],
    });
    assert.ok(asked().body.includes(SUMMARY));
  });

  await test.step("a summary that nobody could go on from is none, and free", async () => {
    for (const reply of [answerBody("  "), cut(SUMMARY)]) {
      upstream.answer(jsonReply(reply));
      const before = await charged();
      await assert.rejects(
        client.responses.compact({ model: "chat", input: ITEMS }),
        (error: InstanceType<typeof OpenAI.APIError>) => error.status === 503,
      );
      assert.equal(await charged(), before);
    }
  });
});

function cut(text: string): JsonObject {
  const body = answerBody(text);
  return { ...body, choices: [{ ...(body.choices as JsonObject[])[0], finish_reason: "length" }] };
}

Deno.test("inputs are counted by who can, and else estimated", async (test) => {
  const counting = (request: RecordedRequest): Reply => {
    switch (request.target) {
      case "/v1/messages/count_tokens":
        return jsonReply({ input_tokens: 77 });
      case "/v1/responses/input_tokens":
        return jsonReply({ object: "response.input_tokens", input_tokens: 88 });
      default:
        return saying("Fine")(request);
    }
  };
  await using upstream = await startFakeUpstream(counting);
  await using gateway = await serveGateway({ catalogue: catalogue(upstream.url) });
  await gateway.credit("paying", "100");
  const apiKey = await gateway.key("paying");
  const client = new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const asked = () => upstream.requests.at(-1)!;
  const count = async (body: OpenAI.Responses.InputTokenCountParams) =>
    await client.responses.inputTokens.count(body) as unknown as JsonObject;
  const answer = (input_tokens: number, estimated: boolean) => (
    { object: "response.input_tokens", input_tokens, estimated }
  );

  await test.step("the upstream tells, in its own dialect", async () => {
    assert.deepEqual(await count({ model: "responses", input: ITEMS }), answer(88, false));
    assert.deepEqual(Object.keys(asked().json()).sort(), ["input", "model"]);
    assert.deepEqual(await count({ model: "messages", input: "Hello" }), answer(77, false));
    assert.deepEqual(asked().json().messages, [
      { role: "user", content: [{ type: "text", text: "Hello" }] },
    ]);
  });

  await test.step("what no upstream tells is estimated, and nobody is asked", async () => {
    const seen = upstream.requests.length;
    const { input_tokens: short, estimated } = await count({ model: "chat", input: "Hello" });
    assert.ok((short as number) > 0 && (short as number) < 10);
    assert.equal(estimated, true);
    const { input_tokens: long } = await count({
      model: "chat",
      input: ITEMS,
      instructions: "Be brief",
      tools: [{ type: "function", name: "shell", parameters: null, strict: null }],
    });
    assert.ok((long as number) > (short as number) + 20);
    assert.equal(upstream.requests.length, seen);
    upstream.answer(saying("Fine"));
    assert.equal((await count({ model: "responses", input: "Hello" })).estimated, true);
    assert.equal((await count({ model: "messages", input: "Hello" })).estimated, true);
  });

  await test.step("the conversation that it goes on from counts, and nothing is charged", async () => {
    const first = await client.responses.create({ model: "chat", input: "seven ".repeat(200) });
    const before = (await gateway.get("/v1/key", apiKey)).project.balance;
    const { input_tokens } = await count({ model: "chat", previous_response_id: first.id });
    assert.ok((input_tokens as number) > 200);
    assert.equal((await gateway.get("/v1/key", apiKey)).project.balance, before);
  });

  await test.step("mistakes are told", async () => {
    await assert.rejects(count({ model: "chat" }), /Missing required parameter .input./);
    await assert.rejects(count({ model: "none", input: "Hi" }), /does not exist/);
    await assert.rejects(count({ input: "Hi" }), /model/);
    await assert.rejects(
      count({ model: "chat", input: "Hi", previous_response_id: `resp_${"a".repeat(40)}` }),
      /There is no response/,
    );
    upstream.answer(
      jsonReply({ error: { message: "Too odd", type: "invalid_request_error" } }, { status: 400 }),
    );
    await assert.rejects(count({ model: "responses", input: "Hi" }), /Too odd/);
  });
});
