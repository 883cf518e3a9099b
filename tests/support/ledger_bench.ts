/**
 * A ledger for one test, over a real database.
 *
 * @module
 */

import { workOfTokens } from "../../src/domain/work.ts";
import type { CallOutcome } from "../../src/accounts/close_call.ts";
import { Ledger } from "../../src/accounts/ledger.ts";
import type { OpenCall } from "../../src/domain/call.ts";
import type { EntryResult } from "../../src/storage/ports/entry.ts";
import { GatheringQueue } from "../../src/storage/commit_queue.ts";
import { createSqliteStorage } from "../../src/storage/sqlite/sqlite_storage.ts";

/** A call of project `p` that holds 100. */
export const openOf: OpenCall = {
  callId: 1,
  requestId: "req_aaaaaaaaaaaa1",
  projectId: "p",
  keyId: "k",
  capability: "chat",
  model: "m",
  provider: "a",
  route: "a/m",
  priceVersion: 1,
  heldE8: 100n,
  unlimited: false,
  stream: false,
  openedAt: 1_000,
};

/** What its caller presents, where a directory knows its key. */
export const keyOf = "sk-tg-odd";

/** It is charged 60. */
export const outcomeOf: CallOutcome = {
  result: "completed",
  billable: true,
  work: workOfTokens({ promptTokens: 3, completionTokens: 4 }),
  usageSource: "reported",
  costE8: 40n,
  saleE8: 60n,
  firstByteMs: 5,
  attempts: 1,
  errorCode: undefined,
};

/** A ledger over a real database, with a balance of 250 for project `p` and a switch that makes writes fail. */
export async function openLedger() {
  const folder = await Deno.makeTempDir();
  const storage = createSqliteStorage(`${folder}/t.db`);
  const project = {
    id: "p",
    unlimited: false,
    disabled: false,
    models: ["*"],
    limits: {},
    budgets: {},
    quotas: {},
    createdAt: 0,
  };
  const prices = {
    version: 0,
    routeId: "a/m",
    currency: "USD",
    cost: undefined,
    sale: { kind: "free" },
  } as const;
  await storage.commitBatch([
    { kind: "create_project", project },
    {
      kind: "write_catalogue",
      at: 0,
      catalogue: {
        currency: "USD",
        providers: [{
          id: "a",
          kind: "builtin",
          baseUrl: undefined,
          apiKeys: [],
          auth: { kind: "none" },
          official: false,
          headers: {},
          query: {},
          timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1, totalMs: 1 },
        }],
        models: [{
          id: "m",
          kind: "chat",
          aliases: [],
          manualSelection: true,
          createdAt: 0,
          routes: [{
            id: "a/m",
            modelId: "m",
            providerId: "a",
            upstreamModel: "m",
            riskLevel: "low",
            priority: 0,
            weight: 1,
            enabled: true,
            maintenance: false,
            supports: {},
            limits: {},
            body: { set: {}, default: {}, drop: [] },
            prices,
            video: undefined,
          }],
        }],
      },
    },
    { kind: "credit", projectId: "p", amountE8: 250n, reference: undefined, at: 0 },
  ]);
  const disk: { full: boolean; isAway: boolean; refusal?: EntryResult | undefined } = {
    full: false,
    isAway: false,
  };
  const noSpace: EntryResult = { ok: false, reason: "full", message: "no space" };
  const commits = new GatheringQueue({
    write: (batch) => {
      const refusal = disk.full ? noSpace : disk.refusal;
      return refusal === undefined
        ? storage.commitBatch(batch)
        : Promise.resolve(batch.map(() => refusal));
    },
  });
  const trouble: string[] = [];
  const waits: (() => void)[] = [];
  const ledger = new Ledger({
    commits,
    balances: await storage.accounts.loadBalances(),
    now: () => 2_000,
    onTrouble: (message) => trouble.push(message),
    retryDelay: () => new Promise((resolve) => waits.push(resolve)),
    isAway: () => disk.isAway,
  });
  return {
    storage,
    commits,
    ledger,
    disk,
    trouble,
    waits,
    async [Symbol.asyncDispose]() {
      await commits.flush();
      await storage.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}
