/**
 * Searches of the web that upstreams make for an answer: counted by what the answer tells, and charged.
 *
 * @module
 */

import assert from "node:assert/strict";
import { geminiReply } from "../support/gemini_bodies.ts";
import { jsonReply, type Script, sseReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { startTestGateway } from "../support/gateway.ts";
import { messageItem, responseBody } from "../support/response_bodies.ts";
import { lastCall } from "../support/settled_calls.ts";

const PER_SEARCH = 1_000_000n;

const searched = (action?: object, status = "completed") => ({
  id: "ws_1",
  type: "web_search_call",
  status,
  ...(action && { action }),
});

/** Two that search; what opens a page, looks for words or failed is none. */
const OUTPUT = [
  searched({ type: "search", query: "a" }),
  searched({ type: "open_page", url: "https://a.example" }),
  searched({ type: "find_in_page", pattern: "a" }),
  searched({ type: "search", query: "b" }, "failed"),
  searched(),
  messageItem("Found"),
];

const grounded = (...webSearchQueries: readonly string[]) => ({
  candidates: [{
    content: { role: "model", parts: [{ text: "Found" }] },
    finishReason: "STOP",
    groundingMetadata: { webSearchQueries },
  }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 },
});

interface Case {
  readonly name: string;
  readonly script: Script;
  readonly model: "native" | "three" | "two";
  readonly stream?: boolean;
  readonly searches: number;
}

const queries = ["a", "b", "", "c"];
const late = [
  { ...grounded(), candidates: [{ content: { role: "model", parts: [{ text: "Found" }] } }] },
  { candidates: grounded(...queries).candidates },
];

const CASES: readonly Case[] = [
  {
    name: "items of a response",
    script: jsonReply(responseBody({ output: OUTPUT })),
    model: "native",
    searches: 2,
  },
  {
    name: "items of a streamed response",
    script: sseReply([
      { type: "response.completed", response: responseBody({ output: OUTPUT }) },
      "[DONE]",
    ]),
    model: "native",
    stream: true,
    searches: 2,
  },
  {
    name: "a response without any",
    script: jsonReply(responseBody({ output: [messageItem("Found")] })),
    model: "native",
    searches: 0,
  },
  {
    name: "queries of a newer model of Google's",
    script: jsonReply(grounded(...queries)),
    model: "three",
    searches: 3,
  },
  {
    name: "queries that a stream tells behind its counts",
    script: geminiReply(late),
    model: "three",
    stream: true,
    searches: 3,
  },
  {
    name: "a prompt of an older model of Google's",
    script: jsonReply(grounded(...queries)),
    model: "two",
    searches: 1,
  },
  { name: "no query", script: jsonReply(grounded()), model: "two", searches: 0 },
  {
    name: "queries that are none",
    script: jsonReply({
      ...grounded(),
      candidates: [{ ...grounded().candidates[0], groundingMetadata: { webSearchQueries: "a" } }],
    }),
    model: "three",
    searches: 0,
  },
];

for (const { name, script, model, stream = false, searches } of CASES) {
  Deno.test(`searches are charged: ${name}`, async () => {
    await using upstream = await startFakeUpstream(script);
    await using gateway = await startTestGateway({
      catalogue: `
currency: USD
providers:
  - { id: a, kind: openai_compatible, base_url: "${upstream.url}", auth: none }
  - { id: g, kind: gemini, base_url: "${upstream.url}", api_key: env:KEY }
models:
  - id: native
    kind: chat
    routes: [{ id: a/m, provider: a, supports: { responses: true }, sale: { search: "0.01", input: "0", output: "0" } }]
  - id: three
    kind: chat
    routes: [{ id: g/3, provider: g, upstream_model: gemini-3.1-pro, sale: { search: "0.01", input: "0", output: "0" } }]
  - id: two
    kind: chat
    routes: [{ id: g/2, provider: g, upstream_model: gemini-2.5-flash, sale: { search: "0.01", input: "0", output: "0" } }]
projects:
  - { id: paying, unlimited: false }
`,
      secrets: { KEY: "key-0123456789" },
    });
    await gateway.credit("paying", "10");
    const key = await gateway.key("paying");
    const response = await fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, input: "Hello", stream }),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.match(text, /Found/);
    const { saleE8, work } = await lastCall(gateway);
    assert.equal(work?.search ?? 0, searches);
    assert.equal(saleE8, BigInt(searches) * PER_SEARCH);
  });
}
