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
import { type CreatedFilm, FilmGateway } from "../../support/films/film_gateway.ts";

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

Deno.test("films over the quota go oldest first, and their tasks stay listed", async () => {
  await using upstream = startFakeVideoServer({
    manners: "openai",
    film: sampleFilm(FILM_BYTES),
  });
  upstream.behave({ steps: [{ status: "completed" }] });
  await using films = await FilmGateway.start({
    upstreamUrl: upstream.url,
    args: ["--video-quota-bytes", String(2 * FILM_BYTES)],
  });
  const created: CreatedFilm[] = [];
  for (let number = 0; number < 4; number++) {
    const film = await films.create({ model: "remote", prompt: `film ${number}` });
    created.push(film);
    const shown = await films.untilStatus(film);
    assert.deepEqual([shown.status, shown.expires_at], ["completed", null]);
    const gone = created.slice(0, -2);
    await until(
      "only the two newest films to be kept",
      () => films.folder().join() === created.slice(-2).map(({ id }) => `${id}.mp4`).sort().join(),
    );
    for (const one of gone) {
      await until("it to say so", async () => (await films.show(one)).expires_at !== null);
      await assertFilmRemoved(films, one, /to keep within the operator's quota/);
    }
  }
  const { body } = await films.json("/videos?order=asc");
  assert.deepEqual(body.data.map(({ id }: CreatedFilm) => id), created.map(({ id }) => id));
  assert.deepEqual(
    body.data.map((video: object) => "output" in video),
    [false, false, true, true],
  );
  await assertBooksClosed(films);
  // A film that went has been paid for, and can still be deleted.
  assert.equal(await films.remove(created[0]!), 200);
  await assertBooksClosed(films, [created[0]!]);
});

Deno.test("a film says when it will be removed, and is removed when that has come", async () => {
  await using films = await FilmGateway.start({ args: ["--video-retention-hours", "1"] });
  const old = await films.create();
  const young = await films.create();
  for (const film of [old, young]) {
    const { expires_at, completed_at } = await films.untilStatus(film);
    assert.equal(expires_at - completed_at, HOUR_SECONDS);
  }
  const { code } = await films.server.stop();
  assert.equal(code, 0);
  {
    using database = new DatabaseSync(`${films.dataDir}/tollgate.db`);
    const hours = HOUR_SECONDS * 2 * 1_000;
    database.prepare(
      "UPDATE video_tasks SET revision = revision + 1, completed_at = completed_at - ?, expires_at = expires_at - ? WHERE id = ?",
    ).run(hours, hours, old.id);
  }
  await films.restart();
  await until("the old film to go", () => !films.folder().includes(`${old.id}.mp4`));
  await until("it to be noted", async () => !("output" in await films.show(old)));
  await assertFilmRemoved(films, old, /as its time was over/);
  const content = await films.fetch(`/videos/${young.id}/content`);
  assert.equal(content.status, 200);
  await content.body?.cancel();
  await assertBooksClosed(films);
});
