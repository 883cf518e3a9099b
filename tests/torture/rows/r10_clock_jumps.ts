/**
 * R10: the machine's clock is set by two days, to and fro, while calls and films are under way.
 *
 * @module
 */

import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { scriptPrompt, type UpstreamAct } from "../../support/fault_upstream/upstream_script.ts";
import { taskRows, untilAllEnded } from "../../support/films/film_books.ts";
import { filmCatalogue } from "../../support/films/film_catalogue.ts";
import { FilmGateway } from "../../support/films/film_gateway.ts";
import { until } from "../../support/until.ts";
import { readBookRows } from "../books/book_rows.ts";
import { checkBookRows } from "../books/check_books.ts";
import { ledgerDifferences } from "../books/ledger_differences.ts";
import { quietBooks } from "../books/quiet_books.ts";
import { FakedClock } from "../faked_clock.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

const TWO_DAYS = 2 * 24 * 60 * 60;
const STREAMS = 8;
const CHUNK_MS = 100;
const SLOW_FILM = { model: "slow", prompt: "a red kite", size: "64x64", seconds: 4 };
/** More than any call here takes. */
const LONGEST_CALL_MS = 120_000;

export const row: ScorecardRow = {
  id: "R10",
  title: "clock jumps",
  tools: ["libfaketime"],
  seededBug: {
    name: "durations_by_the_wall_clock",
    says: "how long a call took is told by the clock that can be set",
    edits: [{
      file: "src/gateway/metered_call.ts",
      find: "return Math.round(this.#deps.clock.monotonic() - this.request.arrivedAt);",
      replace: "    const now = this.#deps.clock.now() - performance.timeOrigin;\n" +
        "    return Math.round(now - this.request.arrivedAt);",
    }],
  },
  async run({ size, folder, note }) {
    // At full size a jump is long enough for a look for stuck tasks, every 10 s; streams last longer.
    const { rounds, jumpMs, chunks } = size.pick({
      commit: { rounds: 1, jumpMs: 1_500, chunks: 60 },
      full: { rounds: 4, jumpMs: 12_000, chunks: 400 },
    });
    const found = new RowFinding("");
    const clock = new FakedClock(folder, { moves: "wall" });
    await using upstream = await startFaultUpstream({ logFile: `${folder}/upstream.log` });
    await using films = await FilmGateway.start({
      env: clock.env,
      catalogue: filmCatalogue(undefined, { chatUrl: upstream.url }),
    });
    let jumps = 0;
    let calls = 0;
    let whole = 0;
    for (let round = 0; round < rounds; round++) {
      const film = await films.create(SLOW_FILM);
      await films.untilStatus(film, ["in_progress"]);
      const answers = Array.from({ length: STREAMS }, async () => {
        const act: UpstreamAct = {
          chunks,
          chunkMs: CHUNK_MS,
          usage: { prompt: 10, completion: chunks },
        };
        const response = await films.fetch("/chat/completions", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({
            model: "talk",
            stream: true,
            max_tokens: 1_000,
            messages: [{ role: "user", content: scriptPrompt({ tag: ++calls, acts: [act] }) }],
          }),
        });
        return await response.text();
      });
      await until("the streams to begin", () => upstream.open === STREAMS);
      // Holds are written a moment after they are taken.
      await until("the holds to be written", () => openHolds(films.dataDir) === STREAMS);
      for (const seconds of [TWO_DAYS, -TWO_DAYS, 0]) {
        clock.set(seconds);
        jumps++;
        await new Promise((resolve) => setTimeout(resolve, jumpMs));
        const short = await films.json("/chat/completions", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({
            model: "talk",
            max_tokens: 10,
            messages: [{ role: "user", content: "hello" }],
          }),
        });
        found.require(short.status === 200, `a call after a jump is answered ${short.status}`);
        const { status } = await fetch(`${films.url}/healthz`);
        found.require(status === 200, `/healthz answers ${status} after a jump`);
        found.require(
          upstream.open === STREAMS,
          `${STREAMS - upstream.open} streams are gone after a jump by ${seconds} s`,
        );
        const held = openHolds(films.dataDir);
        found.require(
          held === STREAMS,
          `${STREAMS} streams held something before a jump by ${seconds} s, ${held} do after it`,
        );
        found.require(
          releasedFilms(films.dataDir) === 0,
          `a film's hold is released after a jump by ${seconds} s`,
        );
      }
      for (const text of await Promise.all(answers)) {
        const isWhole = text.endsWith("data: [DONE]\n\n") && !text.includes('"error"');
        if (isWhole) whole++;
        found.require(isWhole, () => `a stream ended with ${text.slice(-200)}`);
      }
      await found.during("the film", () => untilAllEnded(films));
      note(`R10 round ${round + 1} of ${rounds}: ${whole} of ${calls} streams whole`);
    }
    const ended = await taskRows(films);
    for (const task of ended) {
      found.require(
        task.status === "completed" && task.attempts === 1 && task.failures === 0,
        `${task.id} is ${task.status} after ${task.attempts} attempts, ${task.failures} failed`,
      );
    }
    // A start at another time: what was under way goes on, what was made stays. After days without a
    // server a film is too old to be made, and costs nothing.
    const starts = size.pick({ commit: [-TWO_DAYS], full: [-TWO_DAYS, TWO_DAYS] });
    for (const seconds of starts) {
      const film = await films.create(SLOW_FILM);
      await films.untilStatus(film, ["in_progress"]);
      clock.set(seconds);
      await films.restart();
      await found.during("the films after a start", () => untilAllEnded(films));
      const task = (await taskRows(films)).find(({ id }) => id === film.id)!;
      const expected = seconds < 0 ? "completed" : "failed";
      found.require(
        task.status === expected && task.restarts === 1 && task.failures === 0,
        `${task.id} is ${task.status} and not ${expected} after a start at ${seconds} s, ` +
          `with ${task.restarts} restarts and ${task.failures} failures`,
      );
    }
    found.require(
      releasedFilms(films.dataDir) === starts.filter((seconds) => seconds > 0).length,
      `${releasedFilms(films.dataDir)} films' holds are released`,
    );
    const durations = [...films.log.matchAll(/"ms":(-?\d+)/g)].map(([, ms]) => Number(ms));
    const impossible = durations.filter((ms) => ms < 0 || ms > LONGEST_CALL_MS);
    found.tried = `${jumps} jumps by two days amid ${calls} streams and ${ended.length} films, ` +
      `${starts.length} starts at another time`;
    found.count("streams whole", whole, { exactly: calls });
    found.count("films made at once", ended.length, { exactly: rounds });
    found.count("durations told", durations.length, { atLeast: calls });
    found.count("of them impossible", impossible.length, { exactly: 0 });
    found.requireNone(checkBookRows(await quietBooks(films.dataDir)));
    found.requireNone(await ledgerDifferences(films.dataDir));
    return found;
  },
};

/** Films that are not paid for, and never will be. */
function releasedFilms(dataDir: string): number {
  const { calls } = readBookRows(dataDir);
  return calls.filter(({ state, model }) => state === "released" && model === "slow").length;
}

/** Streams that hold something; their film's hold may be settled meanwhile. */
function openHolds(dataDir: string): number {
  const { calls } = readBookRows(dataDir);
  return calls.filter(({ state, model }) => state === "open" && model === "talk").length;
}
