/**
 * Hourly sums of usage and of spending on their way to their tables. They gather
 * over many batches, since calls are spread over keys, models and routes and would
 * cost a row each; `meta` says up to which ledger row they are in the tables, so
 * that a start adds what a crash has kept from them. An hour's amount that no column
 * holds stays at the largest that one does: no call is refused for the sake of a sum.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { ClosedCall } from "../../domain/call.ts";
import { hourOf } from "../../domain/budgets.ts";
import { completionTokens, promptTokens } from "../../domain/work.ts";
import { spentE8 } from "../../domain/spending.ts";
import { CALL_COLUMNS, callFromRow, type CallRow } from "./call_row.ts";
import { storable } from "./wide_sum.ts";
import { COVERED, type WriteStatements } from "./write_statements.ts";

interface UsageSum {
  readonly hour: number;
  readonly call: ClosedCall;
  calls: number;
  promptTokens: number;
  completionTokens: number;
  costE8: bigint;
  saleE8: bigint;
  chargedE8: bigint;
  lossE8: bigint;
}

interface SpendSum {
  readonly hour: number;
  readonly projectId: string;
  readonly keyId: string;
  spentE8: bigint;
}

/** Sums that are not in the table yet. */
export class UsageSums {
  readonly #sums: Map<string, UsageSum> = new Map();
  readonly #spent: Map<string, SpendSum> = new Map();

  /** Rows that writing would take. */
  get size(): number {
    return this.#sums.size + this.#spent.size;
  }

  /** Adds a closed call to its hour's usage and spending. */
  add(call: ClosedCall): void {
    const hour = hourOf(call.closedAt);
    const key = `${hour}\0${call.projectId}\0${call.model}\0${call.provider}\0${call.route}`;
    let sum = this.#sums.get(key);
    if (sum === undefined) this.#sums.set(key, sum = emptySum(hour, call));
    sum.calls++;
    sum.promptTokens += promptTokens(call.work);
    sum.completionTokens += completionTokens(call.work);
    sum.costE8 += call.costE8;
    sum.saleE8 += call.saleE8;
    sum.chargedE8 += call.chargedE8;
    sum.lossE8 += call.lossE8;
    this.#addSpent(hour, call);
  }

  /** Writes the sums, which then cover the ledger up to `throughSeq`. The caller clears them once that is synced. */
  write(statements: WriteStatements, throughSeq: number): void {
    for (const sum of this.#sums.values()) {
      const { projectId, model, provider, route } = sum.call;
      statements.addUsage.run(
        sum.hour,
        projectId,
        model,
        provider,
        route,
        sum.calls,
        sum.promptTokens,
        sum.completionTokens,
        storable(sum.costE8),
        storable(sum.saleE8),
        storable(sum.chargedE8),
        storable(sum.lossE8),
      );
    }
    for (const { hour, projectId, keyId, spentE8 } of this.#spent.values()) {
      statements.addSpend.run(hour, projectId, keyId, storable(spentE8));
    }
    statements.coverUsage.run(String(throughSeq));
  }

  clear(): void {
    this.#sums.clear();
    this.#spent.clear();
  }

  #addSpent(hour: number, call: ClosedCall): void {
    const amountE8 = spentE8(call);
    if (amountE8 === 0n) return;
    const { projectId, keyId } = call;
    const key = `${hour}\0${projectId}\0${keyId}`;
    const sum = this.#spent.get(key);
    if (sum === undefined) this.#spent.set(key, { hour, projectId, keyId, spentE8: amountE8 });
    else sum.spentE8 += amountE8;
  }
}

/** Calls that the ledger has and the table has not, because the process died before they were written. */
export function uncoveredCalls(database: DatabaseSync): readonly ClosedCall[] {
  const columns = CALL_COLUMNS.map((column) => `calls.${column}`).join(", ");
  const statement = database.prepare(
    `SELECT ${columns} FROM ledger JOIN calls ON calls.call_id = ledger.call_id
     WHERE ledger.kind IN ('settle', 'release') AND ledger.seq >
       coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = '${COVERED}'), 0)`,
  );
  statement.setReadBigInts(true);
  const rows = statement.all() as unknown as CallRow[];
  return rows.map((row) => callFromRow(row) as ClosedCall);
}

function emptySum(hour: number, call: ClosedCall): UsageSum {
  return {
    hour,
    call,
    calls: 0,
    promptTokens: 0,
    completionTokens: 0,
    costE8: 0n,
    saleE8: 0n,
    chargedE8: 0n,
    lossE8: 0n,
  };
}
