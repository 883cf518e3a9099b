/**
 * Moderations and rankings through the program: both majors of `openai`, and what Cohere's clients
 * send.
 *
 * @module
 */

import assert from "node:assert/strict";
import schemas from "../fixtures/openai/other_schemas.json" with { type: "json" };
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { mediaCatalogue } from "../support/media_gateway.ts";
import { otherAnswer } from "../support/fault_upstream/other_answers.ts";
import { assertSatisfies } from "../support/schema_check.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { assertFails } from "./openai_sdk/assert_fails.ts";
import { MAJORS } from "./openai_sdk/majors.ts";
import type { Client } from "./openai_sdk/scene.ts";

function startUpstream() {
  return startFakeUpstream((request) => jsonReply(otherAnswer(request.target, request.json())));
}

for (const { name, sdk } of MAJORS) {
  Deno.test(`the ${name} client has texts judged`, async () => {
    await using upstream = await startUpstream();
    await using gateway = await serveGateway({ catalogue: mediaCatalogue(upstream.url) });
    const { url, server: { key } } = gateway;
    const client: Client = new sdk.OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
    const judged = await client.moderations.create({ input: ["Hello", "there"] });
    assertSatisfies(schemas, "CreateModerationResponse", judged);
    assert.equal(judged.results.length, 2);
    assert.equal(judged.results[0]!.categories["hate/threatening"], false);
    const one = await client.moderations.create({ model: "moderator", input: "Hello" });
    assert.equal(one.model, "moderator");
    await assertFails(
      { sdk },
      client.moderations.create({ model: "ranker", input: "Hello" }),
      {
        class: "BadRequestError",
        status: 400,
        code: "invalid_value",
        type: "invalid_request_error",
        param: "model",
      },
    );
  });
}

Deno.test("documents are ranked at both paths, charged and explained", async () => {
  await using upstream = await startUpstream();
  await using gateway = await serveGateway({ catalogue: mediaCatalogue(upstream.url) });
  await gateway.credit("paying", "1");
  const key = await gateway.key("paying");
  for (const path of ["/v1/rerank", "/v2/rerank"]) {
    const response = await fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "ranker", query: "a", documents: ["b", "c"], top_n: 1 }),
    });
    const body = await response.json();
    assert.equal(response.status, 200, JSON.stringify(body));
    assert.deepEqual(body.results, [{ index: 0, relevance_score: 1 }]);
    assert.equal(body.pricing.sale_amount, "0.00200000");
  }
  const { balance } = await gateway.cli("projects", "show", "paying");
  assert.equal(balance, "0.99600000");
  const explained = await gateway.cli("routes", "explain", "ranker", "--documents", "250");
  assert.equal(explained.candidates[0].price.quote, "0.00600000");
  assert.equal((await gateway.cli("ledger", "verify")).differences.length, 0);
  const { data } = await gateway.get("/v1/models", key);
  const { kind, from_price, pricing } = data.find(({ id }: { id: string }) => id === "ranker");
  assert.deepEqual([kind, from_price, pricing.unit, pricing.search_unit], [
    "rerank",
    "0.00200000",
    "search_unit",
    "0.00200000",
  ]);
});
