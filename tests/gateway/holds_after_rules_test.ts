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
  },
  {
    name: "sound set on a route of chat, asked for a response",
    path: "responses",
    body: "set: { modalities: [text, audio] }",
    output: PER_TOKEN.outputAudio,
  },
];

for (const row of ROWS) {
  Deno.test(`a hold is of the body after the route's rules: ${row.name}`, async () => {
    const { body, supports, path = "chat/completions", asked, output, fetched = 0n } = row;
    const extra = [body, supports].map((one) => one === undefined ? "" : `${one},`).join(" ");
    await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
    await using gateway = await startTestGateway({
      catalogue: `
currency: USD
providers:
  - { id: a, kind: openai_compatible, base_url: "${upstream.url}", auth: none }
models:
  - id: m
    kind: chat
    routes:
      - { id: a/m, provider: a, upstream_model: u, ${extra}
          sale: { input: "2", output: "4", output_audio: "80" } }
projects:
  - { id: paying, unlimited: false }
`,
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
    const prompt = heldE8 - BigInt(LIMIT) * output - fetched * PER_TOKEN.input;
    assert.ok(
      prompt > 0n && prompt < 300n * PER_TOKEN.input,
      `${heldE8}: ${prompt} for the prompt`,
    );
  });
}
