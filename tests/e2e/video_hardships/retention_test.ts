/**
 * Films that are over their time or their quota go, oldest first, and say so; the
 * tasks stay.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { sampleFilm, startFakeVideoServer } from "../../support/fake_video_server.ts";
import { until } from "../../support/until.ts";
import { assertBooksClosed } from "../../support/films/film_books.ts";
import { type CreatedFilm, FilmGateway, SMALL_FILM } from "../../support/films/film_gateway.ts";

const FILM_BYTES = 100_000;
const HOUR_SECONDS = 3_600;

/** A film that is no longer kept, as its caller sees it. */
async function assertFilmRemoved(
  films: FilmGateway,
  film: CreatedFilm,
  why: RegExp,
): Promise<void> {
  const shown = await films.show(film);
  assert.equal(shown.status, "completed");
  assert.equal("output" in shown, false);
  assert.ok(shown.expires_at <= Date.now() / 1000, "it says when");
  for (const query of ["", "?variant=thumbnail"]) {
    const { status, body } = await films.json(`/videos/${film.id}/content${query}`);
    assert.deepEqual([status, body.error.code], [404, "video_not_found"]);
    assert.match(body.error.message, /was removed on \d{4}-\d\d-\d\dT.*: create it again$/);
    assert.match(body.error.message, why);
  }
  const link = await fetch(`${films.url}/videos/${film.id}.mp4`);
  await link.body?.cancel();
  assert.equal(link.status, 404);
  assert.deepEqual(films.folder().filter((name) => name.startsWith(film.id)), []);
  const row = await films.admin("GET", `/videos/${film.id}`);
  assert.equal(row.file.path, null);
  assert.ok(row.file.removed_at >= row.expires_at);
}

/** Ends the server, puts the completion of a film back by two hours, and starts it again. */
async function makeOlder(films: FilmGateway, { id }: CreatedFilm): Promise<void> {
  assert.equal((await films.server.stop()).code, 0);
  {
    using database = new DatabaseSync(`${films.dataDir}/tollgate.db`);
    const ms = HOUR_SECONDS * 2 * 1_000;
    database.prepare(
      `UPDATE video_tasks SET revision = revision + 1, completed_at = completed_at - ?,
       expires_at = expires_at - ? WHERE id = ?`,
    ).run(ms, ms, id);
  }
  await films.restart();
}

Deno.test("a quota spares young and unseen films, refuses what it could not keep, and then takes the oldest", async () => {
  await using upstream = startFakeVideoServer({
    manners: "openai",
    film: sampleFilm(FILM_BYTES),
  });
  upstream.behave({ steps: [{ status: "completed" }] });
  await using films = await FilmGateway.start({
    upstreamUrl: upstream.url,
    // There are other projects: without a quota of its own, it might have half.
    args: ["--video-quota-bytes", "--video-quota-bytes-per-project"]
      .flatMap((name) => [name, String(2 * FILM_BYTES)]),
  });
  const order = { model: "remote" };
  const [first, second] = [await films.create(order), await films.create(order)];
  for (const film of [first, second]) {
    const shown = await films.untilStatus(film);
    assert.deepEqual([shown.status, shown.expires_at], ["completed", null]);
  }
  async function assertRefused(): Promise<void> {
    const before = await films.json("/key");
    const { status, body } = await films.json("/videos", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...SMALL_FILM, ...order }),
    });
    assert.deepEqual([status, body.error.code], [503, "storage_full"]);
    assert.match(body.error.message, /none of them may go yet/);
    assert.deepEqual((await films.json("/key")).body, before.body);
    assert.deepEqual(
      films.folder(),
      [first, second].map(({ id }) => `${id}.mp4`).sort(),
    );
  }
  await assertRefused();
  const { body } = await films.fetch(`/videos/${first.id}/content`);
  await body?.pipeTo(new WritableStream());
  await assertRefused();
  await makeOlder(films, second);
  await assertRefused();
  await makeOlder(films, first);

  const third = await films.create(order);
  assert.equal((await films.untilStatus(third)).status, "completed");
  await until("the oldest to go", () => !films.folder().includes(`${first.id}.mp4`));
  await until("it to say so", async () => (await films.show(first)).expires_at !== null);
  await assertFilmRemoved(films, first, /to keep within the operator's quota/);
  const { body: list } = await films.json("/videos?order=asc");
  assert.deepEqual(
    list.data.map((video: object) => "output" in video),
    [false, true, true],
  );
  await assertBooksClosed(films);
  // A film that went has been paid for, and can still be deleted.
  assert.equal(await films.remove(first), 200);
  await assertBooksClosed(films, [first]);
});

Deno.test("a film says when it will be removed, and is removed when that has come", async () => {
  await using films = await FilmGateway.start({ args: ["--video-retention-hours", "1"] });
  const old = await films.create();
  const young = await films.create();
  for (const film of [old, young]) {
    const { expires_at, completed_at } = await films.untilStatus(film);
    assert.equal(expires_at - completed_at, HOUR_SECONDS);
  }
  await makeOlder(films, old);
  await until("the old film to go", () => !films.folder().includes(`${old.id}.mp4`));
  await until("it to be noted", async () => !("output" in await films.show(old)));
  await assertFilmRemoved(films, old, /as its time was over/);
  const content = await films.fetch(`/videos/${young.id}/content`);
  assert.equal(content.status, 200);
  await content.body?.cancel();
  await assertBooksClosed(films);
});
