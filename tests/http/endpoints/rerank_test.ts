/**
 * `POST /v1/rerank` and `/v2/rerank` over upstreams of each form.
 *
 * @module
 */

import assert from "node:assert/strict";
import { jsonReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { startMediaGateway } from "../../support/media_gateway.ts";

const DOCUMENTS = ["a cat", { text: "a dog" }, "Łódź"];
const SCORES = [0.1, 0.9, 0.5];
const ranked = SCORES.map((relevance_score, index) => ({ index, relevance_score }));
const body = { model: "ranker", query: "dog", documents: DOCUMENTS };

/** By whose form it is: an answer, and what it says that was bought. */
const ANSWERS = {
  cohere: [{
    id: "07",
    results: ranked.toReversed(),
    meta: { api_version: { version: "2" }, billed_units: { search_units: 1 } },
  }, { search_unit: 1 }],
  jina: [{
    model: "jina-reranker-v2",
    usage: { total_tokens: 15 },
    results: ranked.map((one) => ({ ...one, document: { text: "whatever" } })),
  }, { input: 15 }],
  vllm: [{
    id: "rerank-8",
    model: "theirs",
    usage: { prompt_tokens: 12, total_tokens: 12 },
    results: ranked.map((one) => ({ ...one, document: { text: "whatever" } })),
  }, { input: 12 }],
} as const;

for (const [form, [answer, work]] of Object.entries(ANSWERS)) {
  Deno.test(`rankings are told in one form where the upstream has that of ${form}`, async () => {
    await using upstream = await startFakeUpstream(jsonReply(answer));
    await using gateway = await startMediaGateway(upstream.url);
    for (const path of ["/v1/rerank", "/v2/rerank", "/api/gateway/v1/rerank"]) {
      const response = await gateway.post(path, { ...body, max_tokens_per_doc: 100 });
      const told = await response.json();
      assert.equal(response.status, 200, JSON.stringify(told));
      assert.deepEqual(told.results, [
        { index: 1, relevance_score: 0.9 },
        { index: 2, relevance_score: 0.5 },
        { index: 0, relevance_score: 0.1 },
      ]);
      assert.deepEqual([told.object, told.model, told.route], ["list", "ranker", "up/ranker"]);
      assert.equal(typeof told.id, "string");
      const call = await gateway.callOf(response);
      // Where only tokens are counted, and search units are sold, these are estimated.
      assert.equal(call.usage_source, form === "cohere" ? "reported" : "estimated");
      assert.deepEqual(call.work, { ...work, search_unit: 1 });
      assert.equal(call.pricing!.charged_amount, "0.00200000");
      assert.equal(call.pricing!.cost_amount, "0.00100000");
    }
    assert.deepEqual(upstream.requests[0]!.json(), {
      model: "their-ranker",
      query: "dog",
      documents: ["a cat", "a dog", "Łódź"],
      max_tokens_per_doc: 100,
    });
    assert.equal(upstream.requests[0]!.target, "/v1/rerank");
  });
}

Deno.test("tokens are charged where they have the price, units of a search are not", async () => {
  for (const form of ["jina", "cohere"] as const) {
    await using upstream = await startFakeUpstream(jsonReply(ANSWERS[form][0]));
    await using gateway = await startMediaGateway(upstream.url);
    const response = await gateway.post("/v1/rerank", { ...body, model: "ranker-by-token" });
    const call = await gateway.callOf(response);
    if (form === "jina") {
      assert.deepEqual(call.work, { input: 15 });
      assert.deepEqual([call.usage_source, call.pricing!.charged_amount], [
        "reported",
        "0.00075000",
      ]);
    }
    assert.ok(Number(call.pricing!.charged_amount) > 0, form);
  }
});

Deno.test("only so many results are given as asked, with their documents where asked", async () => {
  await using upstream = await startFakeUpstream(jsonReply(ANSWERS.cohere[0]));
  await using gateway = await startMediaGateway(upstream.url);
  const told = await gateway.ask("/v2/rerank", { ...body, top_n: 2, return_documents: true });
  assert.deepEqual(told.results, [
    { index: 1, relevance_score: 0.9, document: { text: "a dog" } },
    { index: 2, relevance_score: 0.5, document: { text: "Łódź" } },
  ]);
  assert.equal(upstream.requests[0]!.json().top_n, 2);
});

Deno.test("what is no ranking of the documents is no answer, and free", async () => {
  for (
    const results of [
      undefined,
      [],
      "best",
      [{ index: 3, relevance_score: 1 }],
      [{ index: -1, relevance_score: 1 }],
      [{ index: 0.5, relevance_score: 1 }],
      [{ index: 0, relevance_score: "1" }],
      [{ index: 0, relevance_score: 1 }, { index: 0, relevance_score: 1 }],
      Array(4).fill({ index: 0, relevance_score: 1 }),
      [null],
    ]
  ) {
    await using upstream = await startFakeUpstream(jsonReply({ id: "1", results }));
    await using gateway = await startMediaGateway(upstream.url);
    const before = gateway.spendable();
    const response = await gateway.post("/v1/rerank", body);
    assert.equal(response.status, 503, JSON.stringify([results, await response.json()]));
    assert.equal(gateway.spendable(), before);
  }
});

Deno.test("absurd units are estimated instead", async () => {
  for (const search_units of [-1, 0.5, 1e300, "1", null, 0]) {
    await using upstream = await startFakeUpstream(
      jsonReply({ results: ranked, meta: { billed_units: { search_units } } }),
    );
    await using gateway = await startMediaGateway(upstream.url);
    const call = await gateway.callOf(await gateway.post("/v1/rerank", body));
    assert.deepEqual([call.usage_source, call.work!.search_unit], ["estimated", 1]);
  }
});

Deno.test("faulty requests for a ranking are refused", async () => {
  await using upstream = await startFakeUpstream(jsonReply({}));
  await using gateway = await startMediaGateway(upstream.url);
  for (
    const [fields, param] of [
      [{ query: undefined }, "query"],
      [{ query: "" }, "query"],
      [{ documents: undefined }, "documents"],
      [{ documents: [] }, "documents"],
      [{ documents: [1] }, "documents[0]"],
      [{ documents: Array(10_001).fill("a") }, "documents"],
      [{ top_n: 0 }, "top_n"],
      [{ return_documents: "yes" }, "return_documents"],
    ] as const
  ) {
    const response = await gateway.post("/v2/rerank", { ...body, ...fields });
    assert.equal(response.status, 400);
    assert.equal((await response.json()).error.param, param);
  }
  assert.equal(upstream.requests.length, 0);
});

Deno.test("long documents are held for by their parts", async () => {
  await using upstream = await startFakeUpstream(jsonReply(ANSWERS.cohere[0]));
  await using gateway = await startMediaGateway(upstream.url);
  const ask = async (document: string) => {
    const documents = Array(100).fill(document);
    const response = await gateway.post("/v1/rerank", { ...body, model: "dear-ranker", documents });
    await response.body?.cancel();
    return response.status;
  };
  assert.equal(await ask("word"), 200);
  // Each may be ninety documents of 500 tokens.
  assert.equal(await ask("word ".repeat(3_000)), 402);
});

Deno.test("a ranking is never asked for as a stream, as no upstream could give one", async () => {
  await using upstream = await startFakeUpstream(jsonReply(ANSWERS.cohere[0]));
  await using gateway = await startMediaGateway(upstream.url);
  const streamed = { ...body, stream: true, stream_options: { include_usage: true } };
  const response = await gateway.post("/v1/rerank", streamed);
  assert.equal(response.status, 200, await response.text());
  const sent = upstream.requests[0]!.json();
  assert.deepEqual(["stream" in sent, "stream_options" in sent], [false, false]);
});
