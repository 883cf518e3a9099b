/**
 * R26: a backup of a large database, taken while calls come in.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { runLoad } from "../../../bench/measure_load.ts";
import { postRequest } from "../../../bench/post_request.ts";
import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { scriptPrompt, type UpstreamAct } from "../../support/fault_upstream/upstream_script.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { checkBookRows, checkBooks } from "../books/check_books.ts";
import { quietBooks } from "../books/quiet_books.ts";
import { storeLargeAnswers } from "../large_answers.ts";
import { measureLoopLag } from "../loop_lag.ts";
import { fillWithPricedCalls } from "../prices/fill_with_priced_calls.ts";
import { randomRoutes, routesCatalogue } from "../prices/random_routes.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

const CALLS_PER_SECOND = 300;

export const row: ScorecardRow = {
  id: "R26",
  title: "backup under load",
  seededBug: {
    name: "backup_of_the_file_alone",
    says: "a backup copies the database's file without what its log holds",
    edits: [{
      file: "src/storage/sqlite/maintenance/copy_database.ts",
      find: `await backup(source, to, {
      rate: STEP_PAGES,
      progress() {
        if (++steps % STEPS_PER_SYNC === 0) fdatasyncSync(target);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
        onStep?.();
      },
    });`,
      replace: `    steps += STEP_PAGES + STEPS_PER_SYNC + PAUSE_MS;
    if (backup !== undefined) Deno.copyFileSync(from, to);
    onStep?.();`,
    }],
  },
  async run({ size, random, folder, note }) {
    const { cases, largeAnswers, seconds, backups } = size.pick({
      commit: { cases: 10_000, largeAnswers: 10, seconds: 3, backups: 1 },
      full: { cases: 250_000, largeAnswers: 190, seconds: 60, backups: 3 },
    });
    const found = new RowFinding("");
    const routes = randomRoutes(random.of("rates"));
    await using upstream = await startFaultUpstream({ keepsRecords: false });
    const dataDir = `${folder}/data`;
    {
      await using first = await serveGateway({
        dataDir,
        catalogue: routesCatalogue(routes, upstream.url),
      });
      await first.server.stop();
    }
    await fillWithPricedCalls(dataDir, { cases, routes, random: random.of("usages") });
    await using gateway = await serveGateway({ dataDir });
    const key = await gateway.key("default");
    const bodyOf = (tag: number, act: UpstreamAct) => {
      const content = scriptPrompt({ tag, acts: [{ ...act, usage: USAGE }] });
      return { model: "dearest", max_tokens: 10, messages: [{ role: "user", content }] };
    };
    await storeLargeAnswers(gateway, { key, count: largeAnswers, bodyOf });
    using _reader = holdLog(dataDir);
    const load = () =>
      runLoad({
        port: Number(new URL(gateway.url).port),
        connections: 32,
        perSecond: CALLS_PER_SECOND,
        seconds,
        requests: [postRequest("chat/completions", key, bodyOf(largeAnswers, { delayMs: 5 }))],
      });
    const [quiet, before] = await Promise.all([measureLoopLag(gateway.url, seconds), load()]);
    const least = cases + largeAnswers + before.answered;
    const lag = measureLoopLag(gateway.url, seconds);
    const busy = load();
    let tookMs = 0;
    await found.during("the backups", async () => {
      for (let backup = 0; backup < backups; backup++) {
        const startedAt = performance.now();
        const copy = `${folder}/copy${backup}`;
        await Deno.mkdir(copy);
        const report = await gateway.cli("backup", "create", `${copy}/tollgate.db`);
        tookMs = Math.max(tookMs, performance.now() - startedAt);
        note(`R26 backup ${backup + 1} of ${backups}: ${report.calls} calls`);
        found.require(
          report.calls >= least,
          `a backup has ${report.calls} calls, and ${least} were over before it`,
        );
        found.requireNone(checkCopy(copy));
        const megabytes = (await Deno.stat(`${copy}/tollgate.db`)).size / 1024 ** 2;
        found.tried = `${backups} backups of ${megabytes.toFixed(0)} MiB at ` +
          `${CALLS_PER_SECOND} calls a second for ${seconds} s`;
      }
    });
    const [{ latency }, { failed, answered }] = await Promise.all([lag, busy]);
    found.require(
      Object.keys(failed).length === 0,
      `calls beside the backup failed: ${JSON.stringify(failed)}`,
    );
    found.count("calls beside it", answered, { atLeast: 1 });
    found.time("a backup", tookMs);
    found.time("/healthz p99 without", quiet.latency.p99Ms);
    found.time("/healthz p99 beside it", latency.p99Ms, { atMost: 20 });
    found.time("/healthz at most", latency.mostMs);
    found.requireNone(checkBookRows(await quietBooks(dataDir)));
    return found;
  },
};

const USAGE = { prompt: 10, completion: 5 };

/**
 * A reader of the database as it is now. As long as it is there, what is written later stays in the
 * log: whether a backup has that too does not hang on when the log is merged.
 */
function holdLog(dataDir: string): DatabaseSync {
  const reader = new DatabaseSync(`${dataDir}/tollgate.db`, { readOnly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM sqlite_schema").get();
  return reader;
}

/** What is wrong with a copy, a sentence each. */
function checkCopy(folder: string): readonly string[] {
  using database = new DatabaseSync(`${folder}/tollgate.db`, { readOnly: true });
  const [{ quick_check: verdict }] = database.prepare("PRAGMA quick_check").all() as [
    { quick_check: string },
  ];
  const faults = verdict === "ok" ? [] : [`quick_check of a copy says: ${verdict}`];
  return [...faults, ...checkBooks(folder, { mayBeOpen: true })];
}
