/**
 * R6: a render Worker that never comes back to its event loop and uses a processor.
 *
 * @module
 */

import { runTollgate } from "../../support/executable.ts";
import { assertBooksClosed } from "../../support/films/film_books.ts";
import { ENDED, FilmGateway } from "../../support/films/film_gateway.ts";
import { until } from "../../support/until.ts";
import { checkBooks } from "../books/check_books.ts";
import { probeHealth } from "../health_probe.ts";
import { percentile } from "../percentile.ts";
import { processorShare } from "../processor_share.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";
import {
  poisonedPrompt,
  poisonedRenderer,
  silenceEnvironment,
} from "../test_build/poisoned_renderer.ts";

/** From here on a runtime cannot end a thread that never comes back. */
const CANNOT_END_SINCE = "2.9.";

export const row: ScorecardRow = {
  id: "R6",
  title: "spinning render Worker",
  testBuild: [poisonedRenderer],
  seededBug: {
    name: "silence_is_not_noticed",
    says: "a Worker that says nothing is waited for",
    edits: [{
      file: "render/render_worker.ts",
      find: "this.#timer = setTimeout(() => this.#abandon(limitMs), limitMs);",
      replace:
        "this.#timer = setTimeout(() => this.isUsable && limitMs < 0 && this.#abandon(0), 1);",
    }],
  },
  async run({ size }) {
    const silenceMs = size.pick({ commit: 4_000, full: 20_000 });
    const { runtime } = JSON.parse((await runTollgate(["version", "--json"])).stdout);
    const canEnd = !runtime.startsWith(CANNOT_END_SINCE);
    const found = new RowFinding(
      `a film that spins beside others, silence of ${silenceMs / 1_000} s allowed, Deno ${runtime}`,
    );
    await using films = await FilmGateway.start({
      args: ["--video-workers", "2"],
      env: silenceEnvironment(silenceMs),
    });
    const probe = probeHealth(films.url);
    const startedAt = performance.now();
    const spinning = await films.create({ prompt: poisonedPrompt("spin") });
    await until("it to spin", async () => (await films.show(spinning)).progress > 0);
    let others = 0;
    await found.during("films beside it", async () => {
      for (; others < 3; others++) {
        const { status } = await films.untilStatus(await films.create());
        found.require(status === "completed", `a film beside it is ${status}`);
      }
    });
    await found.during("the film that spins", async () => {
      const { status, error } = await films.untilStatus(spinning, ENDED, {
        withinMs: silenceMs + 15_000,
      });
      found.require(
        status === "failed" && /stopped answering/.test(error.message),
        `it is ${status}: ${JSON.stringify(error)}`,
      );
    });
    found.time("its end", performance.now() - startedAt, { atMost: 35_000 });
    // What the server has written may still be on its way through the pipe.
    await found.during(
      "the log's line of it",
      () => until("it", () => films.log.includes('"render_worker_abandoned"'), { withinMs: 5_000 }),
    );
    const endedAt = performance.now();
    if (canEnd) {
      await found.during("its thread", async () => {
        await until("it to use no processor", async () => {
          const isQuiet = await processorShare(films.server.process.pid, 1_000) < 0.1;
          return isQuiet && (await warningsOf(films)).length === 0;
        }, { withinMs: 10_000 });
      });
      found.time("until its processor is free", performance.now() - endedAt, { atMost: 10_000 });
    } else {
      const [warning = ""] = await warningsOf(films);
      found.require(/^1 render Workers do not answer/.test(warning), "/readyz does not count it");
    }
    await found.during("films after it", async () => {
      const after = [await films.create(), await films.create()];
      for (const film of after) {
        const { status } = await films.untilStatus(film);
        found.require(status === "completed", `a film after it is ${status}`);
      }
      await assertBooksClosed(films);
    });
    const { milliseconds, failed } = await probe.end();
    found.requireNone(checkBooks(films.dataDir));
    found.count("films beside it", others, { exactly: 3 });
    found.count("looks at /healthz not answered", failed, { exactly: 0 });
    found.time("/healthz p99", percentile(milliseconds, 0.99), { atMost: 100 });
    // A server that has not given up on a Worker need not be able to stop.
    if (found.brokenCount > 0) return found;
    const { code } = await films.server.stop();
    found.require(code === 0, `it stops with ${code}`);
    return found;
  },
};

async function warningsOf({ url }: FilmGateway): Promise<readonly string[]> {
  return (await (await fetch(`${url}/readyz`)).json()).warnings;
}
