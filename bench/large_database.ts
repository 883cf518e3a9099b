/**
 * Fills a data dir with keys and past calls, through the gateway's own storage: the rows, balances
 * and checksums are those that it would have written itself.
 *
 * @module
 */

import { makeKey } from "../src/accounts/project_key.ts";
import type { Entry } from "../src/storage/ports/entry.ts";
import type { Storage } from "../src/storage/ports/storage.ts";
import { createSqliteStorage } from "../src/storage/sqlite/sqlite_storage.ts";
import { MIGRATIONS } from "../src/storage/sqlite/migrations.ts";
import type { LargeSizes } from "./bench_run.ts";
import type { Command } from "./child_process.ts";
import { placeKept } from "./kept_databases.ts";
import { HELD_E8, madeCall } from "./made_calls.ts";
import { applyCatalogue, type CatalogueOptions, makeDataDir } from "./servers.ts";

const BATCH = 5_000;
const HOUR_MS = 3_600_000;
/** Calls lie this far apart in the past. */
const CALL_EVERY_MS = 500;
/** How many of the keys are used by the load. */
const KEYS_IN_USE = 1_000;
/** How names of kept databases begin. */
const KEPT = "tollgate-bench-large";

/**
 * Makes a large data dir for this run's upstream. Its database is kept for the next run, but for the
 * keys in use.
 *
 * @returns Those keys.
 */
export async function makeLargeDataDir(
  command: Command,
  { sizes, ...options }: Omit<CatalogueOptions, "size"> & { readonly sizes: LargeSizes },
): Promise<readonly string[]> {
  const { path } = options;
  const current = `${KEPT}-v${MIGRATIONS.length}-`;
  await placeKept(path, {
    kind: KEPT,
    current,
    name: `${current}${Object.values(sizes).join("-")}.db`,
    make: async (path) => {
      await applyCatalogue(command, { ...options, path, size: sizes });
      await fillDatabase(path, { ...sizes, keys: sizes.keys - KEYS_IN_USE });
    },
  });
  await makeDataDir(command, { ...options, size: sizes });
  const storage = createSqliteStorage(`${path}/tollgate.db`);
  try {
    return await addKeys(storage, { count: KEYS_IN_USE, name: "in_use" });
  } finally {
    await storage.close();
  }
}

/** Adds keys and closed calls to the project `bench` while no process has the data dir. */
export async function fillDatabase(dataDir: string, sizes: LargeSizes): Promise<void> {
  const storage = createSqliteStorage(`${dataDir}/tollgate.db`);
  try {
    await addKeys(storage, { count: sizes.keys, name: "bench" });
    await addCalls(storage, sizes);
    await storage.writeSums();
  } finally {
    await storage.close();
  }
}

async function addKeys(
  storage: Storage,
  { count, name }: { readonly count: number; readonly name: string },
): Promise<readonly string[]> {
  const made: string[] = [];
  await writeAll(storage, count, (index) => {
    const { key, hash, prefix } = makeKey();
    made.push(key);
    return {
      kind: "create_key",
      key: {
        id: `key_${name}${index}`,
        projectId: "bench",
        name: `${name} ${index}`,
        prefix,
        hash,
        models: undefined,
        limits: {},
        budgets: {},
        expiresAt: undefined,
        disabled: false,
        createdAt: 0,
      },
    };
  });
  return made;
}

/**
 * Adds closed calls to the project `bench`, for which it gets as much as they are held for.
 *
 * @param sizes `firstAt`, of the first one in milliseconds since the epoch. Default: so that the last one
 * is an hour old.
 */
export async function addCalls(
  storage: Storage,
  { usageRows, models, firstAt = Date.now() - HOUR_MS - usageRows * CALL_EVERY_MS }:
    & Pick<LargeSizes, "usageRows" | "models">
    & { readonly firstAt?: number | undefined },
): Promise<void> {
  const catalogue = await storage.catalogue.load();
  const routes = catalogue!.models.slice(0, models).flatMap(({ id, routes }) =>
    routes.map((route) => ({ model: id, route }))
  );
  const firstId = await storage.calls.lastCallId() + 1;
  const amountE8 = HELD_E8 * BigInt(usageRows);
  await storage.commitBatch([
    { kind: "credit", projectId: "bench", amountE8, reference: undefined, at: firstAt },
  ]);
  await writeAll(storage, usageRows, (index) => {
    const { model, route } = routes[index % routes.length]!;
    const at = firstAt + index * CALL_EVERY_MS;
    const call = madeCall(index, { callId: firstId + index, model, route, at });
    return { kind: "close", call };
  });
}

async function writeAll(
  storage: Storage,
  count: number,
  entry: (index: number) => Entry,
): Promise<void> {
  for (let first = 0; first < count; first += BATCH) {
    const length = Math.min(BATCH, count - first);
    const batch = Array.from({ length }, (_, index) => entry(first + index));
    for (const result of await storage.commitBatch(batch)) {
      if (!result.ok) throw new Error(`Cannot fill the database: ${result.message}`);
    }
  }
}
