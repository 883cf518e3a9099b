/**
 * Reads the ledger's books from their first rows, or the first that are not archived, to their
 * last: sequence, balances, and each row against the call it belongs to. May be continued
 * when rows have come.
 *
 * @module
 */

import { type BookId, type BookPlace, MAIN_BOOK } from "../../domain/book.ts";
import type { ClosedCall, LedgerRow, StoredCall } from "../../domain/call.ts";
import type { AmountE8 } from "../../domain/money.ts";
import type { LedgerRun } from "../../storage/ports/ledger_run.ts";
import type { CallStore } from "../../storage/ports/storage.ts";
import { CallSet, callsOfRows } from "./calls_of_rows.ts";
import { FROM_THE_BEGINNING, type LedgerStart } from "./check_checkpoints.ts";
import type { DifferenceFacts, Differences } from "../base/findings.ts";
import { rowName, RunningBalances } from "./running_balances.ts";

/** How to read. */
export interface LedgerPassOptions {
  /** Where the main book begins. Default: from the first row that ever was. */
  readonly start?: LedgerStart;
  /** Told of each call that has its settle or release row, with the place of that. */
  readonly onOutcome?: ((call: ClosedCall, place: BookPlace) => void) | undefined;
}

interface RunningBook {
  lastSeq: number;
  readonly balances: RunningBalances;
}

/** Where the reading stands, and what it has met. */
export class LedgerPass {
  /** Calls that have their `settle` or `release` row. */
  readonly outcomes = new CallSet();
  /** Calls that have their `loss` row. */
  readonly losses = new CallSet();
  readonly #calls: Pick<CallStore, "slice">;
  readonly #differences: Differences;
  readonly #onOutcome: LedgerPassOptions["onOutcome"];
  readonly #books: Map<BookId, RunningBook>;
  /** Rows of losses that came before, or without, the row that says how their call ended. */
  #lonelyLosses: LedgerRow[] = [];
  #rows = 0;

  constructor(
    calls: Pick<CallStore, "slice">,
    differences: Differences,
    { start: { lastSeq, balances } = FROM_THE_BEGINNING, onOutcome }: LedgerPassOptions = {},
  ) {
    this.#calls = calls;
    this.#differences = differences;
    this.#onOutcome = onOutcome;
    const main = { lastSeq, balances: new RunningBalances(differences, balances) };
    this.#books = new Map([[MAIN_BOOK, main]]);
  }

  /** The last row read of a book. */
  lastSeqOf(book: BookId): number {
    return this.#books.get(book)?.lastSeq ?? 0;
  }

  /** The books that were read, each up to its last row. */
  get places(): readonly BookPlace[] {
    return [...this.#books].map(([book, { lastSeq: seq }]) => ({ book, seq }));
  }

  /** Every project that has rows in any book, or begins with something. */
  projectIds(): readonly string[] {
    return [...this.#books.values()].flatMap(({ balances }) => balances.projectIds());
  }

  /**
   * The sum of a project's rows in all books, given what its balance is now; decides what is
   * still open.
   */
  total(projectId: string, balanceNow: bigint): bigint {
    const books = [...this.#books.values()];
    let total = books.reduce((sum, { balances }) => sum + balances.soFar(projectId), 0n);
    for (const { balances } of books) {
      const others = total - balances.soFar(projectId);
      total = others + balances.total(projectId, balanceNow - others);
    }
    return total;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Notes that the rows of a call are in an archive, where they are proved. */
  noteArchived(callId: number): void {
    this.outcomes.add(callId);
    this.losses.add(callId);
  }

  /**
   * Takes the rows that follow the last one read.
   *
   * @param known The calls that they belong to, where whoever read them has read those, too.
   */
  async take(
    rows: readonly LedgerRow[],
    known?: ReadonlyMap<number, StoredCall>,
  ): Promise<void> {
    const calls = known ?? await callsOfRows(rows, this.#calls);
    for (const row of rows) {
      const book = this.#bookOf(row.book);
      if (row.seq !== book.lastSeq + 1) {
        const expected = book.lastSeq + 1;
        this.#report(row, "rows are numbered without gaps", {
          column: "seq",
          expected,
          found: row.seq,
        });
      }
      book.lastSeq = row.seq;
      this.#rows++;
      book.balances.add(row);
      if (row.callId !== undefined) this.#checkCallRow(row, calls.get(row.callId));
    }
  }

  /**
   * Goes on behind a run of which it is known what its rows add up to, without reading them.
   *
   * @param rows How many of them are there. Default: all.
   */
  skipRun(
    run: LedgerRun,
    balances: ReadonlyMap<string, AmountE8>,
    rows = run.throughSeq - run.afterSeq,
  ): void {
    const running = this.#bookOf(run.book);
    this.#rows += rows;
    running.lastSeq = run.throughSeq;
    running.balances.goOnFrom(balances);
  }

  /**
   * At the end of a run that was taken: forgets which calls were met, as all rows of each are there.
   * Reports losses of calls whose other row was not, and rows that are missing at its end.
   *
   * @param balances What its rows added up to when there was nothing wrong with them.
   */
  endRun({ book, throughSeq }: LedgerRun, balances: ReadonlyMap<string, AmountE8>): void {
    const running = this.#bookOf(book);
    if (running.lastSeq < throughSeq) {
      const name = rowName({ book, seq: throughSeq });
      this.#differences.note(["ledger", name], "the row is missing");
      running.lastSeq = throughSeq;
    }
    running.balances.goOnFrom(balances);
    this.reportLonelyLosses();
    this.outcomes.clear();
    this.losses.clear();
  }

  /** Once all rows are taken of each call of which there is one. */
  reportLonelyLosses(): void {
    for (const row of this.#lonelyLosses) {
      if (this.outcomes.has(row.callId!)) continue;
      const detail = "that call has its loss row already";
      this.#report(row, detail, { column: "call_id", found: row.callId! });
    }
    this.#lonelyLosses = [];
  }

  /** Begins a book behind a row. */
  beginBook(book: BookId, lastSeq: number): void {
    this.#bookOf(book).lastSeq = lastSeq;
  }

  #bookOf(book: BookId): RunningBook {
    let running = this.#books.get(book);
    if (running === undefined) {
      running = { lastSeq: 0, balances: new RunningBalances(this.#differences) };
      this.#books.set(book, running);
    }
    return running;
  }

  #checkCallRow(row: LedgerRow, call: StoredCall | undefined): void {
    const callId = row.callId!;
    if (call === undefined || call.state === "open") {
      const detail = call === undefined ? "there is no such call" : "that call is open";
      this.#report(row, detail, { column: "call_id", found: callId });
      return;
    }
    const isLoss = row.kind === "loss";
    if (isLoss && !this.outcomes.has(callId)) this.#lonelyLosses.push(row);
    const kind = isLoss ? "loss" : call.state === "settled" ? "settle" : "release";
    const amount = isLoss ? call.lossE8 : call.chargedE8;
    const facts = [
      ["kind", kind, row.kind],
      ["amount_e8", amount, row.amountE8],
      ["project_id", call.projectId, row.projectId],
      ["at", call.closedAt, row.at],
    ] as const;
    for (const [column, expected, found] of facts) {
      if (expected === found) continue;
      this.#report(row, `its call ${callId} says otherwise`, { column, expected, found });
    }
    if ((isLoss ? this.losses : this.outcomes).add(callId)) {
      if (!isLoss) this.#onOutcome?.(call, row);
      return;
    }
    const detail = `that call has its ${isLoss ? "loss" : "settle or release"} row already`;
    this.#report(row, detail, { column: "call_id", found: callId });
  }

  #report(row: LedgerRow, detail: string, facts: DifferenceFacts): void {
    this.#differences.note(["ledger", rowName(row)], detail, facts);
  }
}
