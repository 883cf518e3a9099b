/**
 * Embeddings at AI Studio.
 *
 * @module
 */

import assert from "node:assert/strict";
import { asArray, asObject, type JsonObject } from "../../../src/domain/json_value.ts";
import { serve } from "../../../src/providers/serve.ts";
import { jsonReply, type RecordedRequest } from "../../support/fake_upstream.ts";
import { chatCall, chatRoute, failureOf, never } from "../../support/provider_parts.ts";
import { type Bench, bench } from "./bench.ts";

function answer(request: RecordedRequest, more: object = {}) {
  const embeddings = asArray(request.json().requests).map((one) => {
    const text = asObject(asArray(asObject(asObject(one)!.content)!.parts)[0])!.text as string;
    return { values: [text.length * 3, text.length * 4] };
  });
  return jsonReply({ embeddings, ...more });
}

const ask = ({ provider }: Bench, body: JsonObject, route = {}) =>
  serve("openai_embeddings").answer(provider, {
    ...chatCall({}, { route: chatRoute({ upstreamModel: "gemini-embedding-001", ...route }) }),
    body: { model: "m", ...body },
  }, never());

Deno.test("texts are asked for together, a hundred at a time, and put together again", async () => {
  await using at = await bench({ script: (request) => answer(request) });
  const input = Array.from({ length: 150 }, (_, index) => "x".repeat(index + 1));
  const { body, usage } = await ask(at, { input }, {
    body: { set: { taskType: "RETRIEVAL_QUERY" }, default: {}, drop: [] },
  });
  const [first, second] = at.upstream.requests as [RecordedRequest, RecordedRequest];
  assert.equal(first.target, "/v1beta/models/gemini-embedding-001:batchEmbedContents");
  assert.equal(asArray(first.json().requests).length, 100);
  assert.equal(asArray(second.json().requests).length, 50);
  assert.deepEqual(asArray(first.json().requests)[0], {
    model: "models/gemini-embedding-001",
    content: { parts: [{ text: "x" }] },
    taskType: "RETRIEVAL_QUERY",
  });
  const data = asArray(body.data) as JsonObject[];
  assert.equal(data.length, 150);
  assert.deepEqual(data[149]!.embedding, [450, 600]);
  // Older models count nothing: it is estimated, and marked.
  assert.equal(usage, undefined);
});

Deno.test("a shorter vector is asked for under its name, and of length 1", async () => {
  await using at = await bench({
    script: (request) => answer(request, { usageMetadata: { promptTokenCount: 7 } }),
  });
  const { body, usage } = await ask(at, {
    input: ["abc"],
    dimensions: 2,
    encoding_format: "base64",
  });
  assert.equal(asObject(asArray(at.sent().requests)[0])!.outputDimensionality, 2);
  const { embedding } = asArray(body.data)[0] as { embedding: string };
  const floats = new Float32Array(Uint8Array.fromBase64(embedding).buffer);
  assert.deepEqual([...floats].map((value) => Math.round(value * 100)), [60, 80]);
  assert.deepEqual(usage, { input: 7 });
});

Deno.test("token ids and lengths that the model has not are the caller's faults", async () => {
  await using at = await bench({ script: (request) => answer(request) });
  const tokens = await failureOf(ask(at, { input: [[1, 2]] }));
  assert.deepEqual([tokens.failure, tokens.param], ["caller", "input"]);
  assert.equal(at.upstream.requests.length, 0);
  const length = await failureOf(ask(at, { input: ["a"], dimensions: 3 }));
  assert.deepEqual([length.failure, length.param], ["caller", "dimensions"]);
});

const BROKEN: readonly (readonly [string, JsonObject])[] = [
  ["too few", { embeddings: [{ values: [1, 2] }] }],
  ["none", {}],
  ["no numbers", { embeddings: [{ values: ["a"] }, { values: [1] }] }],
  ["without end", { embeddings: [{ values: [] }, { values: [1] }] }],
  ["of another shape", { embeddings: [7, null] }],
];
for (const [name, body] of BROKEN) {
  Deno.test(`vectors that are ${name} are no answer`, async () => {
    await using at = await bench({ script: jsonReply(body) });
    assert.equal((await failureOf(ask(at, { input: ["a", "b"] }))).failure, "broken");
  });
}
