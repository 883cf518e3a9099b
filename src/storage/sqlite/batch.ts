/**
 * What one transaction keeps in memory while its entries are applied: balances, and rows of the
 * ledger with its next number. Balances are written once, by `flush`, so that a batch costs one row
 * per project however many calls it carries; rows of the ledger go many to a statement.
 *
 * @module
 */

import type { ClosedCall, OpenCall } from "../../domain/call.ts";
import type { SessionId } from "../../domain/session.ts";
import type { MovingBalance, NewLedgerRow } from "../entries/call_steps.ts";
import { ANY_CALL, OPENED_CALL, USUAL_CALL, USUAL_CLOSE } from "./call_statements.ts";
import { ledgerValues } from "../rows/ledger_row.ts";
import type { ColumnValue } from "../rows/row_checksum.ts";
import { change } from "./statements.ts";
import { LEDGER_ROW_VALUES, type WriteStatements } from "./write_statements.ts";

/** What a batch goes on from. */
export interface BatchOptions {
  /** `seq` of the last ledger row. */
  readonly lastSeq: number;
  /** Balances as they are stored, which the batch moves on and adds to. */
  readonly balances: Map<string, MovingBalance>;
  readonly openCalls: Map<number, OpenCall>;
  /** Whose the calls are. */
  readonly session: SessionId;
}

/** One batch, or one entry of it when entries are applied one by one. */
export class Batch {
  readonly statements: WriteStatements;
  readonly #balances: Map<string, MovingBalance>;
  /** Those that this batch has moved, or not, with what they were. */
  readonly #before: Map<string, Readonly<MovingBalance>> = new Map();
  readonly closedCalls: ClosedCall[] = [];
  /** Calls that this writer has written a hold of, and no close yet, as their rows have them. */
  readonly openCalls: Map<number, OpenCall>;
  readonly #session: SessionId;
  #lastSeq: number;
  /** Rows that are not in the table yet, one's values behind the other's. */
  #ledger: ColumnValue[] = [];

  constructor(
    statements: WriteStatements,
    { lastSeq, balances, openCalls, session }: BatchOptions,
  ) {
    this.statements = statements;
    this.#balances = balances;
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
    const balance = this.#balances.get(projectId) ?? this.#readBalance(projectId);
    if (balance !== undefined && !this.#before.has(projectId)) {
      this.#before.set(projectId, { ...balance });
    }
    return balance;
  }

  #readBalance(projectId: string): MovingBalance | undefined {
    const row = this.statements.readBalance.get(projectId);
    if (row === undefined) return undefined;
    const balance = { avail: row.avail_e8 as bigint, held: row.held_e8 as bigint };
    this.#balances.set(projectId, balance);
    return balance;
  }

  /** Inserts a call's row; changes nothing if there is one. */
  insertCall(values: readonly ColumnValue[]): boolean {
    const { insertCall, insertOpened, insertUsual } = this.statements;
    const [statement, insert] = OPENED_CALL.fits(values)
      ? [insertOpened, OPENED_CALL]
      : USUAL_CALL.fits(values)
      ? [insertUsual, USUAL_CALL]
      : [insertCall, ANY_CALL];
    const bound = insert.bound(values);
    bound.push(this.#session);
    return this.statements.changes.of(statement, bound) === 1;
  }

  /**
   * Closes a call's row; changes nothing unless the same hold is open.
   *
   * @param values Of the closed call's row.
   * @param open The call as its row has it, if that is known.
   */
  closeCall(call: ClosedCall, values: readonly ColumnValue[], open?: OpenCall): boolean {
    const { changes, closeCall, closeUsual } = this.statements;
    const isUsual = open !== undefined && USUAL_CLOSE.fitsCall(open, { call, values });
    const changed = isUsual
      ? changes.of(closeUsual, USUAL_CLOSE.bound(values))
      : changes.of(closeCall, values);
    return changed === 1;
  }

  /** Appends to the ledger. The balance after the row is the one the batch has now. */
  appendLedger(row: NewLedgerRow, balance: MovingBalance): void {
    const seq = ++this.#lastSeq;
    const balanceAfterE8 = balance.avail + balance.held;
    this.#ledger.push(...ledgerValues({ ...row, seq, balanceAfterE8 }));
  }

  /** Writes the rows of the ledger so far: before something reads them, and at the end. */
  writeLedger(): void {
    const values = this.#ledger;
    if (values.length === 0) return;
    this.#ledger = [];
    const { insertLedger, insertLedger4, insertLedger16 } = this.statements;
    for (let at = 0; at < values.length;) {
      const left = (values.length - at) / LEDGER_ROW_VALUES;
      const [rows, statement] = left >= 16
        ? [16, insertLedger16] as const
        : left >= 4
        ? [4, insertLedger4] as const
        : [1, insertLedger] as const;
      change(statement, values.slice(at, at += rows * LEDGER_ROW_VALUES));
    }
  }

  /** Notes a call that this batch has closed, for the usage sums. */
  noteClosed(call: ClosedCall): void {
    this.closedCalls.push(call);
  }

  /** Writes what was gathered. */
  flush(): void {
    this.writeLedger();
    for (const [projectId, before] of this.#before) {
      const { avail, held } = this.#balances.get(projectId)!;
      if (avail === before.avail && held === before.held) continue;
      change(this.statements.writeBalance, [avail, held, projectId]);
    }
  }
}
