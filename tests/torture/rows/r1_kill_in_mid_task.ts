/**
 * R1: killed again and again while it makes films.
 *
 * @module
 */

import { sampleFilm, startFakeVideoServer } from "../../support/fake_video_server.ts";
import { callUntilDeath } from "../../support/films/callers_until_death.ts";
import { type CreatedFilm, FilmGateway, PROJECTS } from "../../support/films/film_gateway.ts";
import { isUnanswered, untilAllEnded } from "../../support/films/film_books.ts";
import { jobsOf } from "../../support/films/upstream_record.ts";
import { checkFilms, lostOf } from "../films/check_films.ts";
import { claimsOf, untilFreed } from "../films/rescue_time.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

/** How often one film is cut off at most. */
const MOST_CUTS = 8;

export const row: ScorecardRow = {
  id: "R1",
  title: "kill -9 in mid-task",
  seededBug: {
    name: "restarts_are_failures",
    says: "a film that was under way when the server died is given up",
    edits: [{
      file: "src/videos/work/rescuer.ts",
      find: "const MAX_RESTARTS = 10;",
      replace: "const MAX_RESTARTS = 0;",
    }],
  },
  async run({ size, random, note }) {
    const kills = size.pick({ commit: 10, full: 100 });
    const latestMs = size.pick({ commit: 700, full: 2_000 });
    const found = new RowFinding("");
    const film = sampleFilm(300_000);
    await using upstream = startFakeVideoServer({ manners: "openai", film });
    upstream.behave({ steps: [{ status: "in_progress", progress: 30 }, { status: "completed" }] });
    await using films = await FilmGateway.start({
      upstreamUrl: upstream.url,
      args: ["--video-workers", "2", "--video-tasks-per-project", "1000"],
      projects: PROJECTS,
    });
    const acknowledged: CreatedFilm[] = [];
    let cutOff = 0;
    let rescueMs = 0;
    for (let kill = 0; kill < kills; kill++) {
      const name = `a kite before kill ${kill}`;
      const calls = callUntilDeath(films, { creates: 4, name, acknowledged });
      const afterMs = random.integer(50, latestMs);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await films.server.kill();
      await calls;
      const claims = claimsOf(films.dataDir);
      cutOff += claims.size;
      await films.restart();
      await found.during(`the rescue after kill ${kill}`, async () => {
        rescueMs = Math.max(rescueMs, await untilFreed(films.dataDir, claims));
      });
      // A film that is cut off ten times is given up: that is no fault.
      if (kill % MOST_CUTS === MOST_CUTS - 1) {
        await found.during("the films between kills", () => untilAllEnded(films));
      }
      note(`R1 kill ${kill + 1} of ${kills}: ${acknowledged.length} films, ${cutOff} cut off`);
    }
    const withinMs = size.pick({ commit: 30_000, full: 120_000 });
    const rows = await checkFilms(found, films, { acknowledged, withinMs, mayBeLost: true });
    for (const row of rows) {
      const { id, prompt, model, failures } = row;
      found.require(failures === 0, `${id} was taken for failed`);
      if (model !== "remote") continue;
      // Whose creation was not answered may have been read or not; nobody is asked twice.
      const jobs = jobsOf(upstream, prompt).length;
      const isRight = jobs === 1 || (jobs === 0 && isUnanswered(row));
      found.require(isRight, `${id} is ${jobs} jobs at the upstream`);
    }
    found.tried = `${kills} kills while films are made: ${acknowledged.length} films`;
    found.count("acknowledged and lost", lostOf(acknowledged, rows).length, { exactly: 0 });
    found.count("cut off in mid-task", cutOff, { atLeast: 1 });
    found.time("freed after a start", rescueMs, { atMost: 2_000 });
    return found;
  },
};
