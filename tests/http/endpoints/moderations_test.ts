/**
 * `POST /v1/moderations` over an upstream.
 *
 * @module
 */

import assert from "node:assert/strict";
import { jsonReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { startMediaGateway } from "../../support/media_gateway.ts";
import { judgement } from "../../support/moderation_answers.ts";

const path = "/v1/moderations";

Deno.test("POST moderations judges a text, and says who did and what it cost", async () => {
  await using upstream = await startFakeUpstream(jsonReply(judgement(1, { flagged: true })));
  await using gateway = await startMediaGateway(upstream.url);
  const response = await gateway.post(path, { model: "moderator", input: "I will", user: "me" });
  const body = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body));
  assert.deepEqual(
    [body.id, body.model, body.provider, body.route, body.results.length],
    ["modr-1", "moderator", "up", "up/moderator", 1],
  );
  assert.equal(body.results[0].flagged, true);
  assert.equal(body.results[0].category_scores["hate/threatening"], 0.5);
  assert.equal(body.pricing.sale_amount, "0.00000000");
  const [request] = upstream.requests;
  assert.equal(request!.target, "/v1/moderations");
  assert.deepEqual(request!.json(), { model: "their-moderator", input: "I will", user: "me" });
  const call = await gateway.callOf(response);
  assert.deepEqual([call.capability, call.state, call.usage_source], [
    "moderations",
    "settled",
    "estimated",
  ]);
  assert.equal(call.usage!.prompt_tokens, body.usage.prompt_tokens);
});

Deno.test("POST moderations takes the model that OpenAI's clients mean, lists and parts", async () => {
  await using upstream = await startFakeUpstream((request) => {
    const { input } = request.json() as { input: unknown };
    const isList = Array.isArray(input) && typeof input[0] === "string";
    return jsonReply(judgement(isList ? input.length : 1));
  });
  await using gateway = await startMediaGateway(upstream.url);
  assert.equal((await gateway.ask(path, { input: "Hi" })).model, "moderator");
  assert.equal((await gateway.ask(path, { input: ["a", "b", "c"] })).results.length, 3);
  const parts = [
    { type: "text", text: "Hi" },
    { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
  ];
  const response = await gateway.post(path, { model: "moderator", input: parts });
  assert.equal((await response.json()).results.length, 1);
  assert.equal((await gateway.callOf(response)).work!.image, 1);
  assert.deepEqual(upstream.requests[2]!.json().input, parts);
});

Deno.test("POST moderations refuses bodies before anything is asked or held", async () => {
  await using upstream = await startFakeUpstream(jsonReply(judgement(1)));
  await using gateway = await startMediaGateway(upstream.url);
  const before = gateway.spendable();
  for (
    const [fields, status, param] of [
      [{}, 400, "input"],
      [{ input: "" }, 400, "input"],
      [{ input: [] }, 400, "input"],
      [{ input: ["a", 1] }, 400, "input"],
      [{ input: Array(2_049).fill("a") }, 400, "input"],
      [{ input: "a", model: "ranker" }, 400, "model"],
      [{ input: "a", model: "none" }, 404, "model"],
      [{ input: "a", model: 7 }, 400, "model"],
    ] as const
  ) {
    const response = await gateway.post(path, { model: "moderator", ...fields });
    const { error } = await response.json();
    assert.equal(response.status, status, JSON.stringify(error));
    assert.ok(error.param.startsWith(param), error.param);
  }
  assert.equal(upstream.requests.length, 0);
  assert.equal(gateway.spendable(), before);
});

Deno.test("a moderation that the balance does not cover is not made", async () => {
  await using upstream = await startFakeUpstream(jsonReply(judgement(1)));
  await using gateway = await startMediaGateway(upstream.url);
  const response = await gateway.post(path, {
    model: "dear-moderator",
    input: "word ".repeat(4_000),
  });
  assert.equal(response.status, 402);
  assert.equal(upstream.requests.length, 0);
  const paid = await gateway.post(path, { model: "dear-moderator", input: "a word or two" });
  assert.equal(paid.status, 200);
  const call = await gateway.callOf(paid);
  assert.equal(call.pricing!.charged_amount, (await paid.json()).pricing.sale_amount);
  assert.equal(Number(call.pricing!.charged_amount), call.usage!.prompt_tokens / 1_000);
});

Deno.test("an answer that judges nothing is no answer: nothing is charged", async () => {
  for (
    const answer of [
      {},
      { results: [] },
      { results: [{}] },
      { ...judgement(2) },
      { results: "flagged" },
      { results: [null] },
      { error: { message: "no" } },
    ]
  ) {
    await using upstream = await startFakeUpstream(jsonReply(answer));
    await using gateway = await startMediaGateway(upstream.url);
    const before = gateway.spendable();
    const response = await gateway.post(path, { model: "dear-moderator", input: "Hi" });
    assert.equal(response.status, 503, JSON.stringify([answer, await response.json()]));
    assert.equal(gateway.spendable(), before);
  }
});

Deno.test("counts of the upstream are charged, absurd ones are not", async () => {
  for (
    const [counts, isReported] of [
      [{ prompt_tokens: 3, total_tokens: 3 }, true],
      [{ total_tokens: 4 }, true],
      [{ prompt_tokens: -1 }, false],
      [{ prompt_tokens: 1.5 }, false],
      [{ prompt_tokens: 9e15 }, false],
      ["many", false],
    ] as const
  ) {
    await using upstream = await startFakeUpstream(
      jsonReply({ ...judgement(1), usage: counts }),
    );
    await using gateway = await startMediaGateway(upstream.url);
    const response = await gateway.post(path, { model: "dear-moderator", input: "Hi there" });
    const call = await gateway.callOf(response);
    assert.equal(call.usage_source, isReported ? "reported" : "estimated");
    assert.ok(call.usage!.prompt_tokens > 0 && call.usage!.prompt_tokens < 10);
  }
});

Deno.test("a moderation is repeated by its key, without another call", async () => {
  await using upstream = await startFakeUpstream(jsonReply(judgement(1)));
  await using gateway = await startMediaGateway(upstream.url);
  const ask = () =>
    gateway.post(path, { model: "moderator", input: "Hi" }, {
      headers: { "idempotency-key": "once" },
    });
  const [first, second] = [await ask(), await ask()];
  assert.equal(await first.text(), await second.text());
  assert.equal(second.headers.get("idempotent-replayed"), "true");
  assert.equal(upstream.requests.length, 1);
});

Deno.test("a judgement is never asked for as a stream, as no upstream could give one", async () => {
  await using upstream = await startFakeUpstream(jsonReply(judgement(1)));
  await using gateway = await startMediaGateway(upstream.url);
  const streamed = {
    model: "moderator",
    input: "I will",
    stream: true,
    stream_options: { include_usage: true },
  };
  const response = await gateway.post(path, streamed);
  assert.equal(response.status, 200, await response.text());
  const sent = upstream.requests[0]!.json();
  assert.deepEqual(["stream" in sent, "stream_options" in sent], [false, false]);
});
