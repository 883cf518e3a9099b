/**
 * What one transaction keeps in memory while its entries are applied: balances
 * and the ledger's next number. Balances are written once, by `flush`, so that a
 * batch costs one row per project however many calls it carries.
 *
 * @module
 */

import type { ClosedCall } from "../../domain/call.ts";
import type { SessionId } from "../../domain/session.ts";
import type { MovingBalance, NewLedgerRow } from "../entries/call_steps.ts";
import { ledgerValues } from "./ledger_row.ts";
import type { ColumnValue } from "./row_checksum.ts";
import type { WriteStatements } from "./write_statements.ts";

/** What a batch goes on from. */
export interface BatchOptions {
  /** `seq` of the last ledger row. */
  readonly lastSeq: number;
  readonly openCalls: Set<number>;
  /** Whose the calls are. */
  readonly session: SessionId;
}

/** One batch, or one entry of it when entries are applied one by one. */
export class Batch {
  readonly statements: WriteStatements;
  readonly #balances: Map<string, MovingBalance> = new Map();
  readonly closedCalls: ClosedCall[] = [];
  /** Calls that this writer has written a hold of, and no close yet. */
  readonly openCalls: Set<number>;
  readonly #session: SessionId;
  #lastSeq: number;

  constructor(statements: WriteStatements, { lastSeq, openCalls, session }: BatchOptions) {
    this.statements = statements;
    this.openCalls = openCalls;
    this.#session = session;
    this.#lastSeq = lastSeq;
  }

  /** `seq` of the last ledger row, with this batch's own. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The project's balance as of the entries so far; `undefined` if there is no such project. */
  balance(projectId: string): MovingBalance | undefined {
    const known = this.#balances.get(projectId);
    if (known !== undefined) return known;
    const row = this.statements.readBalance.get(projectId);
    if (row === undefined) return undefined;
    const balance = { avail: row.avail_e8 as bigint, held: row.held_e8 as bigint };
    this.#balances.set(projectId, balance);
    return balance;
  }

  /** Inserts a call's row; changes nothing if there is one. */
  insertCall(values: readonly ColumnValue[]): boolean {
    return this.statements.insertCall.run(...values, this.#session).changes === 1;
  }

  /** Appends to the ledger. The balance after the row is the one the batch has now. */
  appendLedger(
    row: NewLedgerRow,
    balance: MovingBalance,
  ): void {
    const values = ledgerValues({
      ...row,
      seq: this.#lastSeq + 1,
      balanceAfterE8: balance.avail + balance.held,
    });
    this.statements.insertLedger.run(...values);
    this.#lastSeq++;
  }

  /** Notes a call that this batch has closed, for the usage sums. */
  noteClosed(call: ClosedCall): void {
    this.closedCalls.push(call);
  }

  /** Writes what was gathered. */
  flush(): void {
    const { writeBalance } = this.statements;
    for (const [projectId, { avail, held }] of this.#balances) {
      writeBalance.run(avail, held, projectId);
    }
  }
}
