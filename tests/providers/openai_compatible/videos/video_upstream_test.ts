import assert from "node:assert/strict";
import { DEFAULT_VIDEO_FORM } from "../../../../src/providers/openai_compatible/videos/form_memory.ts";
import type { UpstreamJob } from "../../../../src/domain/video_task.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { sampleFilm, startFakeVideoServer } from "../../../support/fake_video_server.ts";
import { failureOf, never, TEST_KEY, timeouts } from "../../../support/provider_parts.ts";
import {
  readFilm,
  REFERENCE,
  videoOrder,
  videoRoute,
  videosAt,
} from "../../../support/video_order.ts";

const DATA_URL = "data:image/png;base64,iVBORwANCv8=";

for (const manners of ["vllm_omni", "sglang", "openai"] as const) {
  for (const reference of [undefined, REFERENCE]) {
    const kind = reference === undefined ? "a prompt" : "a prompt and an image";
    Deno.test(`videos make a film from ${kind} at a server with ${manners}'s manners`, async () => {
      const film = sampleFilm(300_001);
      await using upstream = startFakeVideoServer({ manners, film });
      const videos = videosAt(upstream.url);
      const job = await videos.start(videoOrder({ reference }), never());
      assert.ok(upstream.jobs.has(job.id));
      assert.equal(job.keyReference, "env:ACME_KEY");
      const seen: string[] = [];
      for (let poll = 0; seen.at(-1) !== "completed" && poll < 9; poll++) {
        const report = await videos.status(job, never());
        assert.equal(report.error, undefined);
        if (report.progress !== undefined) assert.ok(report.progress >= 0);
        if (seen.at(-1) !== report.status) seen.push(report.status);
      }
      assert.deepEqual(
        seen,
        manners === "sglang" ? ["queued", "completed"] : ["queued", "in_progress", "completed"],
      );
      const content = await videos.content(job, { from: 0, etag: undefined }, never());
      assert.equal(content?.from, 0);
      assert.equal(content?.totalBytes, film.length);
      assert.equal(content?.etag, '"film-1"');
      assert.deepEqual(await readFilm(content!), film);
      await videos.cancel(job, never());
      assert.deepEqual(upstream.cancelled, [job.id]);
      await videos.cancel(job, never());
      assert.equal((await videos.status(job, never())).status, "lost");

      const accepted = upstream.requestsFor("start").at(-1)!;
      const fields = accepted.form ?? accepted.json!;
      assert.equal(fields.prompt, "A café at dawn, 雨");
      assert.equal(fields.model, "wan-2");
      assert.equal(fields.size, "1280x720");
      assert.equal(fields.seconds, "4");
      const image = accepted.files.input_reference;
      assert.deepEqual(
        image && { ...image, bytes: [...image.bytes] },
        reference && {
          name: "reference.png",
          type: "image/png",
          bytes: [...REFERENCE.bytes],
        },
      );
      for (const request of upstream.requests) {
        assert.equal(request.headers.get("authorization"), `Bearer ${TEST_KEY}`, request.verb);
      }
    });
  }
}

Deno.test("start() sends the form that the setting names, an image in JSON as a data URL", async () => {
  await using upstream = startFakeVideoServer({ manners: "openai" });
  const json = videosAt(upstream.url, { settings: { own: { video_form: "json" } } });
  await json.start(videoOrder({ reference: REFERENCE }), never());
  assert.deepEqual(upstream.requests[0]!.json, {
    model: "wan-2",
    prompt: "A café at dawn, 雨",
    size: "1280x720",
    seconds: "4",
    input_reference: DATA_URL,
  });
  const unset = videosAt(upstream.url);
  await unset.start(videoOrder(), never());
  assert.equal(DEFAULT_VIDEO_FORM, "multipart");
  assert.deepEqual(upstream.requests[1]!.form, {
    model: "wan-2",
    prompt: "A café at dawn, 雨",
    size: "1280x720",
    seconds: "4",
  });
  assert.equal(upstream.requests.length, 2);
});

Deno.test("start() applies the route's rules to the caller's fields in both forms", async () => {
  await using upstream = startFakeVideoServer({ manners: "openai" });
  const route = videoRoute({
    body: {
      set: { size: "640x360", guidance: 7.5, flags: { a: [1, true] } },
      default: { fps: 24, seed: 1 },
      drop: ["negative_prompt", "model"],
    },
  });
  const order = videoOrder({
    route,
    fields: {
      seed: 99,
      negative_prompt: "rain",
      empty: null,
      prompt: "mine",
      model: "mine",
      seconds: 60,
      input_reference: "http://10.0.0.1/secret.png",
    },
  });
  await videosAt(upstream.url).start(order, never());
  await videosAt(upstream.url, { settings: { own: { video_form: "json" } } }).start(order, never());
  const common = {
    model: "wan-2",
    prompt: "A café at dawn, 雨",
    size: "640x360",
    seconds: "4",
  };
  assert.deepEqual(upstream.requests[0]!.form, {
    ...common,
    seed: "99",
    fps: "24",
    guidance: "7.5",
    flags: '{"a":[1,true]}',
  });
  assert.deepEqual(upstream.requests[1]!.json, {
    ...common,
    seed: 99,
    empty: null,
    fps: 24,
    guidance: 7.5,
    flags: { a: [1, true] },
  });
});

Deno.test("start() leaves the image out where the route drops it", async () => {
  await using upstream = startFakeVideoServer({ manners: "openai" });
  const route = videoRoute({ body: { drop: ["input_reference"] } });
  for (const videoForm of ["multipart", "json"] as const) {
    const videos = videosAt(upstream.url, { settings: { own: { video_form: videoForm } } });
    await videos.start(videoOrder({ route, reference: REFERENCE }), never());
  }
  assert.deepEqual(upstream.requests[0]!.files, {});
  assert.ok(!("input_reference" in upstream.requests[1]!.json!));
});

Deno.test("start() keeps text with quotes, line ends and boundaries whole in multipart", async () => {
  await using upstream = startFakeVideoServer({ manners: "vllm_omni" });
  const prompt = 'Say "hi"\r\n--boundary--\r\ncontent-disposition: x\u0000\ttab';
  await videosAt(upstream.url).start(videoOrder({ prompt }), never());
  assert.equal(upstream.requests[0]!.form!.prompt, prompt);
});

const TWO_KEYS = {
  settings: { apiKeys: ["env:A", "env:B"] },
  secrets: (reference: string) => ({ "env:A": "key-aaaaaaaa", "env:B": "key-bbbbbbbb" })[reference],
};

Deno.test("every request of a job has the credential that it was started with", async () => {
  await using upstream = startFakeVideoServer({ manners: "openai" });
  const videos = videosAt(upstream.url, TWO_KEYS);
  const jobs = [
    await videos.start(videoOrder(), never()),
    await videos.start(videoOrder(), never()),
  ];
  assert.deepEqual(jobs.map(({ keyReference }) => keyReference), ["env:A", "env:B"]);
  for (let poll = 0; poll < 3; poll++) for (const job of jobs) await videos.status(job, never());
  for (const job of jobs.toReversed()) {
    await readFilm((await videos.content(job, { from: 0, etag: undefined }, never()))!);
    await videos.cancel(job, never());
  }
  for (const [at, key] of ["key-aaaaaaaa", "key-bbbbbbbb"].entries()) {
    const mine = upstream.requests.filter(({ target }) => target.includes(jobs[at]!.id));
    assert.equal(mine.length, 5);
    for (const request of mine) {
      assert.equal(request.headers.get("authorization"), `Bearer ${key}`, request.verb);
    }
  }
});

Deno.test("both forms of one start have the same credential", async () => {
  await using upstream = startFakeVideoServer({ manners: "sglang" });
  const job = await videosAt(upstream.url, TWO_KEYS).start(videoOrder(), never());
  assert.equal(job.keyReference, "env:A");
  assert.deepEqual(
    upstream.requests.map(({ headers }) => headers.get("authorization")),
    ["Bearer key-aaaaaaaa", "Bearer key-aaaaaaaa"],
  );
});

Deno.test("a job keeps its credential after the operator took the key from the list", async () => {
  await using upstream = startFakeVideoServer({ manners: "openai" });
  const job = await videosAt(upstream.url, TWO_KEYS).start(videoOrder(), never());
  const later = videosAt(upstream.url, { ...TWO_KEYS, settings: { apiKeys: ["env:B"] } });
  await later.status(job, never());
  assert.equal(upstream.requests.at(-1)!.headers.get("authorization"), "Bearer key-aaaaaaaa");
  upstream.behave({ errors: [{ verb: "status", status: 401, times: 1, message: "key-aaaaaaaa" }] });
  const error = await failureOf(later.status(job, never()));
  assert.ok(!JSON.stringify([error.message, error.publicMessage]).includes("key-aaaaaaaa"));
});

Deno.test("a former key that was changed is taken up like any other", async () => {
  await using upstream = startFakeVideoServer({ manners: "openai" });
  const clock = new FakeClock();
  let key = "key-old-12345";
  const videos = videosAt(upstream.url, {
    clock,
    settings: { apiKeys: ["env:B"] },
    secrets: (reference) => reference === "env:A" ? key : "key-bbbbbbbb",
  });
  const job: UpstreamJob = { id: "video_1", keyReference: "env:A", startedAt: 0 };
  await videos.status(job, never());
  key = "key-new-12345";
  clock.advance(30_000);
  await videos.status(job, never());
  assert.deepEqual(
    upstream.requests.map(({ headers }) => headers.get("authorization")),
    ["Bearer key-old-12345", "Bearer key-new-12345"],
  );
});

Deno.test("a job whose key is gone is the operator's fault, and calls nobody", async () => {
  await using upstream = startFakeVideoServer({ manners: "openai" });
  const job: UpstreamJob = { id: "video_1", keyReference: "env:GONE", startedAt: 0 };
  const error = await failureOf(videosAt(upstream.url, TWO_KEYS).status(job, never()));
  assert.equal(error.failure, "operator");
  assert.match(error.message, /env:GONE, has no value any more/);
  assert.equal(upstream.requests.length, 0);
});

Deno.test("a job that was started without a key is asked after without one", async () => {
  await using upstream = startFakeVideoServer({ manners: "vllm_omni" });
  const keyless = { apiKeys: [], auth: { kind: "none" } } as const;
  const job = await videosAt(upstream.url, { settings: keyless }).start(videoOrder(), never());
  assert.equal(job.keyReference, undefined);
  await videosAt(upstream.url).status(job, never());
  for (const { headers } of upstream.requests) assert.ok(!headers.has("authorization"));
});

Deno.test("status() says that a job is lost when the upstream has restarted", async () => {
  await using upstream = startFakeVideoServer({ manners: "vllm_omni" });
  const videos = videosAt(upstream.url);
  const job = await videos.start(videoOrder(), never());
  assert.equal((await videos.status(job, never())).status, "queued");
  upstream.forgetJobs();
  assert.deepEqual(await videos.status(job, never()), {
    status: "lost",
    progress: undefined,
    error: undefined,
  });
  upstream.behave({ errors: [{ verb: "status", status: 410, times: 1 }] });
  assert.equal((await videos.status(job, never())).status, "lost");
});

Deno.test("status() passes the upstream's failure on, cleaned", async () => {
  for (const manners of ["vllm_omni", "sglang", "openai"] as const) {
    await using upstream = startFakeVideoServer({ manners });
    upstream.behave({
      steps: [{ status: "failed" }],
      failure: `CUDA out of memory at http://127.0.0.1:9/ with ${TEST_KEY}`,
    });
    const videos = videosAt(upstream.url);
    const job = await videos.start(videoOrder(), never());
    const report = await videos.status(job, never());
    assert.equal(report.status, "failed");
    assert.equal(report.error?.message, "CUDA out of memory at [url] with [redacted]");
  }
});

Deno.test("status() believes a failed job whose answer has the failure's own status", async () => {
  await using upstream = startFakeVideoServer({ manners: "vllm_omni" });
  const videos = videosAt(upstream.url);
  const job = await videos.start(videoOrder(), never());
  const failed = { id: job.id, status: "failed", error: { code: 500, message: "Out of memory" } };
  for (const status of [500, 422, 404]) {
    upstream.behave({ answer: () => Response.json(failed, { status }) });
    const report = await videos.status(job, never());
    assert.deepEqual(report.error, { code: undefined, message: "Out of memory" }, String(status));
  }
  // Another job's failure, or a page that says so, is none of this one's.
  upstream.behave({ answer: () => Response.json({ ...failed, id: "other" }, { status: 500 }) });
  assert.equal((await failureOf(videos.status(job, never()))).failure, "broken");
});

const QUESTION_ERRORS: readonly [status: number, failure: string][] = [
  [401, "operator"],
  [403, "operator"],
  [429, "busy"],
  [500, "broken"],
  [502, "broken"],
  [503, "broken"],
];

Deno.test("a question that cannot be answered is an error, and says nothing about the job", async () => {
  await using upstream = startFakeVideoServer({ manners: "openai" });
  const videos = videosAt(upstream.url);
  const job = await videos.start(videoOrder(), never());
  for (const [status, failure] of QUESTION_ERRORS) {
    for (const verb of ["status", "content", "cancel"] as const) {
      upstream.behave({ errors: [{ verb, status, times: 1, message: `Bad key ${TEST_KEY}` }] });
      const error = await failureOf(
        verb === "content"
          ? videos.content(job, { from: 0, etag: undefined }, never())
          : videos[verb](job, never()),
      );
      assert.equal(error.failure, failure, `${verb} ${status}`);
      assert.equal(error.status, status);
      assert.ok(!`${error.message} ${error.publicMessage}`.includes(TEST_KEY));
    }
  }
  assert.equal((await videos.status(job, never())).status, "queued");
});

Deno.test("a busy upstream says when to come back", async () => {
  await using upstream = startFakeVideoServer({ manners: "openai" });
  upstream.behave({
    errors: [{ verb: "start", status: 429, times: 1, headers: { "retry-after": "17" } }],
  });
  const error = await failureOf(videosAt(upstream.url).start(videoOrder(), never()));
  assert.equal(error.failure, "busy");
  assert.equal(error.retryAfterSeconds, 17);
  assert.equal(upstream.requests.length, 1, "a busy upstream is not asked in the other form");
});

Deno.test("cancel() is content with an upstream that cannot, or will do it soon", async () => {
  await using upstream = startFakeVideoServer({ manners: "vllm_omni" });
  const videos = videosAt(upstream.url);
  const job = await videos.start(videoOrder(), never());
  for (const status of [404, 405, 409, 410, 501]) {
    upstream.behave({ errors: [{ verb: "cancel", status, times: 1 }] });
    await videos.cancel(job, never());
  }
  assert.deepEqual(upstream.cancelled, []);
});

Deno.test("an abort ends each request at once", async () => {
  await using upstream = startFakeVideoServer({ manners: "openai" });
  const videos = videosAt(upstream.url);
  const job = await videos.start(videoOrder(), never());
  const never_ = new Promise(() => {});
  upstream.behave({ gates: { start: never_, status: never_, content: never_, cancel: never_ } });
  const calls = [
    ["start", 1, (signal: AbortSignal) => videos.start(videoOrder(), signal)],
    ["status", 0, (signal: AbortSignal) => videos.status(job, signal)],
    [
      "content",
      0,
      (signal: AbortSignal) => videos.content(job, { from: 0, etag: undefined }, signal),
    ],
    ["cancel", 0, (signal: AbortSignal) => videos.cancel(job, signal)],
  ] as const;
  for (const [verb, index, call] of calls) {
    const controller = new AbortController();
    const failed = failureOf(call(controller.signal) as Promise<unknown>);
    await upstream.received(verb, index);
    controller.abort();
    assert.equal((await failed).failure, "aborted", verb);
  }
  assert.equal(upstream.requestsFor("start").length, 2, "an aborted start is not sent again");
});

Deno.test("each request ends at its time limit", async () => {
  await using upstream = startFakeVideoServer({ manners: "openai" });
  const patient = videosAt(upstream.url);
  const job = await patient.start(videoOrder(), never());
  const never_ = new Promise(() => {});
  upstream.behave({ gates: { start: never_, status: never_, content: never_, cancel: never_ } });
  const hasty = videosAt(upstream.url, {
    settings: { timeouts: timeouts({ firstByteMs: 30, totalMs: 60 }) },
  });
  const whole = "The upstream did not complete within 60 ms";
  assert.equal((await failureOf(hasty.start(videoOrder(), never()))).message, whole);
  assert.equal((await failureOf(hasty.status(job, never()))).message, whole);
  assert.equal((await failureOf(hasty.cancel(job, never()))).message, whole);
  const film = hasty.content(job, { from: 0, etag: undefined }, never());
  assert.equal(
    (await failureOf(film)).message,
    "The upstream did not begin to answer within 30 ms",
  );
});

Deno.test("a slow start is waited for beyond the limit for a stream's first byte", async () => {
  await using upstream = startFakeVideoServer({ manners: "openai" });
  const gate = Promise.withResolvers<void>();
  upstream.behave({ gates: { start: gate.promise } });
  const clock = new FakeClock();
  const job = videosAt(upstream.url, { clock }).start(videoOrder(), never());
  await upstream.received("start");
  clock.advance(120_000);
  gate.resolve();
  assert.equal((await job).startedAt, clock.now());
});
