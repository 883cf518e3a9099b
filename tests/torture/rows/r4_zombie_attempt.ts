/**
 * R4: an attempt that completes its film after it has lost its task to another attempt.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { type CreatedFilm, FilmGateway } from "../../support/films/film_gateway.ts";
import { checkFilms } from "../films/check_films.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";
import {
  letGo,
  untilOver,
  untilWaiting,
  zombieAttempts,
  zombieEnvironment,
  type ZombiePoint,
  zombiePrompt,
} from "../test_build/zombie_attempts.ts";

const POINTS: readonly ZombiePoint[] = ["before_keep", "before_store"];

export const row: ScorecardRow = {
  id: "R4",
  title: "zombie attempt",
  testBuild: [zombieAttempts],
  seededBug: {
    name: "attempts_are_equal",
    says: "an attempt takes its task for its own whoever has it",
    edits: [
      {
        file: "src/videos/task/attempt.ts",
        find: `attempt === this.#task.attempt &&
      lease?.session === this.#deps.sessions.own;`,
        replace: "(attempt > 0 || lease === undefined);",
      },
    ],
  },
  async run({ size, folder, note }) {
    const rounds = size.pick({ commit: 1, full: 5 });
    const found = new RowFinding(
      `${rounds * POINTS.length} attempts that complete their film after their lease`,
    );
    const acknowledged: CreatedFilm[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const point of POINTS) {
        const marks = `${folder}/${point}-${round}`;
        await Deno.mkdir(marks);
        await using films = await FilmGateway.start({
          args: ["--video-workers", "2"],
          env: zombieEnvironment(marks),
        });
        const film = await films.create({ prompt: zombiePrompt(point) });
        await untilWaiting(marks, 1);
        await films.server.waitForOutput(/"video_rescued".*"stuck"|"stuck".*"video_rescued"/);
        const before = moneyAndStateOf(films, film);
        await letGo(marks, 1);
        await untilOver(marks, 1);
        const after = moneyAndStateOf(films, film);
        found.require(
          before === after,
          `${point}: the late attempt changed\n${before} to\n${after}`,
        );
        // On a slow machine the attempt after it may be late as well.
        for (const attempt of [2, 3]) await letGo(marks, attempt);
        await checkFilms(found, films, { acknowledged: [film] });
        const { pricing, state } = await films.call(film);
        found.require(
          state === "settled" && pricing.charged_amount === "0.25000000",
          `${point}: the call is ${state}, charged ${pricing.charged_amount}`,
        );
        const row = await films.admin("GET", `/videos/${film.id}`);
        found.require(row.attempts > 1, `${point}: it took ${row.attempts} attempt`);
        acknowledged.push(film);
        note(`R4 ${point}: completed by attempt ${row.attempts}`);
      }
    }
    found.count("zombies", acknowledged.length, { exactly: rounds * POINTS.length });
    return found;
  },
};

/** Everything of a task that a completion changes, its call and the whole ledger. */
function moneyAndStateOf({ dataDir }: FilmGateway, { id }: CreatedFilm): string {
  using database = new DatabaseSync(`${dataDir}/tollgate.db`, { readOnly: true });
  database.exec("PRAGMA busy_timeout = 5000; BEGIN");
  const task = database.prepare(
    "SELECT status, completed_at, file_bytes, file_sha256, cost_e8, sale_e8, error_code " +
      "FROM video_tasks WHERE id = ?",
  ).get(id);
  const calls = database.prepare("SELECT state, charged_e8, closed_at FROM calls").all();
  const ledger = database.prepare("SELECT count(*) AS rows FROM ledger").get();
  return JSON.stringify({ task, calls, ledger });
}
