/**
 * Ledgers of several nodes over one real database, which share the budgets of a project and its key.
 *
 * @module
 */

import assert from "node:assert/strict";
import { KeyDirectory } from "../../src/accounts/key_directory.ts";
import { Ledger } from "../../src/accounts/ledger.ts";
import { SpendBook } from "../../src/accounts/spend_book.ts";
import type { Hold } from "../../src/accounts/hold.ts";
import { shareBudgets } from "../../src/app/share_budgets.ts";
import type { Budgets } from "../../src/domain/budgets.ts";
import { systemClock } from "../../src/domain/clock.ts";
import type { SpendSubject } from "../../src/domain/spending.ts";
import type { GatewayError } from "../../src/errors.ts";
import { leaseFor } from "../../src/planning/lease_for.ts";
import type { Plan } from "../../src/planning/plan_call.ts";
import { GatheringQueue } from "../../src/storage/commit_queue.ts";
import type { PostgresStorage } from "../../src/storage/postgres/postgres_storage.ts";
import {
  sampleCatalogue,
  sampleKey,
  sampleOpenCall,
  sampleProject,
} from "../conformance/storage_samples.ts";
import { outcome } from "../accounts/spending_process.ts";

/** What the project and its key may spend on all nodes together. */
export interface Settings {
  readonly project?: Budgets;
  readonly key?: Budgets;
}

/** What calls are planned by is of no concern where the project has no balance. */
const NO_PLAN = {} as Plan;

/** All nodes' calls so far. */
let calls = 0;

/** Sets a database up for the nodes that follow. */
export async function setUp(storage: PostgresStorage, { project = {}, key = {} }: Settings) {
  const results = await storage.commitBatch([
    { kind: "create_project", project: sampleProject({ unlimited: true, budgets: project }) },
    { kind: "create_key", key: sampleKey({ budgets: key }) },
    { kind: "write_catalogue", catalogue: sampleCatalogue(), at: 0 },
  ]);
  assert.ok(results.every(({ ok }) => ok));
}

/** One node's ledger. */
export async function budgetNode(storage: PostgresStorage, settings: Settings) {
  const commits = new GatheringQueue({ write: (batch) => storage.commitBatch(batch) });
  const directory = new KeyDirectory(
    [sampleProject({ unlimited: true, budgets: settings.project ?? {} })],
    [sampleKey({ budgets: settings.key ?? {} })],
  );
  const paused: SpendSubject[] = [];
  const onTrouble = (trouble: unknown) => assert.fail(String(trouble));
  const spending = new SpendBook({
    ...{ directory, commits, onTrouble },
    spending: storage.spending,
    now: () => systemClock.now(),
    onPause: ({ scope, id }) => paused.push({ scope, id }),
  });
  const ledger = new Ledger({
    ...{ commits, spending, onTrouble },
    balances: [],
    now: () => systemClock.now(),
    retryDelay: () => Promise.resolve(),
    leases: { monotonic: () => systemClock.monotonic(), balances: () => Promise.resolve([]) },
  });
  await spending.load();
  const sharing = await shareBudgets(storage, {
    ...{ spending, storage, onTrouble },
    clock: systemClock,
    later(run, ms) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  });
  const begin = (reservedE8: bigint): Promise<Hold> => {
    const call = sampleOpenCall({ callId: ++calls, heldE8: 0n, unlimited: true, reservedE8 });
    return Promise.resolve(leaseFor(ledger, {
      ...{ plan: NO_PLAN, projectId: call.projectId },
      take: () => ledger.hold(call)!,
    }));
  };
  return {
    ...{ commits, spending, ledger, paused, begin },
    end: (hold: Hold, saleE8: bigint) => ledger.close(hold, outcome(saleE8)),
    /** A whole call; says whether it was let in. */
    async spend(saleE8: bigint, reservedE8 = saleE8): Promise<boolean> {
      try {
        await ledger.close(await begin(reservedE8), outcome(saleE8));
        return true;
      } catch (error) {
        assert.equal((error as GatewayError).error, "insufficient_balance", String(error));
        return false;
      }
    },
    async stop() {
      await sharing!.stop();
      await commits.flush();
    },
  };
}

/** See {@linkcode budgetNode}. */
export type BudgetNode = Awaited<ReturnType<typeof budgetNode>>;
