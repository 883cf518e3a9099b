/**
 * A server that is told to stop leaves its films in a state to go on with, ends in
 * time, and goes on after the next start.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { sampleFilm, startFakeVideoServer } from "../../support/fake_video_server.ts";
import { until } from "../../support/until.ts";
import { assertBooksClosed, type TaskRow } from "../../support/films/film_books.ts";
import { type CreatedFilm, FilmGateway } from "../../support/films/film_gateway.ts";
import { assertOwnCredentials } from "../../support/films/upstream_record.ts";

/** Until a process that was told to stop must be gone. */
const DRAIN_MS = 35_000;

Deno.test("SIGTERM leaves films that render and films at an upstream to the next start", async () => {
  await using upstream = startFakeVideoServer({ manners: "openai", film: sampleFilm(50_000) });
  upstream.behave({ steps: [{ status: "in_progress", progress: 10 }] });
  await using films = await FilmGateway.start({
    upstreamUrl: upstream.url,
    args: ["--video-workers", "2", "--log-level", "debug"],
  });
  const created: CreatedFilm[] = [];
  for (const model of ["slow", "slow", "slow", "remote", "remote"]) {
    created.push(await films.create({ model, prompt: `a ship, ${model} ${created.length}` }));
  }
  for (const film of [created[0]!, created[1]!, created[3]!, created[4]!]) {
    await until("work to be under way", async () => (await films.show(film)).progress > 0);
  }

  const toldAt = performance.now();
  const { code, signal } = await films.server.stop();
  assert.deepEqual([code, signal], [0, null]);
  assert.ok(performance.now() - toldAt < DRAIN_MS);
  assert.deepEqual(films.folder(), [], "a part of a film is left");
  const stopped: readonly TaskRow[] = await films.cli("videos", "list");
  assert.deepEqual(
    stopped.map(({ status, failures, error }) => ({ status, failures, error })).reverse(),
    ["in_progress", "in_progress", "queued", "in_progress", "in_progress"].map((status) => ({
      status,
      failures: 0,
      error: null,
    })),
  );
  assert.deepEqual(upstream.cancelled, []);

  upstream.behave({ steps: [{ status: "completed", progress: 100 }] });
  await films.restart();
  for (const film of created) {
    const { status, error } = await films.untilStatus(film);
    assert.equal(status, "completed", JSON.stringify(error));
  }
  assert.equal(upstream.requestsFor("start").length, 2);
  assertOwnCredentials(upstream);
  await assertBooksClosed(films);
  // What was left on purpose needs no rescue.
  assert.deepEqual(films.log.match(/^.*video_(?:rescued|trouble|failed).*$/gm), null);
});

for (const threads of ["1", "2"]) {
  const title = `SIGTERM lets a download end and takes no more films (serving threads: ${threads})`;
  Deno.test(title, async () => {
    // More than the sockets hold: most of it is still to be sent when the server is told to stop.
    const film = sampleFilm(48_000_000);
    await using upstream = startFakeVideoServer({ manners: "openai", film });
    upstream.behave({ steps: [{ status: "completed", progress: 100 }] });
    await using films = await FilmGateway.start({
      upstreamUrl: upstream.url,
      args: ["--threads", threads],
    });
    const created = await films.create({ model: "remote" });
    assert.equal((await films.untilStatus(created)).status, "completed");

    const download = await films.fetch(`/videos/${created.id}/content`);
    const reader = download.body!.getReader();
    const parts = [(await reader.read()).value!];
    const stopping = films.server.stop();
    await films.server.waitForOutput(/"why":"stopping"/);
    // A reader on a slow line: it needs longer than the last bytes of a stream may.
    const linePause = 2_500 / (film.length / 65_536);
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      await new Promise((resolve) => setTimeout(resolve, linePause));
    }
    assert.ok(Buffer.concat(parts).equals(film));
    assert.equal((await stopping).code, 0);
    await assert.rejects(films.create(), TypeError);
    await films.restart();
    await assertBooksClosed(films);
  });
}
