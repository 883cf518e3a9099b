/**
 * Films of Veo: ordered, asked after, fetched without the key from where they lie.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import type { UpstreamJob } from "../../../src/domain/video_task.ts";
import { systemClock } from "../../../src/domain/clock.ts";
import { createGemini } from "../../../src/providers/gemini/provider.ts";
import { vertexFilms } from "../../../src/providers/vertex/forms.ts";
import { readOperation } from "../../../src/providers/gemini/videos/read_operation.ts";
import { heldContent } from "../../../src/providers/gemini/videos/held_content.ts";
import { createTransport } from "../../../src/providers/transport/transport.ts";
import { sampleFilm } from "../../support/fake_video_server.ts";
import { type FakeVeo, startFakeVeo } from "../../support/fake_veo.ts";
import { failureOf, never, providerSettings } from "../../support/provider_parts.ts";
import { readFilm, REFERENCE, videoOrder, videoRoute } from "../../support/video_order.ts";

const KEY = "AIza-veo-key-0123456789";
const ORDER = videoOrder({ route: videoRoute({ upstreamModel: "veo-3.1" }), seconds: 8 });
const CONCEALED = { secrets: [], host: "" };

function videosOf(veo: FakeVeo) {
  const clock = systemClock;
  return createGemini(
    providerSettings({
      kind: "gemini",
      baseUrl: veo.url,
      auth: { kind: "header", name: "x-goog-api-key" },
    }),
    { transport: createTransport({ clock }), clock, random: Math.random, secrets: () => KEY },
  ).videos;
}

Deno.test("a film is ordered, asked after until it is done, and fetched over a redirect without the key", async () => {
  const film = sampleFilm(300_001);
  await using veo = startFakeVeo(film);
  const videos = videosOf(veo);
  const job = await videos.start(
    { ...ORDER, reference: REFERENCE, fields: { negative_prompt: "rain" } },
    never(),
  );
  assert.equal(job.id, "models/veo-3.1/operations/op-0");
  assert.equal(job.keyReference, "env:ACME_KEY");
  assert.deepEqual(veo.of("start")[0]!.json, {
    instances: [{
      prompt: "A café at dawn, 雨",
      image: { bytesBase64Encoded: REFERENCE.bytes.toBase64(), mimeType: "image/png" },
    }],
    parameters: {
      aspectRatio: "16:9",
      resolution: "720p",
      durationSeconds: 8,
      negativePrompt: "rain",
      sampleCount: 1,
    },
  });
  assert.equal((await videos.status(job, never())).status, "in_progress");
  assert.equal((await videos.status(job, never())).status, "completed");
  const content = await videos.content(job, { from: 0, etag: undefined }, never());
  assert.deepEqual(await readFilm(content!), film);
  assert.equal(content!.totalBytes, film.length);
  for (const verb of ["start", "poll", "download"] as const) {
    for (const { headers } of veo.of(verb)) assert.equal(headers.get("x-goog-api-key"), KEY, verb);
  }
  assert.equal(veo.of("storage").length, 1);
  for (const { headers } of veo.of("storage")) {
    assert.ok(![...headers.values()].some((value) => value.includes(KEY)));
  }
  const rest = await videos.content(job, { from: 300_000, etag: content!.etag }, never());
  assert.equal(rest!.from, 300_000);
  assert.deepEqual(await readFilm(rest!), film.subarray(300_000));
});

const SIZES: readonly (readonly [string, string, string])[] = [
  ["1280x720", "16:9", "720p"],
  ["720x1280", "9:16", "720p"],
  ["1920x1080", "16:9", "1080p"],
  ["1080x1920", "9:16", "1080p"],
  ["3840x2160", "16:9", "4k"],
  ["2160x3840", "9:16", "4k"],
];
Deno.test("each size has its words, and no other one is asked for", async () => {
  await using veo = startFakeVeo(sampleFilm(10));
  const videos = videosOf(veo);
  for (const [size, aspectRatio, resolution] of SIZES) {
    await videos.start({ ...ORDER, size }, never());
    const { parameters } = veo.of("start").at(-1)!.json as { parameters: JsonObject };
    assert.deepEqual([parameters.aspectRatio, parameters.resolution], [aspectRatio, resolution]);
  }
  const before = veo.requests.length;
  const { failure, param } = await failureOf(videos.start({ ...ORDER, size: "640x360" }, never()));
  assert.deepEqual([failure, param, veo.requests.length], ["caller", "size", before]);
});

Deno.test("an operation that is gone is lost, and so it is ordered again", async () => {
  await using veo = startFakeVeo(sampleFilm(10));
  const videos = videosOf(veo);
  const job = await videos.start(ORDER, never());
  veo.behaviour.forgotten.add(job.id);
  assert.equal((await videos.status(job, never())).status, "lost");
  assert.equal(await videos.content(job, { from: 0, etag: undefined }, never()), undefined);
});

/** What an operation says, and what becomes of the task. */
const ENDINGS: readonly (readonly [string, JsonObject, unknown])[] = [
  ["not done", { name: "o" }, ["in_progress", undefined, undefined]],
  ["done", {
    done: true,
    response: { generateVideoResponse: { generatedSamples: [{ video: { uri: "https://a/b" } }] } },
  }, ["completed", undefined, undefined]],
  ["done, in the answer", { done: true, response: { videos: [{ bytesBase64Encoded: "AAAA" }] } }, [
    "completed",
    undefined,
    undefined,
  ]],
  ["filtered", {
    done: true,
    response: {
      generateVideoResponse: {
        raiMediaFilteredCount: 1,
        raiMediaFilteredReasons: ["The prompt shows a child."],
      },
    },
  }, ["failed", "content_policy_violation", "The prompt shows a child."]],
  ["filtered without a word", { done: true, response: { raiMediaFilteredCount: 2 } }, [
    "failed",
    "content_policy_violation",
    "The film was kept back by the upstream's filters",
  ]],
  ["an error", { done: true, error: { code: 13, message: "Internal error", status: "INTERNAL" } }, [
    "failed",
    "internal",
    "Internal error",
  ]],
  ["done without anything", { done: true }, [
    "failed",
    undefined,
    "The upstream's operation ended without a film",
  ]],
  ["of wrong types", { done: true, response: { generateVideoResponse: [1] } }, [
    "failed",
    undefined,
    "The upstream's operation ended without a film",
  ]],
];
for (const [name, operation, told] of ENDINGS) {
  Deno.test(`an operation that is ${name} is told as a task`, () => {
    const { status, error } = readOperation(operation, CONCEALED);
    assert.deepEqual([status, error?.code, error?.message], told);
  });
}

const NAMES = [
  "../../secrets/1",
  "a",
  "models/x/operations/../..",
  "models/x/op?key=1",
  "",
  "a//b",
  7,
];
Deno.test("a name that leads elsewhere is no operation", async () => {
  await using veo = startFakeVeo(sampleFilm(10));
  const videos = videosOf(veo);
  for (const name of NAMES) {
    veo.behaviour.refusal = { status: 200, body: { name } };
    const { failure, isUnanswered } = await failureOf(videos.start(ORDER, never()));
    assert.deepEqual([failure, isUnanswered], ["broken", true], String(name));
    const job: UpstreamJob = { id: String(name), keyReference: undefined, startedAt: 0 };
    const before = veo.requests.length;
    assert.equal((await failureOf(videos.status(job, never()))).failure, "broken");
    assert.equal(veo.requests.length, before);
  }
});

Deno.test("a film is fetched neither from a private network nor over redirects without end", async () => {
  await using veo = startFakeVeo(sampleFilm(10));
  veo.behaviour.pollsUntilDone = 0;
  const videos = videosOf(veo);
  const job = await videos.start(ORDER, never());
  for (
    const to of [
      "http://10.0.0.1/film.mp4",
      "file:///etc/passwd",
      `${veo.url}/v1beta/files/x:download`,
    ]
  ) {
    veo.behaviour.redirectTo = to;
    const error = await failureOf(videos.content(job, { from: 0, etag: undefined }, never()));
    assert.ok(["broken", "caller"].includes(error.failure), to);
  }
});

Deno.test("a film in an answer is given piece by piece, on from where it was cut", async () => {
  const film = sampleFilm(600_000);
  const base64 = film.toBase64();
  const whole = heldContent(base64, { from: 0 });
  assert.equal(whole.totalBytes, film.length);
  assert.deepEqual(await readFilm(whole), film);
  assert.deepEqual(await readFilm(heldContent(base64, { from: 599_999 })), film.subarray(599_999));
  assert.equal(heldContent(base64, { from: 600_001 }).from, 0);
  assert.throws(() => heldContent("no base64!", { from: 0 }), /no base64/);
});

Deno.test("Google's cloud is asked after its operations by a question, and keeps films in buckets", () => {
  const form = vertexFilms((model) => `/models/${model}`);
  const operation = "projects/p/locations/l/publishers/google/models/veo-3.1/operations/1-2";
  assert.deepEqual(form.poll(operation), {
    method: "POST",
    path: "/models/veo-3.1:fetchPredictOperation",
    body: JSON.stringify({ operationName: operation }),
  });
  const url = form.urlOf("gs://bucket/a b/film.mp4")!;
  assert.equal(
    url,
    "https://storage.googleapis.com/storage/v1/b/bucket/o/a%20b%2Ffilm.mp4?alt=media",
  );
  assert.equal(form.isTrusted!(new URL(url)), true);
  assert.equal(form.isTrusted!(new URL("https://storage.googleapis.com.evil.example/x")), false);
  assert.equal(form.isTrusted!(new URL("http://storage.googleapis.com/x")), false);
});
