/**
 * Killed at each step of making a film, the program goes on where that is
 * possible, and never charges for a step twice.
 *
 * @module
 */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { Buffer } from "node:buffer";
import { sampleFilm, startFakeVideoServer } from "../../support/fake_video_server.ts";
import { until } from "../../support/until.ts";
import { greyRows, pngFile } from "../../../render/tests/images/png_file.ts";
import { assertBooksClosed } from "../../support/films/film_books.ts";
import { type CreatedFilm, FilmGateway } from "../../support/films/film_gateway.ts";
import { assertOwnCredentials, jobsOf, startsOf } from "../../support/films/upstream_record.ts";

const PROMPT = "a lighthouse in the rain";
const FILM = sampleFilm(1_000_000);

async function startPair() {
  const upstream = startFakeVideoServer({ manners: "vllm_omni", film: FILM });
  upstream.behave({ steps: [{ status: "completed" }] });
  const films = await FilmGateway.start({ upstreamUrl: upstream.url });
  return { upstream, films };
}

/** The film is there, whole, and paid for once. */
async function assertMadeOnce(films: FilmGateway, film: CreatedFilm): Promise<void> {
  const shown = await films.untilStatus(film);
  assert.equal(shown.status, "completed", JSON.stringify(shown.error));
  assert.equal(shown.progress, 100);
  await assertBooksClosed(films);
  assert.equal((await films.call(film)).pricing.charged_amount, "0.25000000");
  const content = await (await films.fetch(`/videos/${film.id}/content`)).bytes();
  assert.ok(Buffer.from(content).equals(FILM));
}

/** Its caller pays nothing and reads why; what may have been begun is the operator's loss. */
async function assertLost(films: FilmGateway, film: CreatedFilm): Promise<void> {
  const shown = await films.untilStatus(film);
  assert.equal(shown.status, "failed");
  assert.match(shown.error.message, /nobody knows whether it makes it/);
  assert.equal((await films.admin("GET", `/calls/${film.requestId}`)).loss, "0.25000000");
  await assertBooksClosed(films);
}

/** An upstream that reads whole requests and hangs up on them, at once or later. */
function startMuteUpstream() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  let creations = 0;
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  const serving = (async () => {
    const connections: Promise<void>[] = [];
    for await (const connection of listener) connections.push(hangUp(connection));
    await Promise.all(connections);
  })();
  async function hangUp(connection: Deno.Conn): Promise<void> {
    using _ = connection;
    const text = new TextDecoder();
    const buffer = new Uint8Array(65_536);
    let request = "";
    while (!request.includes(PROMPT)) {
      const read = await connection.read(buffer);
      if (read === null) return;
      request += text.decode(buffer.subarray(0, read));
    }
    creations++;
    await gate.promise;
  }
  return {
    url: `http://127.0.0.1:${port}/v1`,
    get creations() {
      return creations;
    },
    /** From now on it keeps its connections, until `hangsUp`. */
    holdsOn() {
      gate = Promise.withResolvers<void>();
    },
    hangsUp() {
      gate.resolve();
    },
    async [Symbol.asyncDispose]() {
      gate.resolve();
      listener.close();
      await serving;
    },
  };
}

Deno.test("killed before an upstream's answer to a start is stored, it fails the film, asks nobody again and books the loss", async () => {
  const { upstream, films } = await startPair();
  await using _ = upstream;
  await using __ = films;
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  upstream.behave({ gates: { start: gate } });
  const film = await films.create({ model: "remote", prompt: PROMPT });
  await upstream.received("start");
  await films.server.kill();
  // The upstream has taken the job; nobody hears of it.
  open();
  await until("the upstream to have the job", () => jobsOf(upstream, PROMPT).length === 1);

  await films.restart();
  await assertLost(films, film);
  await films.restart();
  assert.equal(startsOf(upstream, PROMPT).length, 1);
  assert.equal(upstream.requestsFor("status").length, 0);
});

Deno.test("an upstream that reads a creation and hangs up is asked once, whatever is killed in between", async () => {
  await using upstream = startMuteUpstream();
  await using films = await FilmGateway.start({ upstreamUrl: upstream.url });
  const answered = await films.create({ model: "remote", prompt: PROMPT });
  await assertLost(films, answered);
  assert.equal(upstream.creations, 1);
  upstream.holdsOn();
  const film = await films.create({ model: "remote", prompt: PROMPT });
  await until("the upstream to have read the creation", () => upstream.creations === 2);
  await films.server.kill();
  upstream.hangsUp();
  await films.restart();
  await assertLost(films, film);
  assert.equal(upstream.creations, 2);
});

Deno.test("killed when a job is stored, it goes on with the same job and credential", async () => {
  const { upstream, films } = await startPair();
  await using _ = upstream;
  await using __ = films;
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  upstream.behave({ gates: { status: gate } });
  const created: CreatedFilm[] = [];
  for (const number of [1, 2, 3]) {
    created.push(await films.create({ model: "remote", prompt: `${PROMPT} ${number}` }));
  }
  // Nobody asks after a job before it is stored.
  await upstream.received("status", 2);
  await films.server.kill();
  open();

  await films.restart();
  for (const film of created) await assertMadeAtOnceByOneJob(film);
  assertOwnCredentials(upstream);
  assert.equal(upstream.requestsFor("start").length, 3);
  assert.equal(upstream.cancelled.length, 0);

  async function assertMadeAtOnceByOneJob(film: CreatedFilm) {
    const { status, prompt } = await films.untilStatus(film);
    assert.equal(status, "completed");
    assert.equal(jobsOf(upstream, prompt).length, 1);
  }
});

Deno.test("killed in the middle of a download, it fetches the film again from the same job", async () => {
  const { upstream, films } = await startPair();
  await using _ = upstream;
  await using __ = films;
  const half = FILM.slice(0, FILM.length / 2);
  upstream.behave({
    answer: ({ verb }) => verb === "content" ? new Response(stalledAfter(half)) : undefined,
  });
  const film = await films.create({ model: "remote", prompt: PROMPT });
  await until("half of the film to be on disk", async () => {
    const part = films.path(film, "part");
    return existsSync(part) && (await Deno.stat(part)).size === half.length;
  });
  await films.server.kill();
  upstream.behave({ answer: undefined });
  assert.deepEqual(films.folder(), [basename(films.path(film, "part"))]);

  await films.restart();
  assert.equal((await films.show(film)).status, "in_progress");
  await assertMadeOnce(films, film);
  assert.equal(startsOf(upstream, PROMPT).length, 1);
  assertOwnCredentials(upstream);
});

for (const model of ["film", "remote"]) {
  Deno.test(`killed when the whole film of '${model}' is on disk, it completes the task once`, async () => {
    const { upstream, films } = await startPair();
    await using _ = upstream;
    await using __ = films;
    for (const kind of ["part", "mp4"] as const) {
      const prompt = `${PROMPT}, ${kind}`;
      const film = await films.create({ model, prompt });
      await untilThere(films.path(film, kind));
      await films.server.kill();
      await films.restart();
      const shown = await films.untilStatus(film);
      assert.equal(shown.status, "completed", JSON.stringify(shown.error));
      if (model === "remote") assert.equal(startsOf(upstream, prompt).length, 1);
    }
    await assertBooksClosed(films);
  });
}

Deno.test("killed right after a task is completed, it has it completed and charged once", async () => {
  const { upstream, films } = await startPair();
  await using _ = upstream;
  await using __ = films;
  const film = await films.create();
  const before = await films.untilStatus(film);
  await films.server.kill();
  // As if it had died before it removed what it needs no more.
  for (const kind of ["part", "input"] as const) await Deno.writeFile(films.path(film, kind), FILM);
  await films.restart();
  assert.deepEqual(films.folder(), [`${film.id}.mp4`, `${film.id}.webp`]);
  const { output: _before, ...kept } = before;
  const { output: _after, ...shown } = await films.show(film);
  assert.deepEqual(shown, kept);
  assert.equal((await films.call(film)).state, "settled");
  await assertBooksClosed(films);
});

Deno.test("killed before it began, it makes a film that begins with the image that was sent", async () => {
  const { upstream, films } = await startPair();
  await using _ = upstream;
  await using __ = films;
  const image = pngFile(64, 64, greyRows(64, 64));
  const input_reference = `data:image/png;base64,${image.toBase64()}`;
  // It keeps the only place for films busy.
  const slow = await films.create({ model: "slow" });
  const film = await films.create({ input_reference });
  await films.server.kill();
  assert.deepEqual(await Deno.readFile(films.path(film, "input")), image);

  await films.restart();
  assert.deepEqual(await Deno.readFile(films.path(film, "input")), image);
  for (const one of [slow, film]) {
    assert.equal((await films.untilStatus(one)).status, "completed");
  }
  await assertBooksClosed(films);
});

/** Resolves as soon as a file appears in the folder of films. */
async function untilThere(path: string): Promise<void> {
  using watcher = Deno.watchFs(path.slice(0, path.lastIndexOf("/")));
  const isThere = async () => await Deno.stat(path).then(() => true, () => false);
  if (await isThere()) return;
  for await (const { paths } of watcher) {
    if (paths.includes(path)) return;
  }
}

/** A body that never ends. */
function stalledAfter(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.enqueue(bytes) });
}
