/**
 * Images that Gemini's models make of others, asked for as OpenAI's clients do.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { asArray, asObject, type JsonObject } from "../../../src/domain/json_value.ts";
import { SpooledFile } from "../../../src/files/spooled_file.ts";
import { kindNamed } from "../../../src/providers/kinds.ts";
import { serve } from "../../../src/providers/serve.ts";
import { jsonReply } from "../../support/fake_upstream.ts";
import { chatCall, chatRoute, failureOf, never, readAll } from "../../support/provider_parts.ts";
import { type Bench, bench } from "./bench.ts";

const MADE = "iVBORw0KGgo=";
const PNG = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const MODEL = "gemini-3.1-flash-image";
const ANSWER = {
  candidates: [{
    content: { parts: [{ inlineData: { mimeType: "image/png", data: MADE } }], role: "model" },
    finishReason: "STOP",
  }],
  usageMetadata: {
    promptTokenCount: 267,
    candidatesTokenCount: 1_290,
    totalTokenCount: 1_557,
    promptTokensDetails: [
      { modality: "TEXT", tokenCount: 9 },
      { modality: "IMAGE", tokenCount: 258 },
    ],
    candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_290 }],
  },
};

const callOf = (body: JsonObject) => ({
  ...chatCall({}, { route: chatRoute({ upstreamModel: MODEL }) }),
  body: { model: "m", prompt: "With a hat", ...body },
});

const edit = ({ provider }: Bench, body: JsonObject) =>
  serve("openai_image_edits").answer(provider, callOf(body), never());

/** A file of a form, on the disk for as long as `use` takes. */
async function withFile<Result>(
  bytes: Uint8Array,
  use: (file: SpooledFile) => Promise<Result>,
  contentType: string | undefined = "image/png",
): Promise<Result> {
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeFile(path, bytes);
    const facts = { path, bytes: bytes.length, sha256: "", filename: "a.png" };
    return await use(new SpooledFile({ ...facts, contentType }));
  } finally {
    await Deno.remove(path);
  }
}

/** The parts of what is sent. */
function partsSent({ sent }: Bench): readonly JsonObject[] {
  return asArray(asObject(asArray(sent().contents)[0])!.parts) as JsonObject[];
}

for (const bytes of [1, 2, 3, 49_151, 49_152, 49_153, 1_000_000]) {
  Deno.test(`a file of ${bytes} bytes is within the body as it is`, async () => {
    const content = Buffer.alloc(bytes, "Tollgate is a gateway");
    await using at = await bench({ script: jsonReply(ANSWER) });
    const { body, usage } = await withFile(content, (image) => edit(at, { image: [image, image] }));
    const inline = { inlineData: { mimeType: "image/png", data: content.toString("base64") } };
    assert.deepEqual(partsSent(at), [{ text: "With a hat" }, inline, inline]);
    const { headers } = at.upstream.requests[0]!;
    assert.equal(Number(headers.get("content-length")), at.upstream.requests[0]!.body.length);
    assert.deepEqual(body.data, [{ b64_json: MADE }]);
    assert.deepEqual(usage, {
      input: 9,
      inputImage: 258,
      output: 0,
      outputImage: 1_290,
      imageOut: 1,
    });
    assert.deepEqual(asObject(body.usage)!.input_tokens_details, {
      text_tokens: 9,
      image_tokens: 258,
    });
  });
}

Deno.test("each of several is asked for with the images, and all are paid for", async () => {
  await using at = await bench({ script: jsonReply(ANSWER) });
  const { usage } = await withFile(PNG, (image) => edit(at, { image, n: 2 }));
  assert.equal(at.upstream.requests.length, 2);
  for (const request of at.upstream.requests) {
    assert.ok(request.body.includes(PNG.toString("base64")));
  }
  assert.deepEqual([usage!.inputImage, usage!.imageOut], [516, 2]);
});

Deno.test("images of JSON are taken as data URLs", async () => {
  await using at = await bench({ script: jsonReply(ANSWER) });
  const images = [
    { image_url: "data:image/webp;base64,AAAA" },
    { image_url: { url: "data:image/jpeg;base64,BBBB" } },
  ];
  await edit(at, { images });
  assert.deepEqual(partsSent(at).slice(1), [
    { inlineData: { mimeType: "image/webp", data: "AAAA" } },
    { inlineData: { mimeType: "image/jpeg", data: "BBBB" } },
  ]);
});

Deno.test("a stream tells an edit as done", async () => {
  await using at = await bench({ script: jsonReply(ANSWER) });
  const call = callOf({ image: "data:image/png;base64,AAAA", stream: true });
  const { provider } = at;
  const events = await readAll(await serve("openai_image_edits").stream(provider, call, never()));
  assert.deepEqual(events.map(({ chunk, finished }) => [chunk.type, finished]), [
    ["image_edit.completed", true],
  ]);
});

Deno.test("an image says what it is where its sender does not", async () => {
  const heads = [
    [PNG, "image/png"],
    [Buffer.from("\xff\xd8\xff\xe0", "latin1"), "image/jpeg"],
    [Buffer.from("RIFF\0\0\0\0WEBPVP8 ", "latin1"), "image/webp"],
    [Buffer.from("\0\0\0\x18ftypheic", "latin1"), "image/heic"],
  ] as const;
  for (const [head, type] of heads) {
    for (const told of ["application/octet-stream", undefined]) {
      await using at = await bench({ script: jsonReply(ANSWER) });
      await withFile(head, (image) => edit(at, { image }), told ?? "");
      assert.equal(asObject(partsSent(at)[1]!.inlineData)!.mimeType, type);
    }
  }
});

const REFUSED: readonly (readonly [string, JsonObject, string])[] = [
  ["a mask", { image: "data:image/png;base64,AAAA", mask: "data:image/png;base64,AAAA" }, "mask"],
  ["a file by its id", { images: [{ file_id: "file-1" }] }, "images[0]"],
  ["an address", { images: [{ image_url: "http://10.0.0.1/a.png" }] }, "images[0]"],
  ["words", { image: "not an image" }, "image"],
  ["nothing", { images: [{}] }, "images[0]"],
];
for (const [name, body, param] of REFUSED) {
  Deno.test(`${name} is refused by name, and nothing is asked`, async () => {
    await using at = await bench({ script: jsonReply(ANSWER) });
    const error = await failureOf(edit(at, body));
    assert.deepEqual([error.failure, error.status, error.param], ["caller", 400, param]);
    assert.match(error.publicMessage!, new RegExp(param.replace(/\W/g, "\\$&")));
    assert.equal(at.upstream.requests.length, 0);
  });
}

Deno.test("a file that is no image is refused by name", async () => {
  await using at = await bench({ script: jsonReply(ANSWER) });
  const text = new TextEncoder().encode("words");
  const error = await failureOf(withFile(text, (image) => edit(at, { image: [image] }), ""));
  assert.deepEqual([error.failure, error.param], ["caller", "image[0]"]);
  assert.equal(at.upstream.requests.length, 0);
});

Deno.test("what a prompt says is no image's place", async () => {
  await using at = await bench({ script: jsonReply(ANSWER) });
  const prompt = 'image:00000000-0000-4000-8000-000000000000:0; "}, \\u0000';
  await withFile(PNG, (image) => edit(at, { prompt, image }));
  assert.equal(partsSent(at)[0]!.text, prompt);
});

Deno.test("a file that is gone or has become shorter ends the attempt", async () => {
  for (const spoil of [(path: string) => Deno.truncate(path, 100_000), Deno.remove]) {
    await using at = await bench({ script: jsonReply(ANSWER) });
    const path = await Deno.makeTempFile();
    await Deno.writeFile(path, new Uint8Array(200_000));
    const facts = { path, bytes: 200_000, sha256: "", filename: "", contentType: "image/png" };
    await spoil(path);
    await assert.rejects(edit(at, { image: new SpooledFile(facts) }));
    await Deno.remove(path).catch(() => {});
  }
});

for (const name of ["gemini", "vertex"]) {
  Deno.test(`Imagen over ${name} makes no images of images`, () => {
    const fault = kindNamed(name)!.capabilityFault!;
    assert.equal(fault("image_edits", "imagen-4.0-generate-001"), "makes images of texts alone");
    assert.equal(fault("images", "imagen-4.0-generate-001"), undefined);
    assert.equal(fault("image_edits", MODEL), undefined);
  });
}

for (
  const [name, answer] of [
    ["no image", { candidates: [{ content: {}, finishReason: "NO_IMAGE" }] }],
    ["words", { candidates: [{ content: { parts: [{ text: "No" }] }, finishReason: "STOP" }] }],
    ["wrong types", { candidates: [{ content: { parts: [{ inlineData: { data: 7 } }] } }] }],
    ["nothing", {}],
  ] as const
) {
  Deno.test(`an upstream that answers an edit with ${name} has failed`, async () => {
    await using at = await bench({ script: jsonReply(answer) });
    const error = await failureOf(edit(at, { image: "data:image/png;base64,AAAA" }));
    assert.equal(error.failure, "broken");
  });
}

Deno.test("absurd counts of an edit are not believed", async () => {
  const usageMetadata = { ...ANSWER.usageMetadata, promptTokenCount: -1, totalTokenCount: 1e300 };
  await using at = await bench({ script: jsonReply({ ...ANSWER, usageMetadata }) });
  const { usage } = await edit(at, { image: "data:image/png;base64,AAAA" });
  for (const count of Object.values(usage!)) assert.ok(Number.isSafeInteger(count) && count >= 0);
});
