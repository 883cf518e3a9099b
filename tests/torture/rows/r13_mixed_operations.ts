/**
 * R13: thousands of operations of all kinds against an independent model of balances.
 *
 * @module
 */

import type { UpstreamRecord } from "../../support/fault_upstream/upstream_log.ts";
import { checkBookRows } from "../books/check_books.ts";
import { checkUpstream } from "../books/check_upstream.ts";
import { ledgerDifferences } from "../books/ledger_differences.ts";
import { quietBooks } from "../books/quiet_books.ts";
import * as chat from "../model/chat_operations.ts";
import { PAYING } from "../model/mixed_catalogue.ts";
import { MixedWorld } from "../model/mixed_world.ts";
import * as other from "../model/other_operations.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

const WORKERS = 16;

const OPERATIONS = { ...chat, ...other } satisfies Record<string, chat.Operation>;

const WEIGHTS: Readonly<Record<keyof typeof OPERATIONS, number>> = {
  wellDone: 45,
  uncounted: 8,
  overused: 4,
  flaky: 8,
  fallenBack: 6,
  leftBefore: 4,
  leftWithin: 8,
  repeated: 3,
  embedded: 6,
  responded: 5,
  filmed: 0.4,
  unwanted: 0.6,
  credited: 2,
  keyDisabled: 1,
  badlyAsked: 5,
};

export const row: ScorecardRow = {
  id: "R13",
  title: "mixed operations against a model",
  seededBug: {
    name: "estimates_are_free",
    says: "a call whose upstream did not count is not charged",
    edits: [{
      file: "src/accounts/close_call.ts",
      find: "const chargedE8 = !billable || call.unlimited ? 0n : saleE8 < call.heldE8",
      replace: `const isEstimated = outcome.usageSource === "estimated";
  const chargedE8 = !billable || call.unlimited || isEstimated ? 0n : saleE8 < call.heldE8`,
    }],
  },
  async run({ size, random, folder, note }) {
    const count = size.pick({ commit: 2_000, full: 20_000 });
    const dataDir = `${folder}/data`;
    await using world = await MixedWorld.start({ dataDir, logFile: `${folder}/upstream.log` });
    const found = new RowFinding(`${count} operations of ${Object.keys(WEIGHTS).length} kinds`);
    const startedAt = performance.now();
    let begun = 0;
    await found.during(
      "the operations",
      () =>
        Promise.all(Array.from({ length: WORKERS }, async () => {
          while (begun < count) {
            const number = ++begun;
            // What an operation is depends on its number alone, and not on who is done first.
            const own = random.of(`operation ${number}`);
            await OPERATIONS[own.weighted(WEIGHTS)](world, own.pick(PAYING), own);
            if (number % 1_000 === 0) note(`R13: ${number} of ${count} operations`);
          }
        })),
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    const rows = await quietBooks(dataDir);
    found.requireNone(world.surprises);
    const differences = world.model.compare(rows);
    found.count("differences from the model", differences.length, { exactly: 0 });
    found.requireNone(differences);
    found.requireNone(checkBookRows(rows));
    const tags = world.model.tags();
    await found.during("the upstream's attempts", () => world.upstream.ended());
    const { records } = world.upstream.log;
    found.requireNone(checkUpstream({
      records,
      calls: rows.calls,
      tagOf: ({ requestId }) => tags.get(requestId),
    }));
    found.count("completions of the upstream", records.filter(isCompleted).length);
    found.requireNone(await ledgerDifferences(dataDir));
    found.count("calls in the books", rows.calls.length);
    found.count("asked and in no book", refusals(rows.calls.length, world));
    found.measure("operations in a second", count / seconds, { unit: "/s" });
    // And what it leaves behind when it stops is the same.
    await world.gateway.server.stop();
    found.requireNone(world.model.compare(await quietBooks(dataDir)));
    return found;
  },
};

function isCompleted({ outcome }: UpstreamRecord): boolean {
  return outcome === "completed";
}

/** Operations that are in no book are those that were refused, one way or another. */
function refusals(calls: number, { model }: MixedWorld): number {
  return Math.max(0, model.size - calls);
}
