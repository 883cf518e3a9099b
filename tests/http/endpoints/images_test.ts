/**
 * `POST /v1/images/generations` over an upstream.
 *
 * @module
 */

import assert from "node:assert/strict";
import schemas from "../../fixtures/openai/other_schemas.json" with { type: "json" };
import {
  jsonReply,
  rawSseReply,
  sseReply,
  startFakeUpstream,
} from "../../support/fake_upstream.ts";
import { startMediaGateway } from "../../support/media_gateway.ts";
import { assertSatisfies } from "../../support/schema_check.ts";

const path = "/v1/images/generations";
const ask = { model: "painter", prompt: "A red fox", size: "1024x1024", quality: "high" };

const USAGE = {
  input_tokens: 50,
  input_tokens_details: { text_tokens: 10, image_tokens: 40 },
  output_tokens: 4_160,
  total_tokens: 4_210,
};

function images(count: number, more: object = {}) {
  return {
    created: 1_700_000_000,
    data: Array.from({ length: count }, () => ({ b64_json: "iVBORw0K" })),
    size: "1024x1024",
    quality: "high",
    output_format: "png",
    background: "opaque",
    ...more,
  };
}

Deno.test("POST images/generations gives images, and charges text and image tokens each at its rate", async () => {
  await using upstream = await startFakeUpstream(jsonReply(images(1, { usage: USAGE })));
  await using gateway = await startMediaGateway(upstream.url);
  const response = await gateway.post(path, { ...ask, background: "opaque", user: null });
  const body = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body));
  assertSatisfies(schemas, "ImagesResponse", body);
  assert.deepEqual([body.model, body.route, body.data.length], ["painter", "up/painter", 1]);
  assert.equal(upstream.requests[0]!.target, "/v1/images/generations");
  assert.deepEqual(upstream.requests[0]!.json(), {
    ...ask,
    model: "their-painter",
    background: "opaque",
  });
  const call = await gateway.callOf(response);
  assert.deepEqual(call.work, { input: 10, input_image: 40, output_image: 4_160, image_out: 1 });
  // 10 at 5, 40 at 8 and 4,160 at 30 per million.
  assert.equal(call.pricing!.charged_amount, "0.12517000");
  assert.equal(body.pricing.sale_amount, "0.12517000");
  assert.equal(call.usage_source, "reported");
  assert.equal(body.usage.output_tokens_details.image_tokens, 4_160);
});

Deno.test("tokens that no upstream counts are estimated by size and quality", async () => {
  await using upstream = await startFakeUpstream(jsonReply(images(2)));
  await using gateway = await startMediaGateway(upstream.url);
  const response = await gateway.post(path, { ...ask, n: 2, quality: "low" });
  const call = await gateway.callOf(response);
  assert.deepEqual([call.usage_source, call.work!.output_image, call.work!.image_out], [
    "estimated",
    2 * 272,
    2,
  ]);
});

Deno.test("images are priced each, by the size and quality that the answer names", async () => {
  for (
    const [asked, told, amount] of [
      [{}, { size: "1024x1024", quality: "medium" }, "0.04000000"],
      [{}, { size: "1024x1024", quality: "high" }, "0.16000000"],
      [{ size: "auto" }, { size: "1536x1024", quality: "high" }, "0.25000000"],
      [{ size: "1536x1024", quality: "high" }, {}, "0.25000000"],
      [{ quality: "high" }, { quality: "auto" }, "0.16000000"],
    ] as const
  ) {
    await using upstream = await startFakeUpstream(
      jsonReply({ created: 1, data: [{ url: "https://images.example/1" }], ...told }),
    );
    await using gateway = await startMediaGateway(upstream.url);
    const response = await gateway.post(path, { model: "painter-by-image", prompt: "x", ...asked });
    const call = await gateway.callOf(response);
    assert.equal(call.pricing!.charged_amount, amount, JSON.stringify([asked, told]));
    assert.deepEqual([call.usage_source, call.work], ["reported", { image_out: 1 }]);
  }
});

Deno.test("what is held is the dearest that may come", async () => {
  await using upstream = await startFakeUpstream(jsonReply(images(1)));
  await using gateway = await startMediaGateway(upstream.url);
  const status = async (fields: object) => {
    const response = await gateway.post(path, { prompt: "x", ...fields });
    await response.body?.cancel();
    return response.status;
  };
  // The dearest image is 4.00 of a balance of 10, and what is named is known.
  const dear = { model: "dear-painter" };
  assert.equal(await status({ ...dear, n: 3 }), 402);
  assert.equal(await status({ ...dear, n: 3, quality: "high", size: "1536x1024" }), 402);
  assert.equal(await status({ ...dear, n: 3, quality: "low", size: "64x64" }), 200);
  assert.equal(upstream.requests.length, 1);
});

Deno.test("a stream passes images on that are not done, and ends with counts and price", async () => {
  const partial = (index: number) => ({
    type: "image_generation.partial_image",
    b64_json: "A".repeat(2_000_000),
    partial_image_index: index,
    created_at: 1,
    size: "1024x1024",
    quality: "high",
    background: "opaque",
    output_format: "png",
  });
  const { partial_image_index: _, ...done } = partial(0);
  const usage = { ...USAGE, input_tokens_details: { text_tokens: 50, image_tokens: 0 } };
  await using upstream = await startFakeUpstream(
    sseReply([partial(0), partial(1), { ...done, type: "image_generation.completed", usage }]),
  );
  await using gateway = await startMediaGateway(upstream.url);
  const response = await gateway.post(path, { ...ask, stream: true, partial_images: 2 });
  assert.equal(response.headers.get("x-tollgate-route"), "up/painter");
  const text = await response.text();
  const names = text.matchAll(/^event: (.*)$/gm).map(([, name]) => name).toArray();
  const events = text.matchAll(/^data: (\{.*)$/gm).map(([, data]) => JSON.parse(data!)).toArray();
  assert.deepEqual(names, [
    "image_generation.partial_image",
    "image_generation.partial_image",
    "image_generation.completed",
  ]);
  for (const event of events) {
    assertSatisfies(schemas, "ImageGenStreamEvent", event);
    assert.equal(event.b64_json.length, 2_000_000);
  }
  assert.equal(events[2].pricing.sale_amount, "0.12505000");
  assert.equal((await gateway.callOf(response)).usage_source, "reported");
});

Deno.test("a stream that is cut before its image is done ends with an error, and is free", async () => {
  const event = { type: "image_generation.partial_image", b64_json: "AAAA" };
  await using upstream = await startFakeUpstream(
    rawSseReply([`data: ${JSON.stringify(event)}\n\n`, "cut!"]),
  );
  await using gateway = await startMediaGateway(upstream.url);
  const before = gateway.spendable();
  const text = await (await gateway.post(path, { ...ask, stream: true })).text();
  assert.match(text, /"error"/);
  assert.doesNotMatch(text, /tollgate \{/);
  assert.equal(gateway.spendable(), before);
});

Deno.test("what is no image is no answer, and absurd counts are estimated", async () => {
  for (
    const answer of [
      {},
      { data: [] },
      { data: [{}] },
      { data: [{ b64_json: "" }] },
      { data: "image" },
      { created: 1, error: { message: "no" } },
    ]
  ) {
    await using upstream = await startFakeUpstream(jsonReply(answer));
    await using gateway = await startMediaGateway(upstream.url);
    const response = await gateway.post(path, ask);
    assert.equal(response.status, 503, JSON.stringify(answer));
    await response.body?.cancel();
  }
  for (const output_tokens of [-1, 1.5, 9e15, "many", null]) {
    const usage = { ...USAGE, output_tokens, total_tokens: undefined };
    await using upstream = await startFakeUpstream(jsonReply(images(1, { usage })));
    await using gateway = await startMediaGateway(upstream.url);
    const call = await gateway.callOf(await gateway.post(path, ask));
    assert.equal(call.usage_source, "estimated", String(output_tokens));
    assert.equal(call.work!.output_image, 4_160);
  }
});

Deno.test("a content policy's refusal is the caller's, word for word", async () => {
  const error = {
    message: "Your request was rejected by the safety system",
    type: "image_generation_user_error",
    param: null,
    code: "moderation_blocked",
  };
  await using upstream = await startFakeUpstream(jsonReply({ error }, { status: 400 }));
  await using gateway = await startMediaGateway(upstream.url);
  const response = await gateway.post(path, ask);
  assert.equal(response.status, 400);
  const told = (await response.json()).error;
  assert.deepEqual([told.message, told.code], [error.message, error.code]);
});

Deno.test("faulty requests for images are refused", async () => {
  await using upstream = await startFakeUpstream(jsonReply({}));
  await using gateway = await startMediaGateway(upstream.url);
  for (
    const [fields, param] of [
      [{ prompt: undefined }, "prompt"],
      [{ prompt: 5 }, "prompt"],
      [{ n: 0 }, "n"],
      [{ n: 17 }, "n"],
      [{ n: "2" }, "n"],
      [{ size: 1024 }, "size"],
      [{ quality: "x".repeat(65) }, "quality"],
      [{ stream: "yes" }, "stream"],
      [{ model: "ranker" }, "model"],
    ] as const
  ) {
    const response = await gateway.post(path, { ...ask, ...fields });
    assert.equal(response.status, 400, JSON.stringify(fields));
    assert.equal((await response.json()).error.param, param);
  }
  assert.equal(upstream.requests.length, 0);
});
