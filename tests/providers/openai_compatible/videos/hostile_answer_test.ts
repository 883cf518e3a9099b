import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { UpstreamJob } from "../../../../src/domain/video_task.ts";
import type { VideoUpstream } from "../../../../src/providers/contract/video_upstream.ts";
import {
  jsonReply,
  type Reply,
  startFakeUpstream,
  textReply,
} from "../../../support/fake_upstream.ts";
import { failureOf, never, TEST_KEY } from "../../../support/provider_parts.ts";
import { videoOrder, videosAt } from "../../../support/video_order.ts";

const JOB: UpstreamJob = { id: "video_1", keyReference: "env:ACME_KEY", startedAt: 0 };

const CALLS: readonly [verb: string, call: (videos: VideoUpstream) => Promise<unknown>][] = [
  ["start", (videos) => videos.start(videoOrder(), never())],
  ["status", (videos) => videos.status(JOB, never())],
  ["content", (videos) => videos.content(JOB, { from: 0, etag: undefined }, never())],
  ["cancel", (videos) => videos.cancel(JOB, never())],
];

const BOMB: Reply = {
  headers: { "content-type": "application/json", "content-encoding": "gzip" },
  steps: [gzipSync(new Uint8Array(50_000_000).fill(32))],
  framing: "length",
};

const ANSWERS: readonly [name: string, reply: Reply, verbs: readonly string[]][] = [
  ["10 MB of JSON", {
    ...jsonReply({ id: "video_1", status: "queued", padding: "x".repeat(10_000_000) }),
  }, ["start", "status"]],
  ["JSON without end", {
    headers: { "content-type": "application/json" },
    steps: ['{"id":"', "x".repeat(2_000_000), "stall!"],
  }, ["start", "status"]],
  ["a gzip bomb", BOMB, ["start", "status"]],
  ["a page", textReply("text/html", `<h1>${TEST_KEY}</h1>`), ["start", "status", "content"]],
  ["a page without a type", { steps: [`<h1>${TEST_KEY}</h1>`] }, ["start", "status"]],
  ["nothing", { steps: [], framing: "length" }, ["start", "status"]],
  ["a list", jsonReply([1, 2]), ["start", "status"]],
  ["a number", jsonReply(7), ["start", "status"]],
  ["no id and no status", jsonReply({ object: "video" }), ["start", "status"]],
  ["a status that is no word", jsonReply({ status: { a: 1 } }), ["start", "status"]],
  ["an error in a 200", jsonReply({ error: { message: `No: ${TEST_KEY}` } }), ["start", "status"]],
  ["a redirect", {
    status: 302,
    headers: { location: `http://169.254.169.254/${TEST_KEY}` },
    steps: [],
  }, ["start", "status", "content", "cancel"]],
  ["a page with a 500", {
    ...textReply("text/html", `<h1>${TEST_KEY}</h1>`, { status: 500 }),
  }, ["start", "status", "content", "cancel"]],
  ["10 MB with a 500", {
    ...textReply("text/plain", TEST_KEY.repeat(500_000), { status: 500 }),
  }, ["start", "status", "content", "cancel"]],
  ["a bomb with a 500", { ...BOMB, status: 500 }, ["start", "status", "content", "cancel"]],
  ["a cut head", { framing: "raw", steps: ["HTTP/1.1 200 OK\r\ncont", "cut!"] }, [
    "start",
    "status",
    "content",
    "cancel",
  ]],
];

for (const [name, reply, verbs] of ANSWERS) {
  Deno.test(`an upstream that answers with ${name} is broken, once, and shows no key`, async () => {
    for (const [verb, call] of CALLS) {
      if (!verbs.includes(verb)) continue;
      await using upstream = await startFakeUpstream(reply);
      const error = await failureOf(call(videosAt(upstream.url)));
      assert.equal(error.failure, "broken", verb);
      const shown = [error.message, error.publicMessage, error.code, String(error.cause)].join();
      assert.ok(!shown.includes(TEST_KEY), shown);
      assert.ok(shown.length < 1_500);
      assert.equal(upstream.requests.length, 1);
    }
  });
}

Deno.test("an id that is an attack stays in the path of its own job", async () => {
  const ids = ["../../admin", "a/../../b?x=1#y", "%00", "..%2f..%2f", "http://evil.test/"];
  for (const id of ids) {
    await using upstream = await startFakeUpstream((request): Reply =>
      jsonReply({ id, status: "queued", target: request.target })
    );
    const videos = videosAt(upstream.url);
    const job = await videos.start(videoOrder(), never());
    assert.equal(job.id, id);
    await videos.status(job, never());
    await videos.cancel(job, never());
    for (const { target } of upstream.requests.slice(1)) {
      assert.equal(target, `/v1/videos/${encodeURIComponent(id)}`);
    }
  }
});

Deno.test("an id that no URL can carry is refused when it comes, and when it is stored", async () => {
  for (const id of ["", "..", "a\r\nx-evil: 1", "\0", "x".repeat(513)]) {
    await using upstream = await startFakeUpstream(jsonReply({ id, status: "queued" }));
    const videos = videosAt(upstream.url);
    assert.equal((await failureOf(videos.start(videoOrder(), never()))).failure, "broken");
    const job = { ...JOB, id };
    for (const [verb, call] of CALLS.slice(1)) {
      const error = await failureOf(call({
        start: videos.start,
        status: (_job, signal) => videos.status(job, signal),
        content: (_job, options, signal) => videos.content(job, options, signal),
        cancel: (_job, signal) => videos.cancel(job, signal),
      }));
      assert.equal(error.failure, "broken", verb);
    }
    assert.equal(upstream.requests.length, 1);
  }
});

Deno.test("nothing of an order reaches URL or headers", async () => {
  await using upstream = await startFakeUpstream(jsonReply({ id: "video_1" }));
  const canary = "canary-7f3a";
  const fields = {
    base_url: `http://${canary}/`,
    headers: { "x-canary": canary },
    extra_headers: { authorization: canary },
    user: `${canary}\r\nx-canary: 1`,
  };
  await videosAt(upstream.url).start(videoOrder({ prompt: canary, fields }), never());
  assert.ok(!upstream.requests[0]!.head.includes(canary));
  assert.equal(upstream.requests[0]!.target, "/v1/videos");
});
