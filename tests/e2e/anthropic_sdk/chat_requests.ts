/**
 * What an upstream that speaks chat alone is asked for by Anthropic's clients.
 *
 * @module
 */

import assert from "node:assert/strict";
import { jsonReply, sseReply } from "../../support/fake_upstream.ts";
import type { Block } from "../../support/message_bodies.ts";
import { call, CHAT, chunk, USAGE, WHOLE } from "./chat_parts.ts";
import type { Scenario } from "./scene.ts";

const LONG = `mcp__${"a_server_with_a_long_name__".repeat(3)}tool`;
const SHORT = /^mcp__.{50}_[0-9a-f]{8}$/;

export const CHAT_REQUESTS: readonly Scenario[] = [
  {
    name: "over chat a request says what chat has words for",
    async run({ client, upstream }) {
      const schema = { type: "object", properties: {}, additionalProperties: false };
      upstream.answer(jsonReply(WHOLE));
      await client.messages.create({
        ...CHAT,
        system: [
          { type: "text", text: "One", cache_control: { type: "ephemeral" } },
          { type: "text", text: "Two" },
        ],
        messages: [{
          role: "user",
          content: [
            { type: "text", text: "Look" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
            {
              type: "document",
              title: "b.pdf",
              source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
            },
          ],
        }],
        tools: [{ name: LONG, input_schema: { type: "object", $schema: "x" } as never }],
        tool_choice: { type: "any", disable_parallel_tool_use: true },
        stop_sequences: ["END"],
        metadata: { user_id: "user_1" },
        thinking: { type: "enabled", budget_tokens: 4_096 },
        output_config: { format: { type: "json_schema", schema } },
        cache_control: { type: "ephemeral" },
      } as never);
      const { user, tools, ...sent } = upstream.requests.at(-1)!.json();
      assert.match(String(user), /^[0-9a-f]{64}$/);
      const [{ function: tool }] = tools as [{ function: { name: string; parameters: object } }];
      assert.match(tool.name, SHORT);
      assert.deepEqual(tool.parameters, { type: "object" });
      assert.deepEqual(sent, {
        model: "glm-up",
        max_tokens: 1_000,
        messages: [
          { role: "system", content: "One\n\nTwo" },
          {
            role: "user",
            content: [
              { type: "text", text: "Look" },
              { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
              {
                type: "file",
                file: { filename: "b.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
              },
            ],
          },
        ],
        tool_choice: "required",
        parallel_tool_calls: false,
        stop: ["END"],
        reasoning_effort: "high",
        response_format: {
          type: "json_schema",
          json_schema: { name: "answer", schema, strict: true },
        },
      });
    },
  },
  {
    name: "over chat what was shown is shown, also by tools, and a note is text",
    async run({ client, upstream }) {
      upstream.answer(jsonReply(WHOLE));
      const source = { type: "base64", media_type: "image/png", data: "AAAA" };
      await client.messages.create({
        ...CHAT,
        messages: [
          {
            role: "user",
            content: [
              { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
              {
                type: "document",
                title: "Note",
                source: { type: "text", media_type: "text/plain", data: "A cat" },
              },
              {
                type: "document",
                source: { type: "content", content: [{ type: "text", text: "A dog" }] },
              },
              {
                type: "search_result",
                source: "https://example.com",
                title: "Found",
                content: [{ type: "text", text: "A cow" }],
              },
              { type: "text", text: "Look", cache_control: { type: "ephemeral" } },
            ],
          },
          { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "look", input: {} }] },
          {
            role: "user",
            content: [{
              type: "tool_result",
              tool_use_id: "t1",
              content: [{ type: "text", text: "Here" }, { type: "image", source }],
            }],
          },
        ],
      } as never);
      const { messages } = upstream.requests.at(-1)!.json() as { messages: Block[] };
      const [shown, , result, picture] = messages;
      const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
      const texts = ["Note:", "A cat", "A dog", "Found (https://example.com):", "A cow", "Look"];
      assert.deepEqual(shown!.content, [
        image,
        ...texts.map((text) => ({ type: "text", text })),
      ]);
      assert.deepEqual([result!.role, picture!.role], ["tool", "user"]);
      assert.ok(JSON.stringify(picture).includes("data:image/png;base64,AAAA"));
      assert.ok(!JSON.stringify(messages).includes("cache_control"));
    },
  },
  {
    name: "over chat a tool's long name is its own again in the answer",
    async run({ client, upstream }) {
      upstream.answer((request) => {
        const [{ function: { name } }] = request.json().tools as [{ function: { name: string } }];
        return sseReply([
          chunk({ tool_calls: [call(0, name, "{}", "t0")] }),
          chunk({}, "tool_calls", USAGE),
          "[DONE]",
        ]);
      });
      const tools = [{ name: LONG, input_schema: { type: "object" as const } }];
      const answer = await client.messages.stream({ ...CHAT, tools }).finalMessage();
      assert.equal((answer.content[0] as unknown as Block).name, LONG);
    },
  },
];
