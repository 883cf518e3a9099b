/**
 * What a provider of kind `gemini` asks of its upstream, for a chat.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { jsonReply } from "../../support/fake_upstream.ts";
import { responseOf } from "../../support/gemini_bodies.ts";
import { failureOf } from "../../support/provider_parts.ts";
import { type Bench, bench, KEY } from "./bench.ts";

const HI = jsonReply(responseOf([{ text: "Hi" }]));
const TOOL = {
  type: "function",
  function: {
    name: "read",
    description: "Reads",
    strict: true,
    parameters: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { path: { const: "a", exclusiveMinimum: 1 } },
      additionalProperties: false,
    },
  },
};

async function sentFor(body: JsonObject, model = "gemini-3.1-pro"): Promise<JsonObject> {
  await using at = await bench({ script: HI });
  await at.chat(body, { upstreamModel: model });
  return at.sent();
}

const configFor = async (body: JsonObject, model?: string) =>
  (await sentFor(body, model)).generationConfig as JsonObject | undefined;

Deno.test("a chat is asked at the model's address with the key in its header, and nowhere else", async () => {
  await using at = await bench({ script: HI });
  await at.chat();
  const [{ target, headers, body, head }] = at.upstream.requests as
    & Bench["upstream"]["requests"]
    & [
      Bench["upstream"]["requests"][0],
    ];
  assert.equal(target, "/v1beta/models/gemini-3.1-pro:generateContent");
  assert.equal(headers.get("x-goog-api-key"), KEY);
  assert.equal(head.split(KEY).length, 2);
  assert.deepEqual(JSON.parse(body), {
    contents: [{ role: "user", parts: [{ text: "Hello" }] }],
  });
});

Deno.test("a whole conversation is written as the upstream takes it", async () => {
  const sent = await sentFor({
    max_completion_tokens: 300,
    temperature: 1.4,
    top_p: 0.9,
    seed: 7,
    stop: ["END"],
    presence_penalty: 0.5,
    frequency_penalty: -0.5,
    user: "u1",
    stream_options: { include_usage: true },
    service_tier: "flex",
    reasoning_effort: "high",
    tools: [TOOL],
    tool_choice: { type: "function", function: { name: "read" } },
    messages: [
      { role: "system", content: "Be kind" },
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          { type: "image_url", image_url: { url: "https://example.com/a.webp?x=1" } },
          {
            type: "file",
            file: { filename: "a.pdf", file_data: "data:application/pdf;base64,BBBB" },
          },
          { type: "input_audio", input_audio: { data: "CCCC", format: "mp3" } },
        ],
      },
      {
        role: "assistant",
        content: "I will.",
        tool_calls: [
          { id: "c1", type: "function", function: { name: "read", arguments: '{"path":"a"}' } },
          { id: "c2", type: "function", function: { name: "list", arguments: "" } },
        ],
      },
      { role: "tool", tool_call_id: "c2", content: "two files" },
      { role: "tool", tool_call_id: "c1", content: '{"lines":3}' },
      { role: "user", content: "Go on" },
      { role: "developer", content: "And short" },
    ],
  });
  assert.deepEqual(sent, {
    systemInstruction: { parts: [{ text: "Be kind" }, { text: "And short" }] },
    contents: [
      {
        role: "user",
        parts: [
          { text: "Look" },
          { inlineData: { mimeType: "image/png", data: "AAAA" } },
          { fileData: { mimeType: "image/webp", fileUri: "https://example.com/a.webp?x=1" } },
          { inlineData: { mimeType: "application/pdf", data: "BBBB" } },
          { inlineData: { mimeType: "audio/mp3", data: "CCCC" } },
        ],
      },
      {
        role: "model",
        parts: [
          { text: "I will." },
          {
            functionCall: { id: "c1", name: "read", args: { path: "a" } },
            thoughtSignature: "skip_thought_signature_validator",
          },
          { functionCall: { id: "c2", name: "list", args: {} } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "c2", name: "list", response: { output: "two files" } } },
          { functionResponse: { id: "c1", name: "read", response: { lines: 3 } } },
          { text: "Go on" },
        ],
      },
    ],
    tools: [{
      functionDeclarations: [{
        name: "read",
        description: "Reads",
        parametersJsonSchema: TOOL.function.parameters,
      }],
    }],
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["read"] } },
    generationConfig: {
      maxOutputTokens: 300,
      temperature: 1.4,
      topP: 0.9,
      stopSequences: ["END"],
      seed: 7,
      presencePenalty: 0.5,
      frequencyPenalty: -0.5,
      thinkingConfig: { thinkingLevel: "high", includeThoughts: true },
    },
    serviceTier: "flex",
  });
});

const CHOICES: readonly (readonly [unknown, unknown])[] = [
  ["auto", { mode: "AUTO" }],
  ["none", { mode: "NONE" }],
  ["required", { mode: "ANY" }],
];
for (const [choice, written] of CHOICES) {
  Deno.test(`the tool choice '${choice}' has a word of its own`, async () => {
    const sent = await sentFor({ tools: [TOOL], tool_choice: choice });
    assert.deepEqual((sent.toolConfig as JsonObject).functionCallingConfig, written);
  });
}

/** Model, effort, and what is said of it. */
const EFFORTS: readonly (readonly [string, string, unknown])[] = [
  ["gemini-3.1-pro", "minimal", { thinkingLevel: "low", includeThoughts: true }],
  ["gemini-3.1-pro", "none", { thinkingLevel: "low", includeThoughts: false }],
  ["gemini-3.7-flash", "minimal", { thinkingLevel: "low", includeThoughts: true }],
  ["gemini-3.6-flash", "none", { thinkingLevel: "minimal", includeThoughts: false }],
  ["gemini-3.5-flash-lite", "minimal", { thinkingLevel: "minimal", includeThoughts: true }],
  ["gemini-3.8-flash", "xhigh", { thinkingLevel: "high", includeThoughts: true }],
  ["gemini-9", "medium", { thinkingLevel: "medium", includeThoughts: true }],
  ["gemini-2.5-flash", "none", { thinkingBudget: 0, includeThoughts: false }],
  ["gemini-2.5-pro", "none", { thinkingBudget: 128, includeThoughts: false }],
  ["gemini-2.5-flash", "max", { thinkingBudget: 24_576, includeThoughts: true }],
  ["gemini-2.5-pro", "max", { thinkingBudget: 32_768, includeThoughts: true }],
  ["gemini-2.0-flash", "high", undefined],
  ["gemma-4-26b-a4b-it", "high", undefined],
];
for (const [model, effort, written] of EFFORTS) {
  Deno.test(`${model} is told to think with an effort of ${effort} in its own words`, async () => {
    const config = await configFor({ reasoning_effort: effort }, model);
    assert.deepEqual(config?.thinkingConfig, written);
  });
}

Deno.test("JSON is a field, and words where older models have it not beside tools", async () => {
  const schema = { type: "object", properties: { a: { type: "number" } }, $defs: {} };
  const response_format = { type: "json_schema", json_schema: { name: "x", schema } };
  assert.deepEqual(await configFor({ response_format, tools: [TOOL] }), {
    responseMimeType: "application/json",
    responseJsonSchema: schema,
  });
  assert.deepEqual(await configFor({ response_format: { type: "json_object" } }), {
    responseMimeType: "application/json",
  });
  const older = await sentFor({ response_format, tools: [TOOL] }, "gemini-2.5-flash");
  assert.equal(older.generationConfig, undefined);
  assert.match(JSON.stringify(older.systemInstruction), /JSON schema/);
});

Deno.test("what is told first stands where the model has a place for it", async () => {
  const messages = [{ role: "system", content: "Be kind" }, { role: "user", content: "Hi" }];
  assert.deepEqual(await sentFor({ messages }, "gemma-3-27b-it"), {
    contents: [{ role: "user", parts: [{ text: "Be kind" }, { text: "Hi" }] }],
  });
  assert.deepEqual(await sentFor({ messages: [messages[0]] }), {
    contents: [{ role: "user", parts: [{ text: "Be kind" }] }],
  });
});

Deno.test("the route's rules and the operator's filters go into the body", async () => {
  const filters = [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" }];
  await using at = await bench({ script: HI, settings: { own: { safety_settings: filters } } });
  await at.chat({ temperature: 1, top_p: 0.5 }, {
    body: {
      set: { generationConfig: { topK: 3 }, labels: { team: "a" } },
      default: { generationConfig: { temperature: 0 } },
      drop: ["topP"],
    },
  });
  const { contents: _, ...rest } = at.sent();
  assert.deepEqual(rest, {
    safetySettings: filters,
    generationConfig: { temperature: 1, topK: 3 },
    labels: { team: "a" },
  });
});

const REFUSED: readonly (readonly [JsonObject, string])[] = [
  [{ n: 2 }, "n"],
  [{ web_search_options: {} }, "web_search_options"],
  [{ messages: [{ role: "tool", tool_call_id: "nobody", content: "x" }] }, "messages[0]"],
  [{
    messages: [{
      role: "assistant",
      tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "[1]" } }],
    }],
  }, "messages[0].tool_calls[0]"],
  [{ tools: [{ type: "telepathy", name: "shell" }] }, "tools[0].type"],
];
for (const [body, param] of REFUSED) {
  Deno.test(`what cannot be asked is refused by name, before anyone is: ${param}`, async () => {
    await using at = await bench({ script: HI });
    const { failure, status, param: named } = await failureOf(at.chat(body));
    assert.deepEqual([failure, status, named], ["caller", 400, param]);
    assert.equal(at.upstream.requests.length, 0);
  });
}
