import assert from "node:assert/strict";
import type { VideoForm } from "../../../../src/providers/openai_compatible/videos/form_memory.ts";
import {
  type RecordedVideoRequest,
  startFakeVideoServer,
} from "../../../support/fake_video_server.ts";
import { failureOf, never } from "../../../support/provider_parts.ts";
import { REFERENCE, videoOrder, videosAt } from "../../../support/video_order.ts";

function formsOf(requests: readonly RecordedVideoRequest[]): VideoForm[] {
  return requests.map(({ form }) => form === undefined ? "json" : "multipart");
}

function refused(status: number, message: string): Response {
  return Response.json({ detail: message }, { status });
}

Deno.test("the other form is tried once, and remembered", async () => {
  await using upstream = startFakeVideoServer({ manners: "sglang" });
  const videos = videosAt(upstream.url);
  await videos.start(videoOrder(), never());
  assert.deepEqual(formsOf(upstream.requests), ["multipart", "json"]);
  assert.equal(upstream.jobs.size, 1);
  await videos.start(videoOrder(), never());
  await videos.start(videoOrder(), never());
  assert.deepEqual(formsOf(upstream.requests).slice(2), ["json", "json"]);
});

Deno.test("orders with an image have a memory of their own", async () => {
  await using upstream = startFakeVideoServer({ manners: "sglang" });
  const videos = videosAt(upstream.url);
  await videos.start(videoOrder(), never());
  await videos.start(videoOrder({ reference: REFERENCE }), never());
  await videos.start(videoOrder(), never());
  assert.deepEqual(formsOf(upstream.requests), ["multipart", "json", "multipart", "json"]);
});

Deno.test("each of the three statuses of a refusal leads to the other form", async () => {
  for (const status of [400, 415, 422]) {
    for (const videoForm of ["json", "multipart"] as const) {
      await using upstream = startFakeVideoServer({ manners: "openai" });
      upstream.behave({
        answer: (request) =>
          formsOf([request])[0] === videoForm ? refused(status, "Unexpected body") : undefined,
      });
      await videosAt(upstream.url, { settings: { own: { video_form: videoForm } } }).start(
        videoOrder(),
        never(),
      );
      const other = videoForm === "json" ? "multipart" : "json";
      assert.deepEqual(formsOf(upstream.requests), [videoForm, other]);
    }
  }
});

Deno.test("nothing else leads to the other form", async () => {
  const videos = [401, 402, 403, 404, 405, 409, 413, 429, 500, 502, 503, 302, 200].map(
    async (status) => {
      await using upstream = startFakeVideoServer({ manners: "openai" });
      upstream.behave({ answer: () => refused(status, "No") });
      await failureOf(videosAt(upstream.url).start(videoOrder(), never()));
      assert.equal(upstream.requests.length, 1, String(status));
    },
  );
  await Promise.all(videos);
});

Deno.test("an accepted answer that cannot be used is not sent again", async () => {
  const answers = [
    () => Response.json({ status: "queued" }),
    () => Response.json({ id: "" }),
    () => Response.json({ id: ".." }),
    () => Response.json({ id: 7 }),
    () => new Response("<html>", { headers: { "content-type": "text/html" } }),
    () => new Response("not JSON"),
  ];
  for (const answer of answers) {
    await using upstream = startFakeVideoServer({ manners: "openai" });
    upstream.behave({ answer });
    await failureOf(videosAt(upstream.url).start(videoOrder(), never()));
    assert.equal(upstream.requests.length, 1);
  }
});

Deno.test("a refused order is the order's fault where its form was accepted before", async () => {
  await using upstream = startFakeVideoServer({ manners: "openai" });
  const videos = videosAt(upstream.url);
  await videos.start(videoOrder(), never());
  upstream.behave({ errors: [{ verb: "start", status: 400, times: 1, message: "Bad size" }] });
  const error = await failureOf(videos.start(videoOrder(), never()));
  assert.equal(error.failure, "caller");
  assert.equal(error.publicMessage, "Bad size");
  assert.deepEqual(formsOf(upstream.requests), ["multipart", "multipart"]);
});

Deno.test("another server behind the same URL is noticed by the second refusal in a row", async () => {
  await using upstream = startFakeVideoServer({ manners: "sglang" });
  const videos = videosAt(upstream.url);
  const job = () => Response.json({ id: "video_1" });
  upstream.behave({ answer: ({ form }) => form === undefined ? refused(422, "No") : job() });
  await videos.start(videoOrder(), never());
  upstream.behave({ answer: undefined });
  await failureOf(videos.start(videoOrder(), never()));
  await videos.start(videoOrder(), never());
  await videos.start(videoOrder(), never());
  assert.deepEqual(formsOf(upstream.requests), [
    "multipart",
    "multipart",
    "multipart",
    "json",
    "json",
  ]);
});

Deno.test("a 415 leads to the other form although the first was accepted before", async () => {
  await using upstream = startFakeVideoServer({ manners: "openai" });
  const videos = videosAt(upstream.url);
  await videos.start(videoOrder(), never());
  upstream.behave({ errors: [{ verb: "start", status: 415, times: 1 }] });
  await videos.start(videoOrder(), never());
  assert.deepEqual(formsOf(upstream.requests), ["multipart", "multipart", "json"]);
});

Deno.test("of two refusals the one about the order is told", async () => {
  const rows: readonly [multipart: Response, json: Response, told: string][] = [
    [refused(400, "input_reference file is required"), refused(400, "Bad size"), "Bad size"],
    [refused(415, "Unsupported media type"), refused(422, "Bad seed"), "Bad seed"],
    [refused(400, "Prompt too long"), refused(422, "prompt: Field required"), "Prompt too long"],
  ];
  for (const [multipart, json, told] of rows) {
    await using upstream = startFakeVideoServer({ manners: "openai" });
    upstream.behave({ answer: ({ form }) => form === undefined ? json : multipart });
    const error = await failureOf(videosAt(upstream.url).start(videoOrder(), never()));
    assert.equal(error.failure, "caller");
    assert.equal(error.publicMessage, told);
    assert.equal(upstream.requests.length, 2);
  }
});

Deno.test("a failure of the second form that is no refusal is the one that counts", async () => {
  await using upstream = startFakeVideoServer({ manners: "openai" });
  upstream.behave({
    answer: ({ form }) => form === undefined ? refused(503, "Loading") : refused(400, "No"),
  });
  const error = await failureOf(videosAt(upstream.url).start(videoOrder(), never()));
  assert.equal(error.failure, "broken");
  assert.equal(error.status, 503);
});
