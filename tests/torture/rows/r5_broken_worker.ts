/**
 * R5: render Workers that throw, reject, exit or use up their memory.
 *
 * @module
 */

import { runTollgate } from "../../support/executable.ts";
import { type CreatedFilm, ENDED, FilmGateway } from "../../support/films/film_gateway.ts";
import { assertBooksClosed } from "../../support/films/film_books.ts";
import { checkBooks } from "../books/check_books.ts";
import { probeHealth } from "../health_probe.ts";
import { percentile } from "../percentile.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";
import {
  type Poison,
  poisonedPrompt,
  poisonedRenderer,
  silenceEnvironment,
} from "../test_build/poisoned_renderer.ts";

/** Runtimes from here on keep a Worker's memory within its limits; older ones have none. */
const LIMITS_SINCE = "2.9.";
const TASK_WITHIN_MS = 35_000;

export const row: ScorecardRow = {
  id: "R5",
  title: "broken render Workers",
  testBuild: [poisonedRenderer],
  seededBug: {
    name: "dead_worker_is_used",
    says: "a Worker that has ended is given the next film",
    edits: [{
      file: "render/render_worker.ts",
      find: `return this.#state === "usable";`,
      replace: "return true;",
    }],
  },
  async run({ size, random, note }) {
    const rounds = size.pick({ commit: 1, full: 10 });
    const { runtime } = JSON.parse((await runTollgate(["version", "--json"])).stdout);
    const kinds: readonly Poison[] = [
      "throw",
      "reject",
      "exit",
      ...(runtime.startsWith(LIMITS_SINCE) ? ["memory" as const] : []),
    ];
    const found = new RowFinding(
      `films that ${kinds.join(", ")} in their Worker, ${rounds} times, on Deno ${runtime}`,
    );
    await using films = await FilmGateway.start({
      args: ["--video-workers", "2"],
      env: silenceEnvironment(size.pick({ commit: 5_000, full: 20_000 })),
    });
    const { pid } = films.server.process;
    const probe = probeHealth(films.url);
    let slowest = 0;
    const good: CreatedFilm[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const poison of kinds.toSorted(() => random.next() - 0.5)) {
        const startedAt = performance.now();
        const film = await films.create({ prompt: poisonedPrompt(poison) });
        good.push(await films.create({ prompt: `a kite beside ${poison}` }));
        await found.during(`a film that does ${poison}`, async () => {
          const { status, error } = await films.untilStatus(film, ENDED, {
            withinMs: TASK_WITHIN_MS,
          });
          found.require(status === "failed", `a film that does ${poison} is ${status}`);
          found.require(
            /^The renderer (crashed|stopped answering)/.test(error?.message ?? ""),
            `a film that does ${poison} says ${JSON.stringify(error)}`,
          );
        });
        slowest = Math.max(slowest, performance.now() - startedAt);
        note(`R5 ${poison}: ${Math.round(performance.now() - startedAt)} ms`);
      }
    }
    // Each Worker that died is replaced.
    good.push(await films.create(), await films.create());
    await found.during("films after all that", async () => {
      for (const film of good) {
        const { status } = await films.untilStatus(film, ENDED, { withinMs: TASK_WITHIN_MS });
        found.require(status === "completed", `a film beside it is ${status}`);
      }
      await assertBooksClosed(films);
    });
    const { milliseconds, failed } = await probe.end();
    found.requireNone(checkBooks(films.dataDir));
    found.require(films.server.process.pid === pid, "the process has ended");
    const unhandled = films.log.match(/^.*(?:unhandled_error|video_trouble).*$/gm) ?? [];
    found.requireNone(unhandled.slice(0, 3).map((line) => `logged: ${line}`));
    found.count("looks at /healthz not answered", failed, { exactly: 0 });
    found.time("/healthz p99", percentile(milliseconds, 0.99), { atMost: 100 });
    found.time("/healthz at most", Math.max(...milliseconds));
    found.time("a task's end at most", slowest, { atMost: TASK_WITHIN_MS });
    return found;
  },
};
