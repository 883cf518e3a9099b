/**
 * Searches of the web that upstreams of chat make for an answer: counted where their usage tells them,
 * charged by the route's price for them, and held for where they are asked for.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody, chunk, finishChunk } from "../support/chat_bodies.ts";
import { jsonReply, type Reply, sseReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { startTestGateway } from "../support/gateway.ts";
import { lastCall } from "../support/settled_calls.ts";

const PER_SEARCH = 1_000_000n;
const COUNTS = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const catalogue = (url: string) => `
currency: USD
providers:
  - { id: a, kind: openai_compatible, base_url: "${url}", auth: none }
models:
  - id: sonar
    kind: chat
    routes: [{ id: a/sonar, provider: a, sale: { search: "0.01", input: "0", output: "0" } }]
  - id: unpriced
    kind: chat
    routes: [{ id: a/unpriced, provider: a, sale: { input: "100", output: "0" } }]
  - id: unasked
    kind: chat
    routes:
      - id: a/unasked
        provider: a
        default: { web_search_options: {} }
        sale: { search: "0.01", input: "0", output: "0" }
  - id: plugged
    kind: chat
    routes:
      - id: a/plugged
        provider: a
        set: { plugins: [{ id: file-parser }, { id: web, max_results: 3 }] }
        sale: { search: "0.01", input: "0", output: "0" }
  - id: unplugged
    kind: chat
    routes:
      - id: a/unplugged
        provider: a
        set: { plugins: [{ id: web, enabled: false }] }
        sale: { search: "0.01", input: "0", output: "0" }
projects:
  - { id: paying, unlimited: false }
`;

async function started(reply: Reply, credit = "10") {
  const upstream = await startFakeUpstream(reply);
  const gateway = await startTestGateway({ catalogue: catalogue(upstream.url) });
  await gateway.credit("paying", credit);
  const key = await gateway.key("paying");
  return {
    upstream,
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
    ask: (path: string, body: object) =>
      fetch(`${gateway.url}/v1${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "sonar", ...body }),
      }),
  };
}

const TOLD: readonly (readonly [name: string, usage: object, searches: number])[] = [
  ["Perplexity's queries", { num_search_queries: 3, citation_tokens: 9 }, 3],
  ["OpenRouter's requests", { server_tool_use: { web_search_requests: 2 } }, 2],
  [
    "xAI's calls",
    { server_side_tool_usage_details: { web_search_calls: 1, x_search_calls: 4, mcp_calls: 9 } },
    5,
  ],
  [
    "the same told twice",
    { num_search_queries: 2, server_tool_use: { web_search_requests: 2 } },
    2,
  ],
  ["none", { num_search_queries: 0 }, 0],
  ["nothing", {}, 0],
  ["null", { num_search_queries: null, server_tool_use: null }, 0],
  ["less than none", { num_search_queries: -3 }, 0],
  ["a part of one", { num_search_queries: 0.5 }, 0],
  ["words", { num_search_queries: "3", server_tool_use: ["web"] }, 0],
  ["more than any answer makes", { num_search_queries: Number.MAX_SAFE_INTEGER }, 1_000],
];

const CALLERS = [
  ["/chat/completions", { messages: [{ role: "user", content: "Hello" }] }],
  ["/responses", { input: "Hello" }],
  ["/messages", { max_tokens: 100, messages: [{ role: "user", content: "Hello" }] }],
] as const;

for (const [name, more, searches] of TOLD) {
  Deno.test(`searches of a chat are charged as its usage tells them: ${name}`, async () => {
    const usage = { ...COUNTS, ...more };
    const streamed = sseReply([
      { ...chunk({ content: "Fou" }), usage },
      chunk({ content: "nd" }),
      { ...finishChunk(), usage: COUNTS },
      "[DONE]",
    ]);
    await using scene = await started({ steps: [] }, "100");
    for (const [path, body] of CALLERS) {
      for (const stream of [false, true]) {
        scene.upstream.answer(stream ? streamed : jsonReply(answerBody("Found", usage)));
        const response = await scene.ask(path, { ...body, stream });
        const text = await response.text();
        assert.equal(response.status, 200, text);
        const { saleE8, work } = await lastCall(scene.gateway);
        assert.deepEqual([work?.search ?? 0, work?.input, work?.output], [searches, 10, 5], path);
        assert.equal(saleE8, BigInt(searches) * PER_SEARCH);
      }
    }
  });
}

Deno.test("a route without a price for searches charges none, and counts them", async () => {
  const usage = { ...COUNTS, num_search_queries: 3 };
  await using scene = await started(jsonReply(answerBody("Found", usage)));
  const response = await scene.ask(CALLERS[0][0], { ...CALLERS[0][1], model: "unpriced" });
  const { usage: told } = await response.json();
  assert.equal(told.num_search_queries, 3);
  const { saleE8, work } = await lastCall(scene.gateway);
  assert.deepEqual([work?.search, saleE8], [3, 100_000n]);
});

const ASKED: readonly (readonly [name: string, body: object, isHeldFor: boolean])[] = [
  ["options", { web_search_options: { search_context_size: "low" } }, true],
  ["a plugin of the route's", { model: "plugged" }, true],
  ["parameters", { search_parameters: { mode: "auto" } }, true],
  ["a plugin that is switched off", { model: "unplugged" }, false],
  ["parameters that switch it off", { search_parameters: { mode: "off" } }, false],
  ["null", { web_search_options: null, search_parameters: null }, false],
  ["nothing", {}, false],
];

for (const [name, body, isHeldFor] of ASKED) {
  Deno.test(`searches that a chat asks for are held for: ${name}`, async () => {
    // Ten at a cent are more than this.
    await using scene = await started(jsonReply(answerBody("Found", COUNTS)), "0.09");
    const [path, plain] = CALLERS[0];
    const response = await scene.ask(path, { ...plain, ...body });
    await response.body?.cancel();
    assert.equal(response.status, isHeldFor ? 402 : 200);
    assert.equal(scene.upstream.requests.length, isHeldFor ? 0 : 1);
  });
}

for (const [path, body] of CALLERS) {
  Deno.test(`a route says that its model searches unasked: ${path}`, async () => {
    await using poor = await started(jsonReply(answerBody("Found", COUNTS)), "0.09");
    const refused = await poor.ask(path, { ...body, model: "unasked" });
    await refused.body?.cancel();
    assert.deepEqual([refused.status, poor.upstream.requests.length], [402, 0]);
    await using scene = await started(jsonReply(answerBody("Found", COUNTS)), "0.11");
    const served = await scene.ask(path, { ...body, model: "unasked" });
    assert.equal(served.status, 200, await served.text());
    assert.deepEqual(scene.upstream.requests[0]!.json().web_search_options, {});
    assert.equal((await lastCall(scene.gateway)).saleE8, 0n);
  });
}
