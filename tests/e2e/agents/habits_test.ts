/**
 * What agents send by habit, over an upstream of each dialect: what it says nothing of is nobody's
 * trouble, and what it says is said.
 *
 * @module
 */

import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs, tool } from "ai";
import assert from "node:assert/strict";
import * as z from "zod";
import { answerBody } from "../../support/chat_bodies.ts";
import {
  jsonReply,
  type RecordedRequest,
  type Reply,
  startFakeUpstream,
} from "../../support/fake_upstream.ts";
import { type Block, messageBody } from "../../support/message_bodies.ts";
import { messageItem, responseBody } from "../../support/response_bodies.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { agentCatalogue, DIALECTS } from "./scene.ts";

function saying(text: string): (request: RecordedRequest) => Reply {
  return ({ target }) =>
    jsonReply(
      target === "/v1/messages"
        ? messageBody([{ type: "text", text }])
        : target === "/v1/responses"
        ? responseBody({ output: [messageItem(text)] })
        : answerBody(text),
    );
}

const BARE = { type: "function", name: "now" };
const EMPTY = { type: "object" };

/** What is sent, and what an upstream of chat and one of Messages have to be told; absent: nothing. */
const HABITS: readonly {
  readonly name: string;
  readonly body: JsonObject;
  readonly chat?: JsonObject;
  readonly messages?: JsonObject;
}[] = [
  {
    name: "a tool without parameters",
    body: { tools: [BARE] },
    chat: { tools: [{ type: "function", function: { name: "now" } }] },
    messages: { tools: [{ name: "now", input_schema: EMPTY }] },
  },
  {
    name: "nulls for everything that may be one",
    body: {
      tools: [{ ...BARE, description: null, parameters: null, strict: null }],
      tool_choice: null,
      parallel_tool_calls: null,
      temperature: null,
      top_p: null,
      max_output_tokens: null,
      max_tool_calls: null,
      reasoning: { effort: null, summary: null },
      text: null,
      include: null,
      metadata: null,
      user: null,
      store: null,
      stream: null,
      previous_response_id: null,
      instructions: null,
      truncation: null,
      service_tier: null,
      prompt_cache_key: null,
      background: null,
    },
    chat: { tools: [{ type: "function", function: { name: "now" } }] },
    messages: { tools: [{ name: "now", input_schema: EMPTY }] },
  },
  {
    name: "calls one at a time",
    body: { tools: [BARE], parallel_tool_calls: false, tool_choice: "auto" },
    chat: { parallel_tool_calls: false, tool_choice: "auto" },
    messages: { tool_choice: { type: "auto", disable_parallel_tool_use: true } },
  },
  {
    name: "calls at the same time, although there are no tools",
    body: { tools: [], parallel_tool_calls: true, tool_choice: "auto" },
  },
  {
    name: "nothing kept, thoughts sealed",
    body: { store: false, include: ["reasoning.encrypted_content"], reasoning: { effort: "low" } },
    chat: { reasoning_effort: "low" },
    messages: { output_config: { effort: "low" } },
  },
  {
    name: "what OpenAI alone makes use of",
    body: {
      prompt_cache_key: "k",
      prompt_cache_retention: "24h",
      safety_identifier: "s",
      service_tier: "auto",
      truncation: "auto",
      max_tool_calls: 3,
      metadata: { a: "b" },
      client_metadata: { thread: "t" },
      context_management: [{ type: "compaction", compact_threshold: 1_000 }],
      stream_options: { include_obfuscation: false },
    },
    chat: { prompt_cache_key: "k" },
  },
  { name: "few words", body: { text: { verbosity: "low" } }, chat: { verbosity: "low" } },
];

for (const dialect of DIALECTS) {
  Deno.test(`agents' habits are taken over ${dialect}`, async (test) => {
    await using upstream = await startFakeUpstream(saying("Fine"));
    await using gateway = await serveGateway({
      catalogue: agentCatalogue({ dialect, model: "m", url: upstream.url }),
    });
    const key = await gateway.key("default");
    for (const { name, body, ...told } of HABITS) {
      await test.step(name, async () => {
        const response = await fetch(`${gateway.url}/v1/responses`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ model: "m", input: "Hi", ...body }),
        });
        const answer = await response.json();
        assert.equal(response.status, 200, JSON.stringify(answer));
        assert.equal(answer.output.at(-1).content[0].text, "Fine");
        const sent = upstream.requests.at(-1)!.json();
        if (dialect === "responses") return;
        const expected = told[dialect] ?? {};
        for (const [field, value] of Object.entries(expected)) {
          assert.deepEqual(sent[field], value, field);
        }
        for (const field of ["include", "truncation", "client_metadata", "max_tool_calls"]) {
          assert.ok(!(field in sent), field);
        }
      });
    }
  });
}

Deno.test("the AI SDK gives thoughts back, although nothing is kept", async () => {
  const content: readonly Block[] = [
    { type: "thinking", thinking: "Which one?", signature: "EsEC" },
    { type: "tool_use", id: "toolu_1", name: "look", input: { at: "a" } },
  ];
  await using upstream = await startFakeUpstream([
    jsonReply(messageBody(content)),
    jsonReply(messageBody([{ type: "text", text: "Found" }])),
  ]);
  await using gateway = await serveGateway({
    catalogue: agentCatalogue({ dialect: "messages", model: "m", url: upstream.url }),
  });
  const apiKey = await gateway.key("default");
  const openai = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey });
  const { text, steps } = await generateText({
    model: openai("m"),
    prompt: "Hi",
    tools: {
      look: tool({ inputSchema: z.object({ at: z.string() }), execute: ({ at }) => `At ${at}` }),
    },
    stopWhen: stepCountIs(3),
    providerOptions: {
      openai: {
        store: false,
        include: ["reasoning.encrypted_content"],
        reasoningEffort: "low",
        // Otherwise it knows by the model's name whether that thinks.
        forceReasoning: true,
      },
    },
  });
  assert.equal(text, "Found");
  assert.equal(steps[0]!.reasoningText, "Which one?");
  const { messages } = upstream.requests.at(-1)!.json();
  assert.deepEqual((messages as JsonObject[])[1], { role: "assistant", content });
});
