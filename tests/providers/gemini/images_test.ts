/**
 * Images of Gemini's and Imagen's models, asked for as OpenAI's clients do.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Answer } from "../../../src/dialects/base/answer.ts";
import { asArray, asObject, type JsonObject } from "../../../src/domain/json_value.ts";
import { serve } from "../../../src/providers/serve.ts";
import { jsonReply } from "../../support/fake_upstream.ts";
import { chatCall, chatRoute, failureOf, never, readAll } from "../../support/provider_parts.ts";
import { type Bench, bench } from "./bench.ts";

const PNG = "iVBORw0KGgo=";
/** As `google-image-gemini-3.1-flash-image` has it. */
const MADE = {
  candidates: [{
    content: {
      parts: [
        { text: "Here it is" },
        { inlineData: { mimeType: "image/png", data: PNG }, thoughtSignature: "Sig" },
      ],
      role: "model",
    },
    finishReason: "STOP",
  }],
  usageMetadata: {
    promptTokenCount: 9,
    candidatesTokenCount: 1_303,
    totalTokenCount: 1_312,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: 9 }],
    candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_290 }],
  },
};
/** `google-image-no-image-live`. */
const NO_IMAGE = {
  candidates: [{ content: {}, finishReason: "NO_IMAGE", index: 0 }],
  usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
};
const ended = (finishReason: string) => ({ candidates: [{ content: {}, finishReason }] });

const callOf = (body: JsonObject, upstreamModel: string) => ({
  ...chatCall({}, { route: chatRoute({ upstreamModel }) }),
  body: { model: "m", prompt: "A hamster in a hat", ...body },
});

function make(
  { provider }: Bench,
  body: JsonObject = {},
  model = "gemini-3.1-flash-image",
): Promise<Answer> {
  return serve("openai_images").answer(provider, callOf(body, model), never());
}

Deno.test("an image is made, its tokens counted as an image's", async () => {
  await using at = await bench({ script: jsonReply(MADE) });
  const { body, usage } = await make(at, { size: "1536x1024" });
  assert.equal(
    at.upstream.requests[0]!.target,
    "/v1beta/models/gemini-3.1-flash-image:generateContent",
  );
  assert.deepEqual(at.sent(), {
    contents: [{ role: "user", parts: [{ text: "A hamster in a hat" }] }],
    generationConfig: {
      responseModalities: ["TEXT", "IMAGE"],
      imageConfig: { aspectRatio: "3:2" },
    },
  });
  assert.deepEqual(body.data, [{ b64_json: PNG }]);
  assert.deepEqual(usage, { input: 9, output: 13, outputImage: 1_290, imageOut: 1 });
  const { output_tokens_details: details } = asObject(body.usage)!;
  assert.deepEqual(details, { text_tokens: 13, image_tokens: 1_290 });
});

Deno.test("several are asked for one by one, and all are told", async () => {
  await using at = await bench({ script: jsonReply(MADE) });
  const { body, usage } = await make(at, { n: 3 });
  assert.equal(at.upstream.requests.length, 3);
  assert.equal(asArray(body.data).length, 3);
  assert.deepEqual(usage, { input: 27, output: 39, outputImage: 3_870, imageOut: 3 });
});

Deno.test("tokens without details are an image's", async () => {
  const { candidatesTokensDetails: _, ...usageMetadata } = MADE.usageMetadata;
  await using at = await bench({ script: jsonReply({ ...MADE, usageMetadata }) });
  const { usage } = await make(at);
  assert.deepEqual(usage, { input: 9, output: 0, outputImage: 1_303, imageOut: 1 });
});

Deno.test("a stream tells each as done", async () => {
  await using at = await bench({ script: jsonReply(MADE) });
  const call = callOf({ stream: true, n: 2 }, "gemini-3.1-flash-image");
  const events = await readAll(await serve("openai_images").stream(at.provider, call, never()));
  assert.deepEqual(events.map(({ chunk }) => [chunk.type, chunk.b64_json]), [
    ["image_generation.completed", PNG],
    ["image_generation.completed", PNG],
  ]);
  assert.deepEqual(events.map(({ finished }) => finished), [false, true]);
  assert.deepEqual(events[1]!.usage, { input: 18, output: 26, outputImage: 2_580, imageOut: 2 });
});

const SIZES: readonly (readonly [string, unknown])[] = [
  ["1024x1024", { aspectRatio: "1:1" }],
  ["1024x1536", { aspectRatio: "2:3" }],
  ["1792x1024", { aspectRatio: "16:9" }],
  ["1000x100", undefined],
  ["large", undefined],
  ["2048x2048", { aspectRatio: "1:1", imageSize: "2K" }],
  ["3840x2160", { aspectRatio: "16:9", imageSize: "4K" }],
  ["1344x768", { aspectRatio: "16:9" }],
  ["auto", {}],
];
for (const [size, shape] of SIZES) {
  Deno.test(`an image of ${size} is asked for by its ratio, or refused`, async () => {
    await using at = await bench({ script: jsonReply(MADE) });
    if (shape === undefined) {
      const { failure, param } = await failureOf(make(at, { size }));
      assert.deepEqual([failure, param, at.upstream.requests.length], ["caller", "size", 0]);
      return;
    }
    await make(at, { size });
    const { imageConfig } = at.sent().generationConfig as JsonObject;
    assert.deepEqual(imageConfig ?? {}, shape);
  });
}

for (
  const body of [ended("IMAGE_SAFETY"), { promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }]
) {
  Deno.test(`an image that is kept back is the request's fault: ${JSON.stringify(body)}`, async () => {
    await using at = await bench({ script: jsonReply(body) });
    const { failure, code, status } = await failureOf(make(at));
    assert.deepEqual([failure, code, status], ["caller", "moderation_blocked", 400]);
  });
}

Deno.test("an answer without an image is none", async () => {
  await using at = await bench({ script: jsonReply(NO_IMAGE) });
  assert.equal((await failureOf(make(at))).failure, "broken");
});

Deno.test("Imagen makes four at a time, each paid for; filtered ones are missing", async () => {
  // `issue-10843-google-imagen-generate-image`.
  await using at = await bench({
    script: (request) => {
      const { sampleCount } = asObject(request.json().parameters)!;
      const one = { mimeType: "image/png", bytesBase64Encoded: PNG };
      const filtered = { raiFilteredReason: "A face" };
      return jsonReply({
        predictions: Array.from(
          { length: Number(sampleCount) },
          (_, at) => at === 3 ? filtered : one,
        ),
      });
    },
  });
  const { body, usage } = await make(at, { n: 6, size: "1024x768" }, "imagen-4.0-generate-001");
  const sent = at.upstream.requests.map((request) => request.json());
  assert.deepEqual(sent[0], {
    instances: [{ prompt: "A hamster in a hat" }],
    parameters: { aspectRatio: "4:3", includeRaiReason: true, sampleCount: 4 },
  });
  assert.equal(asObject(sent[1]!.parameters)!.sampleCount, 2);
  assert.equal(asArray(body.data).length, 5);
  assert.deepEqual(usage, { imageOut: 5 });
  at.upstream.answer(jsonReply({ predictions: [{ raiFilteredReason: "A face" }] }));
  assert.equal(
    (await failureOf(make(at, {}, "imagen-4.0-generate-001"))).code,
    "moderation_blocked",
  );
});
