/**
 * R2: killed at each of thirteen points in the life of a call and of a film.
 *
 * @module
 */

import { sampleFilm, startFakeVideoServer } from "../../support/fake_video_server.ts";
import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { scriptPrompt } from "../../support/fault_upstream/upstream_script.ts";
import { CREDIT, filmCatalogue } from "../../support/films/film_catalogue.ts";
import { type CreatedFilm, FilmGateway, SMALL_FILM } from "../../support/films/film_gateway.ts";
import { isUnanswered, untilAllEnded } from "../../support/films/film_books.ts";
import { jobsOf } from "../../support/films/upstream_record.ts";
import { readBookRows } from "../books/book_rows.ts";
import { crashEnvironment, killAtPoint } from "../crash_at.ts";
import { checkFilms, lostOf } from "../films/check_films.ts";
import { claimsOf, untilFreed } from "../films/rescue_time.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";
import { CRASH_POINTS, type CrashPointName, crashPoints } from "../test_build/crash_points.ts";

/** Points that a call comes to; films come to all others. */
const OF_CALLS: readonly CrashPointName[] = [
  "hold_taken",
  "call_answered",
  "batch_written",
  "batch_committed",
  "call_settled",
];
/** Points at which a film is made by an upstream: only there is a job. */
const OF_JOBS: readonly CrashPointName[] = [
  "start_noted",
  "job_taken",
  "film_begun",
  "film_written",
];
/** From the one to the other nobody knows whether the upstream makes the film. */
const LOST: readonly CrashPointName[] = ["start_noted", "job_taken"];
const OUTPUT_TOKENS = 500;
/** 2 for a million output tokens. */
const CALL_E8 = BigInt(OUTPUT_TOKENS) * 200n;

export const row: ScorecardRow = {
  id: "R2",
  title: "kill at crash points",
  testBuild: [crashPoints],
  seededBug: {
    name: "nothing_is_rescued",
    says: "a start frees nothing that another process had claimed",
    edits: [{
      file: "src/videos/work/rescuer.ts",
      find: "mayHaveBegun : sessions.hasEnded(lease.session)",
      replace: "mayHaveBegun : sessions.hasEnded(sessions.own)",
    }],
  },
  async run({ size, folder, note }) {
    const rounds = size.pick({ commit: 1, full: 5 });
    const found = new RowFinding(`${CRASH_POINTS.length} points, ${rounds} times each`);
    await using chat = await startFaultUpstream();
    await using upstream = startFakeVideoServer({ manners: "openai", film: sampleFilm(300_000) });
    upstream.behave({ steps: [{ status: "completed", progress: 100 }] });
    await using films = await FilmGateway.start({
      catalogue: filmCatalogue(upstream.url, { chatUrl: chat.url }),
    });
    // Its balance is of calls alone: films are the shop's.
    await films.admin("POST", "/projects/studio/credit", { amount: CREDIT });
    const { key } = await films.admin("POST", "/keys", { project: "studio" });
    const acknowledged: CreatedFilm[] = [];
    let rescueMs = 0;
    let unknown = 0;
    let crashes = 0;
    for (let round = 0; round < rounds; round++) {
      for (const point of CRASH_POINTS) {
        await films.restart({ env: crashEnvironment(point, { folder }) });
        const before = chargesOf(films);
        const isCall = OF_CALLS.includes(point);
        const prompt = `${point} ${round}`;
        const sent = isCall
          ? askOnce(films, key, crashes)
          : buyFilm(films, { prompt, model: OF_JOBS.includes(point) ? "remote" : "film" });
        await killAtPoint(films.server, { point, folder });
        crashes++;
        const answered = await sent;
        if (typeof answered === "object") acknowledged.push(answered);
        const claims = claimsOf(films.dataDir);
        await films.restart();
        await found.during(`the rescue after '${point}'`, async () => {
          rescueMs = Math.max(rescueMs, await untilFreed(films.dataDir, claims));
        });
        const charged = chargesOf(films) - before;
        if (isCall) {
          found.require(
            answered === false,
            `${point}: the call was answered before it was reached`,
          );
          found.require(
            charged === 0n || charged === CALL_E8,
            `${point}: ${charged} is charged`,
          );
          const mustPay = point === "batch_committed" ? undefined : point === "call_settled";
          found.require(
            mustPay === undefined || mustPay === (charged > 0n),
            `${point}: ${charged} is charged`,
          );
        } else if (answered === false) unknown++;
        // A film that is cut off ten times is given up: each has its end before the next crash.
        await found.during(
          `the films after '${point}'`,
          () => untilAllEnded(films, { withinMs: 30_000 }),
        );
        note(`R2 ${prompt}`);
        // What is stuck stays so, and every point after it would be waited for.
        if (found.brokenCount > 0) return found;
      }
    }
    const rows = await checkFilms(found, films, { acknowledged, mayBeLost: true });
    for (const row of rows.filter(({ model }) => model === "remote")) {
      const { id, prompt } = row;
      const jobs = jobsOf(upstream, prompt).length;
      const isLost = LOST.some((point) => prompt.startsWith(point));
      found.require(isLost === isUnanswered(row), `${id} at '${prompt}' is ${row.status}`);
      const most = prompt.startsWith("start_noted") ? 0 : 1;
      found.require(jobs === most, `${id} at '${prompt}' is ${jobs} jobs`);
    }
    // The create that a crash kept from being answered has stored its task.
    found.count("acknowledged and lost", lostOf(acknowledged, rows).length, { exactly: 0 });
    found.count("kills", crashes, { exactly: rounds * CRASH_POINTS.length });
    found.count("films", rows.length, { exactly: acknowledged.length + unknown });
    found.time("freed after a start", rescueMs, { atMost: 2_000 });
    return found;
  },
};

/** What the project of calls has paid so far. */
function chargesOf({ dataDir }: FilmGateway): bigint {
  return readBookRows(dataDir).calls.filter(({ projectId }) => projectId === "studio")
    .reduce((sum, { charged }) => sum + charged, 0n);
}

/** Whether the call was answered. */
async function askOnce({ url }: FilmGateway, key: string, tag: number): Promise<boolean> {
  const usage = { prompt: 10, completion: OUTPUT_TOKENS };
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "talk",
        max_tokens: OUTPUT_TOKENS,
        messages: [{ role: "user", content: scriptPrompt({ tag, acts: [{ usage }] }) }],
      }),
    });
    await response.text();
    return true;
  } catch (error) {
    // The connection ends with the process.
    if (!(error instanceof TypeError)) throw error;
    return false;
  }
}

/** The film, if its creation was answered. */
async function buyFilm(
  films: FilmGateway,
  fields: { readonly prompt: string; readonly model: string },
): Promise<CreatedFilm | false> {
  try {
    return await films.create({ ...SMALL_FILM, ...fields });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return false;
  }
}
