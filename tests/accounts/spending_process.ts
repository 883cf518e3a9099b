/**
 * A ledger with budgets over a real database, as a process has it, with a clock that
 * tests move.
 *
 * @module
 */

import assert from "node:assert/strict";
import { KeyDirectory } from "../../src/accounts/key_directory.ts";
import { Ledger } from "../../src/accounts/ledger.ts";
import { SpendBook } from "../../src/accounts/spend_book.ts";
import type { CallOutcome } from "../../src/accounts/close_call.ts";
import type { Budgets } from "../../src/domain/budgets.ts";
import type { OpenCall } from "../../src/domain/call.ts";
import type { SpendSubject } from "../../src/domain/spending.ts";
import type { GatewayError } from "../../src/errors.ts";
import { GatheringQueue } from "../../src/storage/commit_queue.ts";
import { createSqliteStorage } from "../../src/storage/sqlite/sqlite_storage.ts";
import {
  sampleCatalogue,
  sampleClosedCall,
  sampleKey,
  sampleOpenCall,
  sampleProject,
} from "../conformance/storage_samples.ts";
import { withDatabasePath } from "../storage/sqlite/temporary_database.ts";
import { FakeClock } from "../support/fake_clock.ts";

/** One unit of the currency. */
export const UNIT = 100_000_000n;

/** What the project and its first key may spend. */
export interface Settings {
  readonly project?: Budgets;
  readonly key?: Budgets;
  readonly unlimited?: boolean;
}

/** What a process has after its start; `spending` is yet to be loaded. */
export async function boot(path: string, { project = {}, key = {}, unlimited = false }: Settings) {
  const clock = new FakeClock();
  const storage = createSqliteStorage(path);
  const settings = sampleProject({ unlimited, budgets: project });
  const keys = [sampleKey({ budgets: key }), sampleKey({ id: "key_2", hash: "b".repeat(64) })];
  if ((await storage.accounts.loadProjects()).length === 0) {
    const results = await storage.commitBatch([
      { kind: "create_project", project: settings },
      ...keys.map((one) => ({ kind: "create_key", key: one }) as const),
      { kind: "write_catalogue", catalogue: sampleCatalogue(), at: 0 },
      { kind: "credit", projectId: "acme", amountE8: 1_000n * UNIT, reference: undefined, at: 0 },
    ]);
    assert.ok(results.every(({ ok }) => ok));
  }
  const commits = new GatheringQueue({ write: (batch) => storage.commitBatch(batch) });
  const directory = new KeyDirectory([settings], keys);
  const paused: SpendSubject[] = [];
  const troubles: string[] = [];
  const spending = new SpendBook({
    directory,
    spending: storage.spending,
    commits,
    now: () => clock.now(),
    onPause: ({ scope, id }) => paused.push({ scope, id }),
    onTrouble: (message) => assert.fail(message),
  });
  const ledger = new Ledger({
    commits,
    balances: await storage.accounts.loadBalances(),
    spending,
    now: () => clock.now(),
    onTrouble: (message) => troubles.push(message),
    retryDelay: () => Promise.resolve(),
  });
  let callId = await storage.calls.lastCallId();
  const call = (changes: Partial<OpenCall> = {}) =>
    sampleOpenCall({
      callId: ++callId,
      heldE8: unlimited ? 0n : UNIT,
      unlimited,
      ...changes,
    });
  return {
    clock,
    storage,
    commits,
    directory,
    spending,
    ledger,
    paused,
    call,
    hold: (changes: Partial<OpenCall> = {}) => ledger.hold(call(changes))!,
    /** A whole call. */
    async spend(saleE8: bigint, changes: Partial<OpenCall> = {}) {
      const hold = ledger.hold(call({ heldE8: unlimited ? 0n : saleE8, ...changes }))!;
      await ledger.close(hold, outcome(saleE8));
    },
    /** As an operator does; the audit log is others' business. */
    resume: (subject: SpendSubject) =>
      spending.resume(subject, (state) => commits.commit({ kind: "put_spend_state", state })),
    async stop() {
      await commits.flush();
      assert.deepEqual(troubles.filter((message) => message !== "no space"), []);
      await storage.close();
    },
  };
}

/** See {@linkcode boot}. */
export type Booted = Awaited<ReturnType<typeof boot>>;

/** Runs a test in a process of its own. */
export async function booted(settings: Settings, run: (process: Booted) => Promise<void>) {
  await withDatabasePath(async (path) => {
    const process = await boot(path, settings);
    try {
      await process.spending.load();
      await run(process);
    } finally {
      await process.stop();
    }
  });
}

/** How a call ends that is paid for. */
export function outcome(saleE8: bigint, changes: Partial<CallOutcome> = {}): CallOutcome {
  const { work, usageSource, costE8, firstByteMs, attempts } = sampleClosedCall();
  const facts = { work, usageSource, costE8, firstByteMs, attempts };
  return {
    ...facts,
    result: "completed",
    billable: true,
    saleE8,
    errorCode: undefined,
    ...changes,
  };
}

/** The next call is refused for what was spent, in these words. */
export function refused({ hold }: Pick<Booted, "hold">, message: RegExp, call?: Partial<OpenCall>) {
  assert.throws(() => hold(call), (error: GatewayError) => {
    assert.equal(error.error, "insufficient_balance");
    assert.match(error.message, message);
    return true;
  });
}
