/**
 * `POST /v1/images/edits` over Google's models, and which routes may serve it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { jsonReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { startMediaGateway } from "../../support/media_gateway.ts";

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10);
const IMAGE = "data:image/png;base64,iVBORw0KGgo=";
const path = "/v1/images/edits";

const GOOGLES = {
  candidates: [{
    content: { parts: [{ inlineData: { mimeType: "image/png", data: "iVBORw0K" } }] },
    finishReason: "STOP",
  }],
  usageMetadata: {
    promptTokenCount: 267,
    candidatesTokenCount: 1_290,
    totalTokenCount: 1_557,
    promptTokensDetails: [{ modality: "IMAGE", tokenCount: 258 }],
    candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_290 }],
  },
};

function catalogue(url: string): string {
  const root = url.replace(/\/v1$/, "");
  const sale = `sale: { input: "10", input_image: "10", output_image: "100" }`;
  return `
currency: USD
providers:
  - { id: google, kind: gemini, base_url: "${root}", auth: none }
  - { id: up, kind: openai_compatible, base_url: "${url}", auth: none }
models:
  - id: nano
    kind: image
    routes:
      - { id: google/nano, provider: google, upstream_model: gemini-3.1-flash-image, ${sale} }
  - id: both
    kind: image
    routes:
      - { id: google/both, provider: google, upstream_model: gemini-3.1-flash-image, ${sale} }
      - { id: google/imagen, provider: google, upstream_model: imagen-4.0-generate-001, sale: { image_out: "0.01" } }
      - { id: up/texts-alone, provider: up, supports: { image_edits: false }, ${sale} }
      - { id: up/both, provider: up, priority: 9, ${sale} }
  - id: imagen
    kind: image
    routes:
      - { id: google/old, provider: google, upstream_model: imagen-4.0-generate-001, sale: { image_out: "0.01" } }
projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false }
`;
}

async function started() {
  const upstream = await startFakeUpstream((request) =>
    jsonReply(
      request.target.includes(":generateContent")
        ? GOOGLES
        : { created: 1, data: [{ b64_json: "iVBORw0K" }] },
    )
  );
  const gateway = await startMediaGateway(upstream.url, { catalogue: catalogue(upstream.url) });
  return { upstream, gateway };
}

function form(model: string, ...files: readonly File[]): FormData {
  const data = new FormData();
  data.append("model", model);
  data.append("prompt", "With a hat");
  for (const file of files) data.append("image[]", file);
  return data;
}

const file = (name: string) => new File([PNG], name, { type: "image/png" });

Deno.test("POST images/edits gives Gemini the images, and charges by its counts", async () => {
  const { upstream, gateway } = await started();
  await using _upstream = upstream;
  await using _gateway = gateway;
  const before = gateway.spendable();
  const response = await gateway.post(path, form("nano", file("a.png"), file("b.png")));
  const body = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body));
  assert.deepEqual(body.data, [{ b64_json: "iVBORw0K" }]);
  const [content] = upstream.requests[0]!.json().contents as { parts: unknown[] }[];
  const inline = { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } };
  assert.deepEqual(content!.parts, [{ text: "With a hat" }, inline, inline]);
  const call = await gateway.callOf(response);
  assert.deepEqual([call.capability, call.usage_source, call.work], [
    "image_edits",
    "reported",
    { input: 9, input_image: 258, output_image: 1_290, image: 2, image_out: 1 },
  ]);
  // 267 tokens at 10 and 1,290 at 100 per million.
  assert.equal(call.pricing!.charged_amount, "0.13167000");
  assert.equal(before - gateway.spendable(), 13_167_000n);
});

Deno.test("a mask, and models that make images of texts alone, are reasons to take another route", async () => {
  const { upstream, gateway } = await started();
  await using _upstream = upstream;
  await using _gateway = gateway;
  const plain = await gateway.ask(path, form("both", file("a.png")));
  assert.equal(plain.route, "google/both");
  const masked = form("both", file("a.png"));
  masked.append("mask", file("mask.png"));
  assert.equal((await gateway.ask(path, masked)).route, "up/both");
  const before = gateway.spendable();
  const refused = await gateway.ask(path, { model: "imagen", prompt: "x", image: IMAGE });
  assert.equal(refused.error.code, "NO_AVAILABLE_ROUTE", JSON.stringify(refused));
  assert.deepEqual(
    refused.error.routes.map(({ route, reason, detail }: Record<string, string>) => [
      route,
      reason,
      detail,
    ]),
    [["google/old", "endpoint_not_supported", "makes images of texts alone"]],
  );
  const own = form("nano", file("a.png"));
  own.append("mask", file("mask.png"));
  const named = await gateway.ask(path, own);
  assert.deepEqual([named.error.type, named.error.param], ["invalid_request_error", "mask"]);
  assert.equal(gateway.spendable(), before);
  assert.equal(upstream.requests.length, 2);
});
