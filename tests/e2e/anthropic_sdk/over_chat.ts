/**
 * Messages over an upstream that speaks chat alone.
 *
 * @module
 */

import assert from "node:assert/strict";
import { jsonReply, sseReply } from "../../support/fake_upstream.ts";
import {
  type Block,
  messageBody,
  messageEvents,
  messageReply,
} from "../../support/message_bodies.ts";
import { call, CHAT, chunk, USAGE, WHOLE } from "./chat_parts.ts";
import { additionsOf, HELLO, type Scenario } from "./scene.ts";

/** Of the same work: what is cached stands beside the rest, thoughts inside the output. */
const TOLD = {
  input_tokens: 40,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 60,
  output_tokens: 20,
};
/** 40 × 1 + 60 × 0.1 + 20 × 2, of a million. */
const PRICING = { currency: "USD", cost_amount: "0.00008600", sale_amount: "0.00008600" };

const TEXT: readonly Block[] = [{ type: "text", text: "Hi" }];

function signed(signature: string): readonly Block[] {
  return [{ type: "thinking", thinking: "Hm", signature }, ...TEXT];
}

export const OVER_CHAT: readonly Scenario[] = [
  {
    name: "over chat an answer is a message, with its price",
    async run({ client, upstream }) {
      const message = {
        role: "assistant",
        content: "Hello",
        reasoning_content: "Hm",
        tool_calls: [call(0, "read", '{"path":"a"}', "functions.read:0")],
      };
      upstream.answer(jsonReply({
        ...WHOLE,
        choices: [{ index: 0, message, finish_reason: "stop" }],
      }));
      const answer = await client.messages.create(CHAT);
      assert.deepEqual(answer.content.map(({ type }) => type), ["thinking", "text", "tool_use"]);
      const [thought, text, use] = answer.content as unknown as Block[];
      assert.equal(thought!.thinking, "Hm");
      assert.match(String(thought!.signature), /^tg1\./);
      assert.equal(text!.text, "Hello");
      assert.deepEqual([use!.name, use!.input], ["read", { path: "a" }]);
      assert.match(String(use!.id), /^[a-zA-Z0-9_-]+$/);
      assert.deepEqual([answer.model, answer.stop_reason, answer.stop_sequence], [
        "glm",
        "tool_use",
        null,
      ]);
      for (const [name, count] of Object.entries(TOLD)) {
        assert.equal((answer.usage as unknown as Record<string, number>)[name], count);
      }
      assert.deepEqual(additionsOf(answer), {
        provider: "box",
        route: "box/glm",
        pricing: PRICING,
      });

      // The upstream gets its own id back, and its own thoughts.
      await client.messages.create({
        ...CHAT,
        messages: [
          CHAT.messages[0]!,
          { role: "assistant", content: answer.content as never },
          {
            role: "user",
            content: [
              { type: "text", text: "And now?" },
              {
                type: "tool_result",
                tool_use_id: String(use!.id),
                is_error: true,
                content: [{ type: "text", text: "gone" }],
              },
            ],
          },
        ],
      });
      assert.deepEqual(upstream.requests.at(-1)!.json().messages, [
        { role: "user", content: "Hello there!" },
        {
          role: "assistant",
          content: "Hello",
          reasoning_content: "Hm",
          tool_calls: [{
            id: "functions.read:0",
            type: "function",
            function: { name: "read", arguments: '{"path":"a"}' },
          }],
        },
        { role: "tool", tool_call_id: "functions.read:0", content: "Error: gone" },
        { role: "user", content: "And now?" },
      ]);
    },
  },
  {
    name: "over chat a stream tells one block at a time, also of calls that are told at once",
    async run({ client, upstream }) {
      upstream.answer(sseReply([
        chunk({ role: "assistant", reasoning_content: "Which" }),
        chunk({ reasoning_content: " one?" }),
        chunk({ content: "Both." }),
        chunk({ tool_calls: [call(0, "read", "", "t0")] }),
        chunk({ tool_calls: [call(1, "list", "", "t1")] }),
        chunk({ tool_calls: [call(0, undefined, '{"pa'), call(1, undefined, "{")] }),
        chunk({ tool_calls: [call(0, undefined, 'th":"a"}'), call(1, undefined, "}")] }),
        chunk({}, "tool_calls"),
        { ...chunk({}), choices: [], usage: USAGE },
        "[DONE]",
      ]));
      const stream = client.messages.stream(CHAT);
      const events: Block[] = [];
      stream.on("streamEvent", (event) => events.push(structuredClone(event) as unknown as Block));
      const answer = await stream.finalMessage();
      const told = answer.content as unknown as Block[];
      assert.deepEqual(told.map(({ type }) => type), ["thinking", "text", "tool_use", "tool_use"]);
      assert.equal(told[0]!.thinking, "Which one?");
      assert.deepEqual(told.slice(2).map(({ id, name, input }) => [id, name, input]), [
        ["t0", "read", { path: "a" }],
        ["t1", "list", {}],
      ]);
      assert.equal(answer.stop_reason, "tool_use");
      assert.equal(answer.usage.output_tokens, 20);
      assert.equal(answer.usage.cache_read_input_tokens, 60);
      let open: unknown;
      for (const { type, index } of events) {
        if (type === "content_block_start") {
          assert.equal(open, undefined);
          open = index;
        } else if (type.startsWith("content_block")) assert.equal(index, open);
        if (type === "content_block_stop") open = undefined;
      }
      const last = events.findLast(({ type }) => type === "message_delta");
      assert.deepEqual(additionsOf(last).pricing, PRICING);
    },
  },
  {
    name: "over chat what it has no word for is refused by name, before anything is spent",
    async run({ sdk, client, upstream }) {
      const before = upstream.requests.length;
      const cases: readonly (readonly [object, RegExp, string])[] = [
        [
          { tools: [{ type: "web_search_20260209", name: "web_search" }] },
          /web_search_2/,
          "not_supported",
        ],
        [{ container: "c1" }, /'container'/, "not_supported"],
        [{ mcp_servers: [{ type: "url" }] }, /'mcp_servers'/, "not_supported"],
        [{ thread: { type: "create" } }, /'thread'/, "thread_unsupported_request"],
        [{ max_tokens: 0 }, /cache/, "invalid_value"],
        [
          { messages: [HELLO.messages[0], { role: "assistant", content: "I" }] },
          /begins/,
          "not_supported",
        ],
      ];
      for (const [more, words, code] of cases) {
        await assert.rejects(
          client.messages.create({ ...CHAT, ...more } as never),
          (error: unknown) => {
            assert.ok(error instanceof sdk.BadRequestError, String(error));
            assert.match(error.message, words);
            const { error: { details } } = error.error as { error: { details: Block } };
            assert.equal(details.error_code, code);
            if (code.startsWith("thread")) assert.deepEqual(details.unsupported, ["thread"]);
            return true;
          },
        );
      }
      assert.equal(upstream.requests.length, before);
    },
  },
  {
    name: "what only one vendor's upstreams have goes to a route of theirs",
    async run({ sdk, gateway, client, upstream }) {
      const options = ["both", "--only-in", "anthropic_messages"];
      const explained = await gateway.cli("routes", "explain", ...options);
      assert.deepEqual(explained.candidates.map(({ route }: Block) => route), ["claude/both"]);
      assert.equal(explained.rejected[0].reason, "endpoint_not_supported");
      upstream.answer((request) =>
        jsonReply(request.target === "/v1/messages" ? messageBody(TEXT) : WHOLE)
      );
      const needs = [
        { tools: [{ type: "web_search_20260209", name: "web_search" }] },
        { container: "c1" },
        { messages: [HELLO.messages[0], { role: "assistant", content: "I" }] },
      ];
      for (const need of needs) {
        const asked = { ...CHAT, model: "both", ...need };
        assert.equal(
          additionsOf(await client.messages.create(asked as never)).route,
          "claude/both",
        );
        await assert.rejects(
          client.messages.create({ ...asked, route: "box/both" } as never),
          (error: unknown) => {
            assert.ok(error instanceof sdk.BadRequestError, String(error));
            const { error: { details } } = error.error as { error: { details: Block } };
            assert.equal(details.error_code, "ROUTE_NOT_SELECTABLE");
            const [refused] = details.routes as [Block];
            assert.equal(refused.reason, "endpoint_not_supported");
            assert.match(String(refused.detail), /^has nothing like /);
            return true;
          },
        );
      }
      // Free, so it comes first where nothing speaks against it.
      const plain = await client.messages.create({ ...CHAT, model: "both" });
      assert.equal(additionsOf(plain).route, "box/both");
    },
  },
  {
    name: "signed thoughts keep a conversation on the route that they are from",
    async run({ client, upstream }) {
      upstream.answer((request) => {
        if (request.target !== "/v1/messages") return jsonReply(WHOLE);
        return request.json().stream === true
          ? messageReply(messageEvents(signed("EsStream")))
          : jsonReply(messageBody(signed("EsPlain")));
      });
      const model = "both";
      const route = { route: "claude/both" };
      const plain = await client.messages.create({ ...CHAT, model, ...route } as never);
      const streamed = await client.messages.stream({ ...CHAT, model, ...route } as never)
        .finalMessage();
      for (const { content } of [plain as typeof streamed, streamed]) {
        const messages = [
          CHAT.messages[0]!,
          { role: "assistant" as const, content },
          { role: "user" as const, content: "Go on" },
        ];
        const next = await client.messages.create({ ...CHAT, model, messages: messages as never });
        assert.equal(additionsOf(next).route, "claude/both");
        // Where it is told otherwise, that holds; the thoughts are then not sent.
        const other = await client.messages.create(
          { ...CHAT, model, messages, route: "box/both" } as never,
        );
        assert.equal(additionsOf(other).route, "box/both");
        assert.ok(!upstream.requests.at(-1)!.body.includes("Hm"));
      }
    },
  },
  {
    name: "over chat tokens are estimated, and no model is called",
    async run({ client, upstream }) {
      const before = upstream.requests.length;
      const { max_tokens: _, ...question } = CHAT;
      const { input_tokens: count } = await client.messages.countTokens(question);
      assert.ok(count >= 2 && count < 20, String(count));
      assert.equal(upstream.requests.length, before);
    },
  },
];
