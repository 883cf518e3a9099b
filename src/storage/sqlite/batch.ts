/**
 * What one transaction keeps in memory while its entries are applied: balances,
 * usage sums and the ledger's next number. They are written once, by `flush`, so
 * that a batch costs one balance row per project and one usage row per route
 * however many calls it carries.
 *
 * @module
 */

import type { ClosedCall, LedgerRow } from "../../domain/call.ts";
import type { AmountE8 } from "../../domain/money.ts";
import { ledgerValues } from "./ledger_row.ts";
import type { WriteStatements } from "./write_statements.ts";

/** A project's balance inside the batch. */
export interface BatchBalance {
  avail: AmountE8;
  held: AmountE8;
}

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

const HOUR_MS = 3_600_000;

/** One batch, or one entry of it when entries are applied one by one. */
export class Batch {
  readonly statements: WriteStatements;
  readonly #balances: Map<string, BatchBalance> = new Map();
  readonly #usage: Map<string, UsageSum> = new Map();
  #lastSeq: number;

  constructor(statements: WriteStatements, lastSeq: number) {
    this.statements = statements;
    this.#lastSeq = lastSeq;
  }

  /** `seq` of the last ledger row, with this batch's own. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The project's balance as of the entries so far; `undefined` if there is no such project. */
  balance(projectId: string): BatchBalance | undefined {
    const known = this.#balances.get(projectId);
    if (known !== undefined) return known;
    const row = this.statements.readBalance.get(projectId);
    if (row === undefined) return undefined;
    const balance = { avail: row.avail_e8 as bigint, held: row.held_e8 as bigint };
    this.#balances.set(projectId, balance);
    return balance;
  }

  /** Appends to the ledger. The balance after the row is the one the batch has now. */
  appendLedger(row: Omit<LedgerRow, "seq" | "balanceAfterE8">, balance: BatchBalance): void {
    const values = ledgerValues({
      ...row,
      seq: this.#lastSeq + 1,
      balanceAfterE8: balance.avail + balance.held,
    });
    this.statements.insertLedger.run(...values);
    this.#lastSeq++;
  }

  /** Adds a closed call to its hour's usage. */
  addUsage(call: ClosedCall): void {
    const hour = Math.floor(call.closedAt / HOUR_MS);
    const key = `${hour}\0${call.projectId}\0${call.model}\0${call.provider}\0${call.route}`;
    const sum = this.#usage.get(key);
    if (sum === undefined) {
      this.#usage.set(key, {
        hour,
        call,
        calls: 1,
        promptTokens: call.usage.promptTokens,
        completionTokens: call.usage.completionTokens,
        costE8: call.costE8,
        saleE8: call.saleE8,
        chargedE8: call.chargedE8,
        lossE8: call.lossE8,
      });
      return;
    }
    sum.calls++;
    sum.promptTokens += call.usage.promptTokens;
    sum.completionTokens += call.usage.completionTokens;
    sum.costE8 += call.costE8;
    sum.saleE8 += call.saleE8;
    sum.chargedE8 += call.chargedE8;
    sum.lossE8 += call.lossE8;
  }

  /** Writes what was gathered. */
  flush(): void {
    const { writeBalance, addUsage } = this.statements;
    for (const [projectId, { avail, held }] of this.#balances) {
      writeBalance.run(avail, held, projectId);
    }
    for (const sum of this.#usage.values()) {
      const { projectId, model, provider, route } = sum.call;
      addUsage.run(
        sum.hour,
        projectId,
        model,
        provider,
        route,
        sum.calls,
        sum.promptTokens,
        sum.completionTokens,
        sum.costE8,
        sum.saleE8,
        sum.chargedE8,
        sum.lossE8,
      );
    }
  }
}
