import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { systemClock } from "../../../../src/domain/clock.ts";
import type { UpstreamJob } from "../../../../src/domain/video_task.ts";
import { MAX_CONTENT_BYTES } from "../../../../src/domain/video_size.ts";
import { createFetchTransport } from "../../../../src/providers/transport/fetch_transport.ts";
import { type Reply, startFakeUpstream } from "../../../support/fake_upstream.ts";
import {
  type FakeVideoServer,
  sampleFilm,
  startFakeVideoServer,
} from "../../../support/fake_video_server.ts";
import { failureOf, never, TEST_KEY, timeouts } from "../../../support/provider_parts.ts";
import {
  readFilm,
  readFilmUntilFailure,
  videoOrder,
  videosAt,
} from "../../../support/video_order.ts";

const FILM = sampleFilm(200_000);
const JOB: UpstreamJob = { id: "video_1", keyReference: "env:ACME_KEY", startedAt: 0 };

/** An upstream with one finished job. */
async function withFilm(
  run: (upstream: FakeVideoServer, job: UpstreamJob) => Promise<void>,
): Promise<void> {
  await using upstream = startFakeVideoServer({ manners: "openai", film: FILM });
  upstream.behave({ steps: [{ status: "completed", progress: 100 }] });
  const videos = videosAt(upstream.url);
  const job = await videos.start(videoOrder(), never());
  await videos.status(job, never());
  await run(upstream, job);
}

Deno.test("content() goes on after a cut with the very next byte", async () => {
  await withFilm(async (upstream, job) => {
    const videos = videosAt(upstream.url);
    upstream.behave({ cut: { afterBytes: 70_001, times: 1 } });
    const first = await videos.content(job, { from: 0, etag: undefined }, never());
    const { bytes, error } = await readFilmUntilFailure(first!);
    assert.equal(error.failure, "broken");
    assert.ok(bytes.length > 0 && bytes.length <= 70_001, String(bytes.length));
    const { etag } = first!;
    const rest = await videos.content(job, { from: bytes.length, etag }, never());
    assert.equal(rest!.from, bytes.length);
    assert.equal(rest!.totalBytes, FILM.length);
    assert.equal(rest!.etag, etag);
    const whole = await new Blob([bytes.slice(), (await readFilm(rest!)).slice()]).bytes();
    assert.deepEqual(whole, FILM);
    const [, asked] = upstream.requestsFor("content");
    assert.equal(asked!.headers.get("range"), `bytes=${bytes.length}-`);
    assert.equal(asked!.headers.get("if-range"), etag);
    assert.equal(asked!.headers.get("authorization"), `Bearer ${TEST_KEY}`);
  });
});

Deno.test("content() gets a film whose every download is cut, piece by piece", async () => {
  await withFilm(async (upstream, job) => {
    const videos = videosAt(upstream.url);
    upstream.behave({ cut: { afterBytes: 30_000, times: Infinity } });
    const got = new Uint8Array(FILM.length);
    let at = 0;
    let etag: string | undefined;
    for (let attempt = 0; at < FILM.length && attempt < 50; attempt++) {
      const content = (await videos.content(job, { from: at, etag }, never()))!;
      assert.equal(content.from, at);
      etag = content.etag;
      try {
        for (let bytes = await content.read(); bytes !== undefined; bytes = await content.read()) {
          got.set(bytes, at);
          at += bytes.length;
        }
      } catch (error) {
        assert.equal((error as { failure: string }).failure, "broken");
      }
    }
    assert.deepEqual(got, FILM);
  });
});

Deno.test("content() starts over when the film has changed meanwhile", async () => {
  await withFilm(async (upstream, job) => {
    const other = sampleFilm(150_000).reverse();
    upstream.behave({ film: other, etag: '"film-2"' });
    const content = await videosAt(upstream.url).content(
      job,
      { from: 70_000, etag: '"film-1"' },
      never(),
    );
    assert.equal(content!.from, 0);
    assert.equal(content!.etag, '"film-2"');
    assert.deepEqual(await readFilm(content!), other);
    assert.equal(upstream.requestsFor("content").length, 1, "If-Range saves the second request");
  });
});

Deno.test("content() starts over when the upstream knows no ranges", async () => {
  await withFilm(async (upstream, job) => {
    upstream.behave({ hasRanges: false });
    const content = await videosAt(upstream.url).content(
      job,
      { from: 70_000, etag: '"film-1"' },
      never(),
    );
    assert.equal(content!.from, 0);
    assert.deepEqual(await readFilm(content!), FILM);
  });
});

Deno.test("content() goes on without an entity tag, and sends no weak one", async () => {
  await withFilm(async (upstream, job) => {
    const videos = videosAt(upstream.url);
    for (const etag of [undefined, 'W/"film-1"']) {
      upstream.behave({ etag });
      const content = await videos.content(job, { from: 199_990, etag }, never());
      assert.equal(content!.from, 199_990);
      assert.deepEqual(await readFilm(content!), FILM.subarray(199_990));
      assert.ok(!upstream.requests.at(-1)!.headers.has("if-range"));
    }
    // A weak tag is compared here instead.
    upstream.behave({ etag: 'W/"film-2"' });
    const other = await videos.content(job, { from: 199_990, etag: 'W/"film-1"' }, never());
    assert.equal(other!.from, 0);
    assert.deepEqual(await readFilm(other!), FILM);
  });
});

Deno.test("content() of a film that is all there has nothing more", async () => {
  await withFilm(async (upstream, job) => {
    const options = { from: FILM.length, etag: '"film-1"' };
    const content = await videosAt(upstream.url).content(job, options, never());
    assert.equal(content!.from, FILM.length);
    assert.equal(content!.totalBytes, FILM.length);
    assert.equal(await content!.read(), undefined);
    content!.close();
    const tooFar = { from: FILM.length + 5, etag: '"film-1"' };
    const again = await videosAt(upstream.url).content(job, tooFar, never());
    assert.equal(again!.from, 0);
    assert.deepEqual(await readFilm(again!), FILM);
  });
});

Deno.test("content() is not there while the upstream says so, in whatever way", async () => {
  await withFilm(async (upstream, job) => {
    const videos = videosAt(upstream.url);
    upstream.behave({ lateBy: 2 });
    for (let turn = 0; turn < 2; turn++) {
      assert.equal(await videos.content(job, { from: 0, etag: undefined }, never()), undefined);
    }
    const content = await videos.content(job, { from: 0, etag: undefined }, never());
    assert.deepEqual(await readFilm(content!), FILM);
    const answers: Response[] = [
      ...[202, 404, 409, 410, 425].map((status) => Response.json({ detail: "no" }, { status })),
      new Response(null, { status: 204 }),
      Response.json({ detail: "Generation is still in-progress" }, { status: 400 }),
      Response.json({ error: { message: "Video is not ready" } }, { status: 400 }),
      new Response("", { headers: { "content-type": "video/mp4", "content-length": "0" } }),
    ];
    for (const answer of answers) {
      upstream.behave({ answer: () => answer });
      const nothing = await videos.content(job, { from: 0, etag: undefined }, never());
      assert.equal(nothing, undefined, String(answer.status));
    }
    const failed = { detail: "Video generation failed. Check job status" };
    upstream.behave({ answer: () => Response.json(failed, { status: 400 }) });
    const error = await failureOf(videos.content(job, { from: 0, etag: undefined }, never()));
    assert.equal(error.status, 400);
  });
});

Deno.test("content() takes only what may be a film", async () => {
  await withFilm(async (upstream, job) => {
    const videos = videosAt(upstream.url);
    const types = [
      "text/html",
      "application/json",
      "text/plain",
      "image/png",
      "multipart/byteranges",
    ];
    for (const filmType of types) {
      upstream.behave({ filmType });
      for (const from of [0, 1_000]) {
        const error = await failureOf(videos.content(job, { from, etag: undefined }, never()));
        assert.equal(error.failure, "broken");
        assert.equal(
          error.message,
          `The upstream answered with ${filmType} where a film was asked`,
        );
      }
    }
    for (const filmType of ["video/mp4", "Video/WebM", "application/octet-stream; x=1"]) {
      upstream.behave({ filmType });
      const content = await videos.content(job, { from: 0, etag: undefined }, never());
      assert.deepEqual(await readFilm(content!), FILM, filmType);
    }
  });
});

const HEAD = "HTTP/1.1 206 Partial Content\r\ncontent-type: video/mp4\r\n";
const BAD_PARTS: readonly [name: string, head: string][] = [
  ["another place", `${HEAD}content-range: bytes 4-9/10\r\ncontent-length: 6\r\n\r\n456789`],
  ["no place", `${HEAD}content-length: 5\r\n\r\n56789`],
  ["a malformed place", `${HEAD}content-range: bytes=5-9/10\r\ncontent-length: 5\r\n\r\n56789`],
  [
    "several places",
    `${HEAD}content-range: bytes 5-6,8-9/10\r\ncontent-length: 5\r\n\r\n56789`,
  ],
  [
    "another film's tag",
    `${HEAD}etag: "b"\r\ncontent-range: bytes 5-9/10\r\ncontent-length: 5\r\n\r\n56789`,
  ],
  [
    "a coding",
    `${HEAD}content-encoding: gzip\r\ncontent-range: bytes 5-9/10\r\ncontent-length: 5\r\n\r\n56789`,
  ],
];

for (const [name, head] of BAD_PARTS) {
  Deno.test(`content() starts over after a part with ${name}`, async () => {
    await using upstream = await startFakeUpstream([
      { framing: "raw", steps: [head] },
      { headers: { "content-type": "video/mp4" }, steps: ["0123456789"], framing: "length" },
    ]);
    const content = await videosAt(upstream.url).content(JOB, { from: 5, etag: '"a"' }, never());
    assert.equal(content!.from, 0);
    assert.equal(new TextDecoder().decode(await readFilm(content!)), "0123456789");
    assert.ok(!upstream.requests[1]!.headers.has("range"));
  });
}

const CUT: readonly [name: string, reply: Reply, got: string][] = [
  ["its length", {
    headers: { "content-type": "video/mp4", "content-length": "10" },
    steps: ["0123", "cut!"],
    framing: "length",
  }, "0123"],
  [
    "its chunks",
    { headers: { "content-type": "video/mp4" }, steps: ["01234", "cut!"] },
    "01234",
  ],
  ["its range", {
    framing: "raw",
    steps: [`${HEAD}content-range: bytes 2-9/10\r\nconnection: close\r\n\r\n2345`, "cut!"],
  }, "2345"],
];

for (const [name, reply, got] of CUT) {
  Deno.test(`content() notices that a film is shorter than ${name} says`, async () => {
    await using upstream = await startFakeUpstream(reply);
    const from = name === "its range" ? 2 : 0;
    const content = await videosAt(upstream.url).content(JOB, { from, etag: undefined }, never());
    assert.equal(content!.from, from);
    const { bytes, error } = await readFilmUntilFailure(content!);
    assert.equal(error.failure, "broken");
    assert.equal(new TextDecoder().decode(bytes), got);
  });
}

Deno.test("content() notices that a film is longer than its range says", async () => {
  await using upstream = await startFakeUpstream({
    framing: "raw",
    steps: [
      `${HEAD}content-range: bytes 2-9/10\r\ntransfer-encoding: chunked\r\n\r\n` +
      "9\r\n23456789X\r\n0\r\n\r\n",
    ],
  });
  const content = await videosAt(upstream.url).content(JOB, { from: 2, etag: undefined }, never());
  const { error } = await readFilmUntilFailure(content!);
  assert.equal(error.message, "The upstream's film is longer than 10 bytes");
});

Deno.test("content() refuses a film beyond the cap, before a byte of it is read", async () => {
  const size = MAX_CONTENT_BYTES + 1;
  await using upstream = await startFakeUpstream([
    {
      headers: { "content-type": "video/mp4", "content-length": String(size) },
      steps: ["x", "stall!"],
      framing: "length",
    },
    {
      framing: "raw",
      steps: [`${HEAD}content-range: bytes 5-9/${size}\r\ncontent-length: 5\r\n\r\n56789`],
    },
  ]);
  const videos = videosAt(upstream.url);
  for (const from of [0, 5]) {
    const error = await failureOf(videos.content(JOB, { from, etag: undefined }, never()));
    assert.equal(error.message, `The upstream's film is larger than ${MAX_CONTENT_BYTES} bytes`);
  }
  await upstream.requests[0]!.closed;
});

Deno.test("content() refuses a part where nobody asked for one", async () => {
  await using upstream = await startFakeUpstream({
    framing: "raw",
    steps: [`${HEAD}content-range: bytes 0-4/10\r\ncontent-length: 5\r\n\r\n01234`],
  });
  const failed = videosAt(upstream.url).content(JOB, { from: 0, etag: undefined }, never());
  assert.equal((await failureOf(failed)).failure, "broken");
});

Deno.test("content() decodes a coding that nobody asked for, and counts decoded bytes", async () => {
  await using upstream = await startFakeUpstream({
    headers: { "content-type": "video/mp4", "content-encoding": "gzip" },
    steps: [gzipSync(FILM)],
    framing: "length",
  });
  const content = await videosAt(upstream.url).content(JOB, { from: 0, etag: undefined }, never());
  assert.equal(content!.totalBytes, undefined);
  assert.deepEqual(await readFilm(content!), FILM);
  assert.equal(upstream.requests[0]!.headers.get("accept-encoding"), "identity");
});

Deno.test("content() asks for no coding by the runtime's fetch either", async () => {
  await withFilm(async (upstream, job) => {
    const transport = createFetchTransport({ clock: systemClock });
    const videos = videosAt(upstream.url, { transport });
    const content = await videos.content(job, { from: 70_000, etag: '"film-1"' }, never());
    assert.equal(content!.from, 70_000);
    assert.deepEqual(await readFilm(content!), FILM.subarray(70_000));
    assert.equal(upstream.requests.at(-1)!.headers.get("accept-encoding"), "identity");
  });
});

Deno.test("content() gives no tag on that a header could not carry back", async () => {
  await using upstream = await startFakeUpstream([
    ...['"a b"', "bare", `"${"x".repeat(300)}"`, '"é"'].map((etag): Reply => ({
      headers: { "content-type": "video/mp4", etag },
      steps: ["0123456789"],
      framing: "length",
    })),
  ]);
  const videos = videosAt(upstream.url);
  for (let turn = 0; turn < 4; turn++) {
    const content = await videos.content(JOB, { from: 0, etag: undefined }, never());
    assert.equal(content!.etag, undefined);
    await readFilm(content!);
  }
});

Deno.test("a film that stalls ends at the idle limit, and one that is aborted at once", async () => {
  const stalling: Reply = {
    headers: { "content-type": "video/mp4", "content-length": "10" },
    steps: ["0123", "stall!"],
    framing: "length",
  };
  await using upstream = await startFakeUpstream(stalling);
  const settings = { timeouts: timeouts({ idleMs: 30 }) };
  const slow = await videosAt(upstream.url, { settings })
    .content(JOB, { from: 0, etag: undefined }, never());
  const late = await readFilmUntilFailure(slow!);
  assert.equal(late.error.message, "The upstream did not send more within 30 ms");
  const controller = new AbortController();
  const aborted = await videosAt(upstream.url)
    .content(JOB, { from: 0, etag: undefined }, controller.signal);
  await aborted!.read();
  const reading = failureOf(aborted!.read());
  controller.abort();
  assert.equal((await reading).failure, "aborted");
  const closed = await videosAt(upstream.url).content(JOB, { from: 0, etag: undefined }, never());
  closed!.close();
  closed!.close();
  await upstream.requests[2]!.closed;
});
