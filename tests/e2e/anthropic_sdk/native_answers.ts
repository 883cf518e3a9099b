/**
 * Answers of an upstream that speaks Messages itself, as its clients get them through the program.
 *
 * @module
 */

import assert from "node:assert/strict";
import { jsonReply } from "../../support/fake_upstream.ts";
import {
  type Block,
  FULL_USAGE,
  messageBody,
  messageEvents,
  messageReply,
} from "../../support/message_bodies.ts";
import { additionsOf, HELLO, type Scenario, type Scene } from "./scene.ts";

const TEXT: readonly Block[] = [{ type: "text", text: "Hello to you, too.", citations: null }];
const CALLS: readonly Block[] = [
  { type: "thinking", thinking: "Which of them first?", signature: "EsECCokB+/==" },
  { type: "text", text: "I will look.", citations: null },
  { type: "tool_use", id: "toolu_01", name: "list", input: {}, caller: { type: "direct" } },
  { type: "tool_use", id: "toolu_02", name: "read", input: { path: 'a\n"b"' } },
];

/**
 * 47 × 2 + 100 × 2.50 + 200 × 4 + 1000 × 0.10 + 311 × 10 + 62 × 10.5, of a million; sold for 1.5
 * times that.
 */
const FULL_PRICE = { currency: "USD", cost_amount: "0.00500500", sale_amount: "0.00750750" };

const PRICED = { provider: "claude", route: "claude/sonnet", pricing: FULL_PRICE };

/** What the upstream was asked, last. */
function lastRequest({ upstream }: Scene) {
  const request = upstream.requests.at(-1)!;
  return { request, body: request.json() };
}

export const NATIVE_ANSWERS: readonly Scenario[] = [
  {
    name: "an answer is the upstream's, with who served it and what it cost",
    async run(scene) {
      const { client, upstream } = scene;
      upstream.answer(jsonReply(messageBody(TEXT, { usage: FULL_USAGE })));
      const asked = {
        ...HELLO,
        system: [{
          type: "text" as const,
          text: "Be kind",
          cache_control: { type: "ephemeral" as const },
        }],
        metadata: { user_id: "u1" },
      };
      const message = await client.messages.create(
        { ...asked, route: "claude/sonnet", field_of_tomorrow: [1] } as never,
        { headers: { "anthropic-beta": "a-2026-01-01,b-2026-02-02" } },
      );
      assert.deepEqual(message.content, TEXT);
      assert.equal(message.model, "sonnet");
      assert.deepEqual(message.usage, FULL_USAGE as unknown);
      assert.deepEqual(additionsOf(message), PRICED as unknown);
      assert.match(message._request_id ?? "", /^req_/);
      assert.deepEqual((message as unknown as Block).a_field_of_tomorrow, { kept: true });

      const { request, body } = lastRequest(scene);
      assert.equal(request.target, "/v1/messages");
      assert.deepEqual(body, { ...asked, field_of_tomorrow: [1], model: "claude-upstream" });
      const { headers } = request;
      assert.equal(headers.get("x-api-key"), "sk-ant-upstream-secret");
      assert.equal(headers.get("authorization"), undefined);
      assert.match(headers.get("anthropic-version")!, /^20\d\d-\d\d-\d\d$/);
      assert.equal(headers.get("anthropic-beta"), "a-2026-01-01,b-2026-02-02");
    },
  },
  {
    name: "a stream has every event, and the price in the last of them",
    async run({ client, upstream }) {
      for (const content of [TEXT, CALLS]) {
        upstream.answer(messageReply(messageEvents(content, { usage: FULL_USAGE })));
        const stream = client.messages.stream({ ...HELLO, model: "claude-sonnet-9[1m]" });
        const events: Block[] = [];
        stream.on("streamEvent", (event) => events.push(event as unknown as Block));
        const message = await stream.finalMessage();
        assert.deepEqual(message.content, content);
        assert.equal(message.model, "sonnet");
        assert.equal(message.usage.output_tokens, FULL_USAGE.output_tokens);
        assert.equal(message.usage.cache_read_input_tokens, 1_000);
        const last = events.findLast(({ type }) => type === "message_delta");
        assert.deepEqual(additionsOf(last), PRICED as unknown);
        assert.equal(events.at(-1)!.type, "message_stop");
        assert.equal(events.filter(({ type }) => type === "message_start").length, 1);
      }
    },
  },
  {
    name: "what the answer says of itself decides about its price",
    async run({ client, upstream }) {
      const asked = { ...HELLO, model: "both", route: "claude/both" };
      for (const [speed, cost_amount] of [["fast", "0.00035000"], ["standard", "0.00002000"]]) {
        const usage = { input_tokens: 10, output_tokens: 5, service_tier: "standard", speed };
        upstream.answer(jsonReply(messageBody(TEXT, { usage })));
        const plain = await client.messages.create(asked as never);
        assert.equal(additionsOf(plain).pricing!.cost_amount, cost_amount);
        upstream.answer(messageReply(messageEvents(TEXT, { usage })));
        const events: Block[] = [];
        for await (const event of await client.messages.create({ ...asked, stream: true })) {
          events.push(event as unknown as Block);
        }
        assert.equal(additionsOf(events.at(-2)).pricing!.cost_amount, cost_amount);
      }
    },
  },
  {
    name: "a repeated request gets the same message, whole or as a stream, and is charged once",
    async run({ client, upstream }) {
      const before = upstream.requests.length;
      for (const stream of [false, true]) {
        upstream.answer(
          stream ? messageReply(messageEvents(TEXT)) : jsonReply(messageBody(TEXT)),
        );
        const headers = { "idempotency-key": `once-${client.apiKey}-${stream}` };
        const read = async () =>
          await (await client.messages.create({ ...HELLO, stream }, { headers }).asResponse())
            .text();
        const first = await read();
        assert.match(first, /"sale_amount"/);
        assert.equal(await read(), first);
      }
      assert.equal(upstream.requests.length, before + 2);
    },
  },
  {
    name: "pictures, documents and marks for a cache go as they came",
    async run(scene) {
      const { client, upstream } = scene;
      upstream.answer(jsonReply(messageBody(TEXT, { usage: FULL_USAGE })));
      const mark = { type: "ephemeral", ttl: "1h" };
      const content = [
        { type: "image", source: { type: "base64", media_type: "image/webp", data: "UklGRg==" } },
        { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
        { type: "image", source: { type: "file", file_id: "file_1" }, cache_control: mark },
        {
          type: "document",
          source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
          title: "A",
          context: "B",
          citations: { enabled: true },
        },
        { type: "document", source: { type: "content", content: [{ type: "text", text: "C" }] } },
        { type: "search_result", source: "s", title: "t", content: [{ type: "text", text: "r" }] },
        { type: "text", text: "What is it?", cache_control: mark },
      ];
      const asked = {
        ...HELLO,
        system: [{ type: "text", text: "Be kind", cache_control: mark }],
        messages: [{ role: "user", content }],
        tools: [{ name: "look", input_schema: { type: "object" }, cache_control: mark }],
        cache_control: mark,
      };
      for (const stream of [false, true]) {
        if (stream) upstream.answer(messageReply(messageEvents(TEXT)));
        const answer = stream
          ? await client.messages.stream(asked as never).finalMessage()
          : await client.messages.create(asked as never);
        assert.deepEqual(answer.content, TEXT);
        const { body: { stream: _, ...sent } } = lastRequest(scene);
        assert.deepEqual(sent, { ...asked, model: "claude-upstream" });
      }
    },
  },
  {
    name: "thoughts and results of tools go back to the upstream as they came",
    async run(scene) {
      const { client, upstream } = scene;
      upstream.answer(jsonReply(messageBody(TEXT)));
      const messages = [
        HELLO.messages[0],
        { role: "assistant", content: CALLS },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "toolu_01",
              content: [{ type: "text", text: "x" }],
            },
            { type: "tool_result", tool_use_id: "toolu_02", is_error: true, content: "gone" },
            { type: "text", text: "Go on" },
          ],
        },
      ];
      const tools = [{ name: "list", input_schema: { type: "object" } }, {
        type: "web_search_20260209",
        name: "web_search",
      }];
      await client.messages.create({ ...HELLO, messages, tools } as never);
      const { body } = lastRequest(scene);
      assert.deepEqual(body.messages, messages);
      assert.deepEqual(body.tools, tools);
    },
  },
  {
    name: "an upstream's refusal of the request comes back byte for byte",
    async run({ sdk, gateway, client, upstream }) {
      const text =
        '{"type":"error", "error":{"type":"invalid_request_error","message":"messages.1: `thinking` \\u2026"},"request_id":"req_up"}';
      upstream.answer({
        status: 400,
        headers: { "content-type": "application/json", "anthropic-organization-id": "org-1" },
        steps: [text],
      });
      const response = await fetch(`${gateway.url}/v1/messages`, {
        method: "POST",
        headers: {
          "x-api-key": client.apiKey!,
          "content-type": "application/json",
          "anthropic-version": "2023-06-01",
        },
        body: JSON.stringify(HELLO),
      });
      assert.equal(response.status, 400);
      assert.equal(await response.text(), text);
      assert.match(response.headers.get("request-id")!, /^req_/);
      assert.equal(response.headers.get("anthropic-organization-id"), null);
      await assert.rejects(client.messages.create(HELLO), (error: unknown) => {
        assert.ok(error instanceof sdk.BadRequestError);
        assert.match(error.message, /`thinking` …/);
        return true;
      });
    },
  },
  {
    name: "errors are of the classes that Anthropic's have",
    async run({ sdk, gateway, client, clientOf, upstream }) {
      const poor = clientOf(await gateway.key("poor"));
      const cases = [
        [() => clientOf("sk-tg-wrong").messages.create(HELLO), sdk.AuthenticationError, 401],
        [() => client.messages.create({ ...HELLO, model: "none" }), sdk.NotFoundError, 404],
        [() => poor.messages.create(HELLO), sdk.APIError, 402],
        [
          () => client.messages.create({ ...HELLO, max_tokens: "many" } as never),
          sdk.BadRequestError,
          400,
        ],
        [
          () => client.messages.create(HELLO, { headers: { "anthropic-version": "1999-01-01" } }),
          sdk.BadRequestError,
          400,
        ],
      ] as const;
      for (const [call, type, status] of cases) {
        await assert.rejects(call, (error: unknown) => {
          assert.ok(error instanceof type, String(error));
          assert.equal((error as { status: number }).status, status);
          const { type: kind, request_id } = (error as { error: Block }).error;
          assert.equal(kind, "error");
          assert.match(String(request_id), /^req_/);
          return true;
        });
      }
      upstream.answer(jsonReply({
        type: "error",
        error: { type: "overloaded_error", message: "Overloaded" },
      }, { status: 529 }));
      await assert.rejects(
        client.messages.create({ ...HELLO, model: "busy" }),
        (error: unknown) => {
          const { status, headers } = error as { status: number; headers: Headers };
          assert.equal(status, 529);
          assert.ok(Number(headers.get("retry-after")) <= 60);
          return true;
        },
      );
    },
  },
];
