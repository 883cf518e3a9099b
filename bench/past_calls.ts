/**
 * Makes a data dir with calls of closed months, through the gateway's own storage: the rows,
 * balances, prices and checksums are those that it would have written itself. The database
 * is kept in the system's folder for temporary files, for the next run.
 *
 * @module
 */

import { firstOpenMonth, startOfMonth } from "../src/admin/archives/closed_months.ts";
import type { ClosedCall } from "../src/domain/call.ts";
import { MIGRATIONS } from "../src/storage/sqlite/migrations.ts";
import { createSqliteStorage } from "../src/storage/sqlite/sqlite_storage.ts";
import { placeKept } from "./kept_databases.ts";
import { HELD_E8, madeCall } from "./made_calls.ts";
import type { Command } from "./child_process.ts";
import {
  applyCatalogue,
  type CatalogueOptions,
  type DataDir,
  makeDataDir,
  MODEL,
} from "./servers.ts";

/** Months that the calls lie in. */
const MONTHS = 2;
const BATCH = 5_000;
/** How names of kept databases begin. */
const KEPT = "tollgate-bench-calls";

/** A data dir with past calls. */
export interface PastDataDir extends DataDir {
  /** The date before which all of them are, as `calls archive` takes it. */
  readonly before: string;
}

/**
 * Makes the data dir with its calls, for this run's upstream.
 */
export async function makePastDataDir(
  command: Command,
  { calls, ...options }: CatalogueOptions & { readonly calls: number },
): Promise<PastDataDir> {
  const { path } = options;
  const beforeMs = firstOpenMonth(Date.now());
  const before = new Date(beforeMs).toISOString().slice(0, 10);
  const current = `${KEPT}-v${MIGRATIONS.length}-${before}-`;
  await placeKept(path, {
    kind: KEPT,
    current,
    name: `${current}${calls}.db`,
    make: async (path) => {
      await applyCatalogue(command, { ...options, path });
      await addCalls(`${path}/tollgate.db`, { calls, beforeMs });
    },
  });
  return { ...await makeDataDir(command, options), before };
}

async function addCalls(
  path: string,
  { calls, beforeMs }: { readonly calls: number; readonly beforeMs: number },
): Promise<void> {
  const storage = createSqliteStorage(path);
  try {
    const catalogue = await storage.catalogue.load();
    const routes = catalogue!.models.find(({ id }) => id === MODEL)!.routes;
    const firstMs = startOfMonth(beforeMs, -MONTHS);
    const stepMs = (beforeMs - firstMs) / calls;
    const callOf = (index: number): ClosedCall =>
      madeCall(index, {
        callId: index + 1,
        model: MODEL,
        route: routes[index % routes.length]!,
        at: Math.floor(firstMs + index * stepMs),
      });
    // Calls are archived in the order of their rows, which begins here.
    const amountE8 = HELD_E8 * BigInt(calls);
    await storage.commitBatch([
      { kind: "credit", projectId: "bench", amountE8, reference: undefined, at: firstMs },
    ]);
    for (let first = 0; first < calls; first += BATCH) {
      const length = Math.min(BATCH, calls - first);
      const batch = Array.from({ length }, (_, index) => callOf(first + index));
      const results = await storage.commitBatch(
        batch.map((call) => ({ kind: "close", call })),
      );
      const refused = results.find(({ ok }) => !ok);
      if (refused !== undefined) throw new Error(`Cannot add calls: ${JSON.stringify(refused)}`);
    }
    await storage.writeSums();
  } finally {
    await storage.close();
  }
}
