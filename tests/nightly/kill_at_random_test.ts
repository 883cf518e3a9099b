/**
 * Killed again and again while it takes and makes films, the program loses none,
 * makes none twice and charges each once.
 *
 * @module
 */

import assert from "node:assert/strict";
import { seededRandom } from "../support/catalogue_parts.ts";
import { sampleFilm, startFakeVideoServer } from "../support/fake_video_server.ts";
import { callUntilDeath } from "../support/films/callers_until_death.ts";
import { assertBooksClosed, isUnanswered, untilAllEnded } from "../support/films/film_books.ts";
import { type CreatedFilm, FilmGateway, PROJECTS } from "../support/films/film_gateway.ts";
import { assertOwnCredentials, jobsOf } from "../support/films/upstream_record.ts";

/** Printed by a failure; set it to go the same way again. */
const SEED = Number(Deno.env.get("TOLLGATE_TEST_SEED") ?? Math.floor(Math.random() * 2 ** 31));
const ROUNDS = 6;
const CREATES_PER_ROUND = 10;
/** The program dies between these many milliseconds after the callers have begun. */
const SOONEST_DEATH_MS = 10;
const LATEST_DEATH_MS = 900;

Deno.test(`no film is lost, stuck or charged twice by kill -9 at random moments (seed ${SEED})`, async () => {
  const random = seededRandom(SEED);
  const film = sampleFilm(300_000);
  await using upstream = startFakeVideoServer({ manners: "openai", film });
  upstream.behave({ steps: [{ status: "in_progress", progress: 30 }, { status: "completed" }] });
  await using films = await FilmGateway.start({
    upstreamUrl: upstream.url,
    args: ["--video-workers", "2"],
    projects: PROJECTS,
  });
  const acknowledged: CreatedFilm[] = [];

  for (let round = 0; round < ROUNDS; round++) {
    const name = `a kite in round ${round}`;
    const calls = callUntilDeath(films, { creates: CREATES_PER_ROUND, name, acknowledged });
    const deathMs = SOONEST_DEATH_MS + random() * (LATEST_DEATH_MS - SOONEST_DEATH_MS);
    await new Promise((resolve) => setTimeout(resolve, deathMs));
    await films.server.kill();
    await calls;
    const orphans = [`video_${"o".repeat(25)}${round + 2}.mp4`, `video_${"p".repeat(26)}.part`];
    for (const name of orphans) await Deno.writeFile(`${films.dataDir}/videos/${name}`, film);
    await films.restart();
    const names = films.folder();
    assert.deepEqual(names.filter((name) => orphans.includes(name)), [], "orphans outlive a start");
  }

  const rows = await untilAllEnded(films);
  const byId = new Map(rows.map((row) => [row.id, row]));
  assert.ok(acknowledged.length >= ROUNDS, `only ${acknowledged.length} were acknowledged`);
  for (const { id, requestId, project } of acknowledged) {
    const row = byId.get(id);
    assert.ok(row !== undefined, `${id} was acknowledged and is lost`);
    assert.deepEqual([row.request_id, row.project], [requestId, project]);
  }
  for (const row of rows) {
    const isFine = row.status === "completed" || isUnanswered(row);
    assert.ok(isFine, `${row.id} is ${row.status}: ${JSON.stringify(row.error)}`);
    assert.equal(row.failures, 0, `${row.id} was taken for failed`);
    if (row.model === "remote" && !isUnanswered(row)) assert.equal(row.file!.bytes, film.length);
  }
  await assertBooksClosed(films);
  assertOwnCredentials(upstream);
  // Whose creation was not answered may have been read or not; nobody is asked twice.
  for (const row of rows.filter(({ model }) => model === "remote")) {
    const jobs = jobsOf(upstream, row.prompt).length;
    assert.ok(jobs === 1 || (jobs === 0 && isUnanswered(row)), `${jobs} jobs of ${row.prompt}`);
  }
  assert.deepEqual(films.log.match(/^.*(?:video_trouble|internal_error|\.ts:\d).*$/gm), null);
});
