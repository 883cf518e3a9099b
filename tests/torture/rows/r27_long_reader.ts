/**
 * R27: somebody reads the database for a long time in one transaction, as an operator's shell does,
 * while calls come in: nothing can leave the log of the database until the reader is done.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { runLoad } from "../../../bench/measure_load.ts";
import { postRequest } from "../../../bench/post_request.ts";
import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { until } from "../../support/until.ts";
import { checkBookRows } from "../books/check_books.ts";
import { ledgerDifferences } from "../books/ledger_differences.ts";
import { quietBooks } from "../books/quiet_books.ts";
import { storeLargeAnswers } from "../large_answers.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";
import { taggedBody, taggedCatalogue } from "../tagged_calls.ts";

const WRITES_PER_SECOND = 300;
const MOST_MB = 64;
const WITHIN_MS = 5_000;
/** Answers that are stored for callers that repeat themselves: together more than the log may have. */
const LARGE_ANSWERS = 100;

export const row: ScorecardRow = {
  id: "R27",
  title: "long reader",
  seededBug: {
    name: "log_of_any_size",
    says: "the log of the database keeps the size that it once had",
    edits: [{
      file: "src/storage/sqlite/database.ts",
      find: "PRAGMA journal_size_limit = 67108864;",
      replace: "PRAGMA journal_size_limit = -1;",
    }],
  },
  async run({ size, note }) {
    const seconds = size.pick({ commit: 3, full: 60 });
    const found = new RowFinding(
      `${WRITES_PER_SECOND} calls a second for ${seconds} s beside a reader that stays`,
    );
    await using upstream = await startFaultUpstream({ keepsRecords: false });
    await using gateway = await serveGateway({ catalogue: taggedCatalogue(upstream.url) });
    const { dataDir } = gateway.server;
    await gateway.credit("paying", "1000000");
    const key = await gateway.key("paying");
    const logMb = () => Deno.statSync(`${dataDir}/tollgate.db-wal`).size / 1024 ** 2;
    const load = (forSeconds: number) =>
      runLoad({
        port: Number(new URL(gateway.url).port),
        connections: 32,
        perSecond: WRITES_PER_SECOND,
        seconds: forSeconds,
        requests: [
          postRequest("chat/completions", key, taggedBody(1, { stream: false, act: {} })),
        ],
      });
    const reader = new DatabaseSync(`${dataDir}/tollgate.db`, { readOnly: true });
    let closedAt = 0;
    try {
      reader.exec("BEGIN");
      const count = () => reader.prepare("SELECT count(*) AS calls FROM calls").get()!.calls;
      const before = count();
      // Ordinary calls alone would take minutes to make the log too large.
      await storeLargeAnswers(gateway, {
        key,
        count: LARGE_ANSWERS,
        bodyOf: (index, act) => taggedBody(index + 2, { stream: false, act }),
      });
      const beside = await load(seconds);
      found.require(count() === before, "the reader sees rows that were written after it began");
      found.require(
        Object.keys(beside.failed).length === 0,
        `calls beside the reader failed: ${JSON.stringify(beside.failed)}`,
      );
      found.count("calls beside it", beside.answered, { atLeast: 1 });
      found.time("their p99", beside.latency.p99Ms);
      found.measure("log at most", logMb(), { unit: "MiB" });
      note(`R27 ${beside.answered} calls, log ${logMb().toFixed(1)} MiB`);
    } finally {
      reader.close();
      closedAt = performance.now();
    }
    // A log is cut when its first page is written again: calls go on.
    const after = load(size.pick({ commit: 2, full: 5 }));
    await found.during(
      "the log after the reader has gone",
      () => until(`${MOST_MB} MiB at most`, () => logMb() <= MOST_MB, { withinMs: 2 * WITHIN_MS }),
    );
    const tookMs = performance.now() - closedAt;
    await after;
    found.time("log small again after", tookMs, { atMost: WITHIN_MS });
    found.measure("log at the end", logMb(), { atMost: MOST_MB, unit: "MiB" });
    found.requireNone(checkBookRows(await quietBooks(dataDir)));
    found.requireNone(await ledgerDifferences(dataDir));
    return found;
  },
};
