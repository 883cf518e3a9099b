/**
 * A film that is deleted is gone: at once for its caller, soon from the disk and
 * the upstream, and paid for only if it had been completed before.
 *
 * @module
 */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { Buffer } from "node:buffer";
import { seededRandom } from "../../support/catalogue_parts.ts";
import { sampleFilm, startFakeVideoServer } from "../../support/fake_video_server.ts";
import { until } from "../../support/until.ts";
import { assertBooksClosed } from "../../support/films/film_books.ts";
import { type CreatedFilm, FilmGateway } from "../../support/films/film_gateway.ts";

/** Until the bytes of a deleted film are off the disk. */
const GONE_WITHIN_MS = 5_000;
const RACES = 50;
const SEED = Number(Deno.env.get("TOLLGATE_TEST_SEED") ?? Math.floor(Math.random() * 2 ** 31));

/** Nobody finds the task any more, and its files go. */
async function assertGone(films: FilmGateway, film: CreatedFilm): Promise<void> {
  for (const path of [`/videos/${film.id}`, `/videos/${film.id}/content`]) {
    const { status, body } = await films.json(path, { project: film.project });
    assert.deepEqual([status, body.error.code], [404, "video_not_found"], path);
  }
  const link = await fetch(`${films.url}/videos/${film.id}.mp4`);
  await link.body?.cancel();
  assert.equal(link.status, 404);
  assert.equal(await films.remove(film), 404, "a second time");
  await until(
    "its files to go",
    () => !films.folder().some((name) => name.startsWith(film.id)),
    { withinMs: GONE_WITHIN_MS },
  );
}

/** Its caller pays for as much of it as was done, and of one that nobody had begun nothing. */
async function assertPaidInPart(films: FilmGateway, film: CreatedFilm, most = 99): Promise<void> {
  const { state, result, video, pricing } = await films.call(film);
  const percent: number = video.percent ?? 0;
  assert.ok(percent <= most, `${percent} %`);
  assert.equal(video.deleted, percent === 0 ? "free" : "progress");
  assert.deepEqual([state, result, pricing.charged_amount], [
    percent === 0 ? "released" : "settled",
    "client_aborted",
    (percent * video.seconds * 0.0025).toFixed(8),
  ]);
}

Deno.test("DELETE of a queued film and of one that renders stops both and charges for what was done", async () => {
  await using films = await FilmGateway.start({ args: ["--video-workers", "1"] });
  const image =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const rendering = await films.create({ model: "slow", seconds: 4 });
  const queued = await films.create({ input_reference: `data:image/png;base64,${image}` });
  await until("it to render", async () => (await films.show(rendering)).progress > 0);
  assert.equal((await films.show(queued)).status, "queued");
  assert.deepEqual(films.folder(), [`${queued.id}.input`]);

  for (const film of [queued, rendering]) {
    const { status, body } = await films.json(`/videos/${film.id}`, { method: "DELETE" });
    assert.equal(status, 200);
    assert.deepEqual(body, { id: film.id, object: "video.deleted", deleted: true });
    await assertGone(films, film);
    await assertPaidInPart(films, film, film === queued ? 0 : 99);
  }
  // The place is free for others, long before the slow film would have been done.
  assert.equal((await films.untilStatus(await films.create())).status, "completed");
  await assertBooksClosed(films, [queued, rendering]);
});

Deno.test("DELETE of a film at an upstream cancels the job there, polled or downloaded", async () => {
  const film = sampleFilm(200_000);
  await using upstream = startFakeVideoServer({ manners: "vllm_omni", film });
  await using films = await FilmGateway.start({ upstreamUrl: upstream.url });
  upstream.behave({ steps: [{ status: "in_progress" }] });
  const polled = await films.create({ model: "remote", prompt: "polled" });
  await upstream.received("status");
  const [job] = [...upstream.jobs.keys()];
  assert.equal(await films.remove(polled), 200);
  await until("the upstream to hear of it", () => upstream.cancelled.includes(job!));
  await assertGone(films, polled);

  upstream.behave({
    steps: [{ status: "completed" }],
    answer: ({ verb }) =>
      verb === "content"
        ? new Response(
          new ReadableStream({ start: (controller) => controller.enqueue(film.slice(0, 1_000)) }),
        )
        : undefined,
  });
  const fetched = await films.create({ model: "remote", prompt: "fetched" });
  await until("its part to be there", () => existsSync(films.path(fetched, "part")));
  assert.equal(await films.remove(fetched), 200);
  await assertGone(films, fetched);
  await until("the upstream to hear of it", () => upstream.cancelled.length === 2);
  assert.equal(upstream.jobs.size, 0);

  for (const one of [polled, fetched]) await assertPaidInPart(films, one, 0);
  await assertBooksClosed(films, [polled, fetched]);
});

Deno.test("DELETE while an upstream takes the job cancels that job when its id is known", async () => {
  await using upstream = startFakeVideoServer({ manners: "vllm_omni" });
  await using films = await FilmGateway.start({ upstreamUrl: upstream.url });
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  upstream.behave({ gates: { start: gate }, steps: [{ status: "in_progress" }] });
  const film = await films.create({ model: "remote" });
  await upstream.received("start");
  assert.equal(await films.remove(film), 200);
  await assertGone(films, film);
  open();
  await until("the upstream to hear of it", () => upstream.cancelled.length === 1);
  assert.equal(upstream.requestsFor("status").length, 0);
  // The engine may have worked for it by then.
  assert.equal((await films.admin("GET", `/calls/${film.requestId}`)).loss, "0.25000000");
  await assertBooksClosed(films, [film]);
});

Deno.test("DELETE of a film that is being downloaded lets the download end, byte for byte", async () => {
  const film = sampleFilm(20_000_000);
  await using upstream = startFakeVideoServer({ manners: "openai", film });
  upstream.behave({ steps: [{ status: "completed", progress: 100 }] });
  await using films = await FilmGateway.start({ upstreamUrl: upstream.url });
  const created = await films.create({ model: "remote" });
  assert.equal((await films.untilStatus(created)).status, "completed");
  const downloads = await Promise.all([
    films.fetch(`/videos/${created.id}/content`),
    films.fetch(`/videos/${created.id}/content`, { headers: { range: "bytes=1000-" } }),
    fetch(`${films.url}/videos/${created.id}.mp4`),
  ]);
  const readers = downloads.map(({ body }) => body!.getReader());
  const firsts = await Promise.all(readers.map((reader) => reader.read()));

  assert.equal(await films.remove(created), 200);
  await assertGone(films, created);
  for (const [index, reader] of readers.entries()) {
    const parts = [firsts[index]!.value!];
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
    }
    const expected = index === 1 ? film.subarray(1000) : film;
    assert.ok(Buffer.concat(parts).equals(expected), `download ${index}`);
  }
  // It was completed, so it is paid for.
  const { state, pricing } = await films.call(created);
  assert.deepEqual([state, pricing.charged_amount], ["settled", "0.25000000"]);
  await assertBooksClosed(films, [created]);
});

Deno.test(`DELETE that races with completion either releases or charges once (seed ${SEED})`, async () => {
  const random = seededRandom(SEED);
  await using upstream = startFakeVideoServer({ manners: "openai", film: sampleFilm(20_000) });
  await using films = await FilmGateway.start({
    upstreamUrl: upstream.url,
    args: ["--video-tasks-per-project", "100"],
  });
  const created = new Map<string, CreatedFilm>();
  const removals = new Map<string, Promise<number>>();
  upstream.behave({
    steps: [{ status: "completed", progress: 100 }],
    answer({ verb, target }) {
      if (verb !== "content") return undefined;
      // The gateway is about to complete this one.
      const job = upstream.jobs.get(/videos\/([^/]+)\/content/.exec(target)![1]!)!;
      const wait = new Promise((resolve) => setTimeout(resolve, random() * 60));
      removals.set(job.prompt, wait.then(() => films.remove(created.get(job.prompt)!)));
      return undefined;
    },
  });
  for (let number = 0; number < RACES; number++) {
    const prompt = `race ${number}`;
    created.set(prompt, await films.create({ model: "remote", prompt }));
  }
  await until("every race to begin", () => removals.size === RACES);
  assert.deepEqual(new Set(await Promise.all(removals.values())), new Set([200]));

  const outcomes = new Set<string>();
  for (const film of created.values()) {
    await assertGone(films, film);
    const { state, pricing } = await films.call(film);
    outcomes.add(`${state} ${pricing.charged_amount}`);
  }
  for (const outcome of outcomes) {
    assert.ok(["settled 0.25000000", "released 0.00000000"].includes(outcome), outcome);
  }
  assert.deepEqual((await films.json("/videos")).body.data, []);
  await assertBooksClosed(films, [...created.values()]);
  assert.deepEqual(films.log.match(/^.*(?:video_trouble|internal_error).*$/gm), null);
});

Deno.test("DELETE that races with the end of a rendering leaves nothing behind", async () => {
  await using films = await FilmGateway.start();
  const created: CreatedFilm[] = [];
  for (let number = 0; number < 8; number++) {
    const film = await films.create();
    created.push(film);
    const path = films.path(film, number % 2 === 0 ? "part" : "webp");
    using watcher = Deno.watchFs(`${films.dataDir}/videos`);
    if (!films.folder().includes(path.slice(path.lastIndexOf("/") + 1))) {
      for await (const { paths } of watcher) if (paths.includes(path)) break;
    }
    assert.equal(await films.remove(film), 200);
    await assertGone(films, film);
  }
  await assertBooksClosed(films, created);
  assert.deepEqual(films.log.match(/^.*(?:video_trouble|internal_error).*$/gm), null);
});
