/**
 * OpenRouter's callers, unmodified, against the program: OpenAI's client with OpenRouter's fields, and
 * OpenRouter's own provider of the AI SDK.
 *
 * @module
 */

import { createOpenRouter } from "@openrouter/ai-sdk-provider";
import { generateText, streamText } from "ai";
import assert from "node:assert/strict";
import { MAJORS } from "./openai_sdk/majors.ts";
import { serveGateway } from "../support/served_gateway.ts";

const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
  - { id: spare, kind: builtin }
models:
  - id: broken
    kind: chat
    routes:
      - { id: builtin/broken, provider: builtin, upstream_model: "echo-1:status-503", sale: { input: "9", output: "9" } }
  - id: echo
    kind: chat
    routes:
      - { id: builtin/echo, provider: builtin, upstream_model: echo-1, sale: { input: "2", output: "4" } }
      - { id: spare/echo, provider: spare, upstream_model: echo-1, priority: 1, sale: { input: "1", output: "2" } }
projects:
  - { id: default, unlimited: true }
`;

/** What OpenRouter adds to a request and to an answer, which OpenAI's types do not have. */
// deno-lint-ignore no-explicit-any -- read as it comes
type Untyped = any;

const MESSAGES = [{ role: "user" as const, content: "Hello" }];

for (const { name, sdk } of MAJORS) {
  Deno.test(`the ${name} client asks as OpenRouter's callers do`, async () => {
    await using gateway = await serveGateway({ catalogue: CATALOGUE });
    const client = new sdk.OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.server.key });
    const ask = (fields: object) =>
      client.chat.completions.create({ messages: MESSAGES, model: "echo", ...fields }) as Untyped;
    assert.equal((await ask({})).route, "builtin/echo", "the smaller priority");
    assert.equal((await ask({ provider: { order: ["spare"] } })).route, "spare/echo");
    assert.equal((await ask({ provider: { only: ["spare"] } })).route, "spare/echo");
    assert.equal((await ask({ model: "echo:floor" })).route, "spare/echo");
    const told = await ask({
      model: "broken",
      models: ["echo"],
      route: "fallback",
      usage: { include: true },
    });
    assert.deepEqual([told.model, told.route], ["echo", "builtin/echo"]);
    assert.equal(told.usage.cost, Number(told.pricing.sale_amount));
    assert.ok(told.usage.cost > 0);
    await assert.rejects(ask({ provider: { zdr: true } }), /provider\.zdr/);
    const { candidates } = await gateway.cli(
      ...["routes", "explain", "echo:floor", "--provider-ignore", "nobody", "--provider-order"],
      "spare/echo",
    );
    assert.deepEqual(candidates.map(({ route }: Untyped) => route), ["spare/echo", "builtin/echo"]);
  });
}

Deno.test("OpenRouter's provider of the AI SDK finds its fields and its cost", async () => {
  await using gateway = await serveGateway({ catalogue: CATALOGUE });
  const openrouter = createOpenRouter({
    baseURL: `${gateway.url}/v1`,
    apiKey: gateway.server.key,
  });
  const model = openrouter.chat("broken", {
    models: ["echo"],
    usage: { include: true },
    provider: { order: ["spare", "builtin"], allow_fallbacks: true, sort: "price" },
  });
  const whole = await generateText({ model, messages: MESSAGES, maxRetries: 0 });
  assert.match(whole.text, /Hello/);
  assert.equal(whole.response.modelId, "echo");
  const cost = (metadata: Untyped) => metadata.openrouter.usage.cost;
  assert.ok(cost(whole.providerMetadata) > 0);
  assert.equal((whole.providerMetadata as Untyped).openrouter.provider, "spare");
  const streamed = streamText({ model, messages: MESSAGES, maxRetries: 0 });
  assert.equal(await streamed.text, whole.text);
  assert.equal(cost(await streamed.providerMetadata), cost(whole.providerMetadata));
  const { differences } = await gateway.cli("ledger", "verify");
  assert.deepEqual(differences, []);
});
