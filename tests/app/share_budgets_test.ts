/**
 * Budgets and spend brakes over several nodes of one real database.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { GatewayError } from "../../src/errors.ts";
import { UNIT } from "../accounts/spending_process.ts";
import { type Nodes, openNodes } from "../support/nodes_of_a_database.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../support/postgres_server.ts";
import { until } from "../support/until.ts";
import { type BudgetNode, budgetNode, type Settings, setUp } from "./nodes_with_budgets.ts";

const PROJECT = { scope: "project", id: "acme" } as const;

const server = postgresOfFile();

/** Runs a test with nodes that share these budgets. */
async function withNodes(
  settings: Settings,
  run: (all: readonly BudgetNode[], nodes: Nodes) => Promise<void>,
  count = 3,
): Promise<void> {
  await using nodes = await openNodes(server, { count });
  await setUp(nodes.storages[0]!, settings);
  const all = await Promise.all(nodes.storages.map((storage) => budgetNode(storage, settings)));
  try {
    await run(all, nodes);
  } finally {
    await Promise.all(all.map((node) => node.stop()));
  }
}

/** Calls of one sort. */
interface Sort {
  readonly saleE8: bigint;
  readonly reservedE8?: bigint;
}

/** How many of so many calls at once to each node are let in. */
async function letIn(all: readonly BudgetNode[], calls: number, { saleE8, reservedE8 }: Sort) {
  const each = all.flatMap((node) =>
    Array.from({ length: calls }, () => node.spend(saleE8, reservedE8))
  );
  return (await Promise.all(each)).filter(Boolean).length;
}

/** Calls until so many were let in: then no more are. */
async function spendAll(all: readonly BudgetNode[], calls: number, sort: Sort): Promise<void> {
  let spent = 0;
  await until("all of it to be spent", async () => {
    spent += await letIn(all, 20, sort);
    return spent >= calls;
  });
  assert.equal(spent, calls);
  assert.equal(await letIn(all, 1, sort), 0);
}

Deno.test("nodes together spend a budget and no more", NEEDS_POSTGRES, async () => {
  await withNodes({ project: { dailyE8: UNIT } }, async (all) => {
    await spendAll(all, 100, { saleE8: UNIT / 100n });
  });
  await withNodes({ project: { monthlyE8: 2n * UNIT }, key: { dailyE8: UNIT } }, async (all) => {
    await spendAll(all, 100, { saleE8: UNIT / 100n });
  });
});

Deno.test(
  "what calls do not cost that they may have is spent by others",
  NEEDS_POSTGRES,
  async () => {
    await withNodes({ key: { monthlyE8: UNIT } }, async (all) => {
      await spendAll(all, 200, { saleE8: UNIT / 200n, reservedE8: UNIT / 10n });
    });
  },
);

Deno.test(
  "while anything is left a call begins, and it is the only one",
  NEEDS_POSTGRES,
  async () => {
    await withNodes({ project: { dailyE8: UNIT } }, async ([first, second, third]) => {
      const open = await first!.begin(UNIT - 1n);
      const last = await second!.begin(UNIT);
      for (const node of [first, second, third]) {
        await assert.rejects(node!.begin(1n), (error: GatewayError) => {
          assert.equal(error.why, "project_daily_budget");
          assert.match(
            error.message,
            /^The daily budget of 1\.00000000 of this project \(acme\) is reached: 0\.00000000 is spent this day, and calls under way may cost 1\.99999999 on top of that\./,
          );
          return true;
        });
      }
      await first!.end(open, UNIT / 2n);
      await second!.end(last, 0n);
      await until("what is left to be spent", () => third!.spend(UNIT / 2n));
      assert.equal(await first!.spend(1n), false);
      assert.equal(await second!.spend(1n), false);
    });
  },
);

Deno.test(
  "what a session has spent that ended without a word counts, and no part of it twice",
  NEEDS_POSTGRES,
  async () => {
    const settings = { project: { dailyE8: UNIT } };
    await withNodes(settings, async ([first, second], { database }) => {
      assert.equal(await first!.spend(UNIT / 2n), true);
      const open = await first!.begin(UNIT / 10n);
      assert.ok(open);
      await first!.stop();
      const session = "(SELECT min(session_id) FROM node_sessions WHERE session_id > 0)";
      await server.ask(
        database,
        `DROP TRIGGER live_on ON node_sessions;
         UPDATE node_sessions SET state = 'dead' WHERE session_id = ${session}`,
      );
      assert.equal(await second!.spend(UNIT / 2n, UNIT / 2n), true, "the last that may begin");
      assert.equal(await second!.spend(1n), false, "nothing is left");
    }, 2);
  },
);

Deno.test("a node that starts goes on where all of them were", NEEDS_POSTGRES, async () => {
  const settings = { project: { monthlyE8: UNIT } };
  await withNodes(settings, async ([first, second], { storages }) => {
    const sort = { saleE8: UNIT / 100n };
    const before = await letIn([first!, second!], 40, sort);
    await Promise.all([first!.stop(), second!.stop()]);
    await storages[0]!.close();
    await storages[1]!.beginSession();
    const next = await budgetNode(storages[1]!, settings);
    try {
      await spendAll([next], 100 - before, sort);
    } finally {
      await next.stop();
    }
  }, 2);
});

Deno.test("who is resumed on one node has the budget anew on all", NEEDS_POSTGRES, async () => {
  await withNodes({ project: { dailyE8: UNIT } }, async ([first, second], { storages }) => {
    assert.equal(await first!.spend(UNIT), true);
    assert.equal(await second!.spend(UNIT), false);
    await storages[0]!.writeSums();
    const wasStopped = await second!.spending.resume(PROJECT, async (state) => {
      const result = await second!.commits.commit({ kind: "put_spend_state", state });
      assert.ok(result.ok);
      first!.spending.put(state);
    });
    assert.ok(wasStopped);
    await spendAll([first!, second!], 100, { saleE8: UNIT / 100n });
  }, 2);
});

Deno.test("a brake sees what all nodes spend", NEEDS_POSTGRES, async () => {
  await withNodes({ project: { brakeTimes: 2, brakeFloorE8: UNIT } }, async (all, { storages }) => {
    for (const node of all) assert.equal(await node.spend(UNIT / 2n), true);
    await Promise.all(storages.map((storage) => storage.writeSums()));
    await until("one of them to pause it", () => all.some(({ paused }) => paused.length > 0));
    const paused = all.find((node) => node.paused.length > 0)!;
    assert.equal(paused.spending.view(PROJECT).pause?.spentE8, 3n * UNIT / 2n);
  });
});
