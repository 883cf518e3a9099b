/**
 * Re-adds balances from ledger rows and compares each row's balance on the way.
 *
 * @module
 */

import { type BookPlace, MAIN_BOOK } from "../../domain/book.ts";
import type { LedgerKind, LedgerRow } from "../../domain/call.ts";
import type { AmountE8 } from "../../domain/money.ts";
import type { Differences } from "../base/findings.ts";

interface Running {
  /** The balance after the last row, as far as it is believed. */
  balance: bigint;
  suspect: Suspect | undefined;
}

/** A row whose amount and balance contradict each other; the next row tells which one is wrong. */
interface Suspect {
  readonly row: LedgerRow;
  /** The balance before the row. */
  readonly before: bigint;
  /** What the row's amount says. */
  readonly byAmount: bigint;
}

const SIGNS: { readonly [kind in LedgerKind]: bigint } = {
  credit: 1n,
  settle: -1n,
  release: 0n,
  loss: 0n,
};

/** A row's number, and its book where that is not the main one. */
export function rowName({ book, seq }: BookPlace): string {
  return book === MAIN_BOOK ? String(seq) : `${book}/${seq}`;
}

/** The balances of all projects in one book, re-added row by row. */
export class RunningBalances {
  readonly #projects = new Map<string, Running>();
  readonly #differences: Differences;

  /** @param opening What the projects begin with; one that is missing begins with nothing. */
  constructor(differences: Differences, opening: ReadonlyMap<string, AmountE8> = new Map()) {
    this.#differences = differences;
    for (const [projectId, balance] of opening) {
      this.#projects.set(projectId, { balance, suspect: undefined });
    }
  }

  /** Takes the next row in order of `seq`. */
  add(row: LedgerRow): void {
    let running = this.#projects.get(row.projectId);
    if (running === undefined) {
      running = { balance: 0n, suspect: undefined };
      this.#projects.set(row.projectId, running);
    }
    const sign = SIGNS[row.kind] ?? 0n;
    const change = sign * row.amountE8;
    const { suspect } = running;
    if (suspect !== undefined) {
      const amountIsRight = row.balanceAfterE8 === suspect.byAmount + change;
      running.balance = this.#convict(suspect, amountIsRight);
      running.suspect = undefined;
    }
    const byAmount = running.balance + change;
    if (byAmount === row.balanceAfterE8) running.balance = byAmount;
    else running.suspect = { row, before: running.balance, byAmount };
  }

  /** The sum of a project's rows as far as it is believed. */
  soFar(projectId: string): bigint {
    return this.#projects.get(projectId)?.balance ?? 0n;
  }

  /** The sum of a project's rows, given what it is now; decides what is still open. */
  total(projectId: string, balanceNow: bigint): bigint {
    const running = this.#projects.get(projectId);
    if (running === undefined) return 0n;
    const { suspect } = running;
    if (suspect !== undefined) {
      running.balance = this.#convict(suspect, balanceNow === suspect.byAmount);
      running.suspect = undefined;
    }
    return running.balance;
  }

  /** Goes on from what some projects' balances are known to be here; decides what is still open of them. */
  goOnFrom(balances: ReadonlyMap<string, AmountE8>): void {
    for (const [projectId, balance] of balances) {
      this.total(projectId, balance);
      this.#projects.set(projectId, { balance, suspect: undefined });
    }
  }

  /** Every project that has rows, or begins with something. */
  projectIds(): readonly string[] {
    return [...this.#projects.keys()];
  }

  /** Reports the wrong column of a row; answers the balance after it. */
  #convict({ row, before, byAmount }: Suspect, amountIsRight: boolean): bigint {
    const sign = SIGNS[row.kind] ?? 0n;
    const amount = (row.balanceAfterE8 - before) * sign;
    const [detail, facts] = amountIsRight || sign === 0n || amount < 0n
      ? ["the rows so far add up to another balance", {
        column: "balance_after_e8",
        expected: byAmount,
        found: row.balanceAfterE8,
      }]
      : ["the balances before and after this row differ by another amount", {
        column: "amount_e8",
        expected: amount,
        found: row.amountE8,
      }];
    this.#differences.note(["ledger", rowName(row)], detail, facts);
    return amountIsRight ? byAmount : row.balanceAfterE8;
  }
}
