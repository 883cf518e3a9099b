/**
 * What a hold is sized by where a route's rules change what its price depends on.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody } from "../support/chat_bodies.ts";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { startTestGateway } from "../support/gateway.ts";
import { lastCall } from "../support/settled_calls.ts";

const PER_TOKEN = { input: 200n, output: 400n, outputAudio: 8_000n };
/** What searches may add to a prompt. */
const FETCHED = 128_000n;
const LIMIT = 10;
const PER_SEARCH = 1_000_000n;
/** What is held for where the upstream may be told no limit. */
const UNTOLD = 16_384;

const SOUND = { modalities: ["text", "audio"] };
const SEARCH = '{ tools: [{ type: "web_search" }] }';

/** Of the output alone: a prompt is some hundred tokens. */
const ROWS: readonly {
  readonly name: string;
  readonly body?: string;
  readonly supports?: string;
  readonly path?: "chat/completions" | "responses";
  readonly asked?: object;
  readonly output: bigint;
  readonly fetched?: bigint;
  /** Searches of the web that it may cause. */
  readonly searches?: bigint;
  readonly kind?: "gemini" | "bedrock";
  /** Tokens, where it is not what the caller asked for. */
  readonly limit?: number;
}[] = [
  { name: "no rule", output: PER_TOKEN.output },
  { name: "a rule of no matter", body: "set: { temperature: 0 }", output: PER_TOKEN.output },
  { name: "a caller's sound", asked: SOUND, output: PER_TOKEN.outputAudio },
  { name: "sound set", body: "set: { modalities: [text, audio] }", output: PER_TOKEN.outputAudio },
  {
    name: "sound by default",
    body: "default: { modalities: [audio] }",
    output: PER_TOKEN.outputAudio,
  },
  {
    name: "a default that the caller has said otherwise",
    body: "default: { modalities: [audio] }",
    asked: { modalities: ["text"] },
    output: PER_TOKEN.output,
  },
  {
    name: "a caller's sound that is set to text",
    body: "set: { modalities: [text] }",
    asked: SOUND,
    output: PER_TOKEN.output,
  },
  {
    name: "a caller's sound that is dropped",
    body: "drop: [modalities]",
    asked: SOUND,
    output: PER_TOKEN.output,
  },
  { name: "a caller's choices", asked: { n: 4 }, output: 4n * PER_TOKEN.output },
  {
    name: "choices that are dropped",
    body: "drop: [n]",
    asked: { n: 4 },
    output: PER_TOKEN.output,
  },
  {
    name: "a search set on a route that has it",
    path: "responses",
    body: `set: ${SEARCH}`,
    supports: "supports: { responses: true }",
    // Searches are no text alone.
    output: PER_TOKEN.outputAudio,
    fetched: FETCHED,
    searches: 10n,
  },
  {
    name: "a caller's search, as often as it allows",
    path: "responses",
    supports: "supports: { responses: true }",
    asked: { tools: [{ type: "web_search_preview" }], max_tool_calls: 3 },
    output: PER_TOKEN.outputAudio,
    fetched: FETCHED,
    searches: 3n,
  },
  {
    name: "a caller's search that the route leaves out",
    path: "responses",
    body: "drop_tools: [web_search*]",
    asked: { tools: [{ type: "web_search" }] },
    output: PER_TOKEN.outputAudio,
  },
  {
    name: "Google's search set",
    kind: "gemini",
    body: "set: { tools: [{ googleSearch: {} }] }",
    output: PER_TOKEN.outputAudio,
    fetched: FETCHED,
    searches: 10n,
  },
  {
    name: "choices set in Google's words",
    kind: "gemini",
    body: "set: { generationConfig: { candidateCount: 4 } }",
    output: 4n * PER_TOKEN.output,
  },
  {
    name: "a limit set in Google's words",
    kind: "gemini",
    body: "set: { generationConfig: { maxOutputTokens: 500 } }",
    output: PER_TOKEN.output,
    limit: 500,
  },
  {
    name: "a limit dropped in Google's words",
    kind: "gemini",
    body: "drop: [maxOutputTokens]",
    output: PER_TOKEN.output,
    limit: UNTOLD,
  },
  {
    name: "a limit dropped with what it stands in",
    kind: "gemini",
    body: "drop: [generationConfig]",
    output: PER_TOKEN.output,
    limit: UNTOLD,
  },
  {
    name: "another setting of Converse beside the limit",
    kind: "bedrock",
    body: "set: { inferenceConfig: { temperature: 0 } }",
    output: PER_TOKEN.output,
  },
  {
    name: "a limit set in Converse's words",
    kind: "bedrock",
    body: "set: { inferenceConfig: { maxTokens: 500 } }",
    output: PER_TOKEN.output,
    limit: 500,
  },
  {
    name: "a limit dropped in Converse's words",
    kind: "bedrock",
    body: "drop: [inferenceConfig]",
    output: PER_TOKEN.output,
    limit: UNTOLD,
  },
  {
    name: "sound set on a route of chat, asked for a response",
    path: "responses",
    body: "set: { modalities: [text, audio] }",
    output: PER_TOKEN.outputAudio,
  },
];

const PROVIDERS = {
  openai: "kind: openai_compatible, auth: none",
  gemini: "kind: gemini, api_key: env:KEY",
  bedrock: "kind: bedrock, aws_region: us-east-1, api_key: env:KEY",
};

for (const row of ROWS) {
  Deno.test(`a hold is of the body after the route's rules: ${row.name}`, async () => {
    const { body, supports, path = "chat/completions", asked, output, fetched = 0n } = row;
    const { searches = 0n, kind, limit = LIMIT } = row;
    const extra = [body, supports].map((one) => one === undefined ? "" : `${one},`).join(" ");
    await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
    await using gateway = await startTestGateway({
      catalogue: `
currency: USD
providers:
  - { id: a, ${PROVIDERS[kind ?? "openai"]}, base_url: "${upstream.url}" }
models:
  - id: m
    kind: chat
    routes:
      - { id: a/m, provider: a, upstream_model: u, ${extra}
          sale: { input: "2", output: "4", output_audio: "80", search: "0.01" } }
projects:
  - { id: paying, unlimited: false }
`,
      secrets: { KEY: "key-0123456789" },
    });
    await gateway.credit("paying", "10");
    const key = await gateway.key("paying");
    const words = path === "responses"
      ? { input: "Hello", max_output_tokens: LIMIT }
      : { messages: [{ role: "user", content: "Hello" }], max_tokens: LIMIT };
    const response = await fetch(`${gateway.url}/v1/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "m", ...words, ...asked }),
    });
    await response.text();
    const { heldE8 } = await lastCall(gateway);
    const prompt = heldE8 - BigInt(limit) * output - fetched * PER_TOKEN.input -
      searches * PER_SEARCH;
    assert.ok(
      prompt > 0n && prompt < 300n * PER_TOKEN.input,
      `${heldE8}: ${prompt} for the prompt`,
    );
  });
}
