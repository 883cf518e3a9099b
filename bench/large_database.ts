/**
 * Fills a data dir with keys and past calls, through the gateway's own storage: the rows, balances
 * and checksums are those that it would have written itself.
 *
 * @module
 */

import { makeKey } from "../src/accounts/project_key.ts";
import type { ClosedCall } from "../src/domain/call.ts";
import type { Entry } from "../src/storage/ports/entry.ts";
import type { Storage } from "../src/storage/ports/storage.ts";
import { createSqliteStorage } from "../src/storage/sqlite/sqlite_storage.ts";
import type { LargeSizes } from "./bench_run.ts";

const BATCH = 5_000;
const HOUR_MS = 3_600_000;
/** Calls lie this far apart in the past. */
const CALL_EVERY_MS = 500;
/** How many of the keys are used by the load. */
const KEYS_IN_USE = 1_000;

/**
 * Adds keys and closed calls to the project `bench` while no process has the data dir.
 *
 * @returns Some of the keys.
 */
export async function fillDatabase(dataDir: string, sizes: LargeSizes): Promise<string[]> {
  const storage = createSqliteStorage(`${dataDir}/tollgate.db`);
  try {
    const keys = await addKeys(storage, sizes.keys);
    await addCalls(storage, sizes);
    await storage.writeSums();
    return keys;
  } finally {
    await storage.close();
  }
}

async function addKeys(storage: Storage, count: number): Promise<string[]> {
  const inUse: string[] = [];
  await writeAll(storage, count, (index) => {
    const { key, hash, prefix } = makeKey();
    if (index % Math.ceil(count / KEYS_IN_USE) === 0) inUse.push(key);
    return {
      kind: "create_key",
      key: {
        id: `key_bench${index}`,
        projectId: "bench",
        name: `bench ${index}`,
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
  return inUse;
}

async function addCalls(storage: Storage, { usageRows, models }: LargeSizes): Promise<void> {
  const catalogue = await storage.catalogue.load();
  const routes = catalogue!.models.slice(0, models).flatMap(({ id, routes }) =>
    routes.map((route) => ({ model: id, route }))
  );
  const firstId = await storage.calls.lastCallId() + 1;
  const firstAt = Date.now() - HOUR_MS - usageRows * CALL_EVERY_MS;
  await writeAll(storage, usageRows, (index) => {
    const { model, route } = routes[index % routes.length]!;
    const at = firstAt + index * CALL_EVERY_MS;
    const call: ClosedCall = {
      callId: firstId + index,
      requestId: `req_bench_${index.toString(36)}`,
      projectId: "bench",
      keyId: `key_bench${index % 100}`,
      capability: "chat",
      model,
      provider: route.providerId,
      route: route.id,
      priceVersion: route.prices.version,
      heldE8: 100_000n,
      unlimited: false,
      stream: false,
      openedAt: at,
      state: "settled",
      result: "completed",
      closedAt: at + 300,
      firstByteMs: 120,
      attempts: 1,
      work: { input: 24, output: 20 },
      usageSource: "reported",
      costE8: 4_800n,
      saleE8: 5_280n,
      chargedE8: 5_280n,
      lossE8: 0n,
      errorCode: undefined,
    };
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
