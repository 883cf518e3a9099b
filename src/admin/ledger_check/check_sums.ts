/**
 * The part of the check that adds up again what reports and budgets read: hourly sums from
 * the calls that are there, and sums of archived days from what the checkpoints state.
 *
 * @module
 */

import { type BookId, type BookPlace, MAIN_BOOK } from "../../domain/book.ts";
import type { ClosedCall } from "../../domain/call.ts";
import { hourOf } from "../../domain/budgets.ts";
import { HOURLY_TABLES, type HourlyTable } from "../../storage/ports/sums.ts";
import type { SealDocument } from "../../domain/seal.ts";
import { sealedShares } from "./run_sums.ts";
import type { LiveBooks, StoredBooks } from "./balance_cut.ts";
import { callsOfRows } from "./calls_of_rows.ts";
import type { LedgerStart } from "./check_checkpoints.ts";
import type { RowReading } from "./check_rows.ts";
import { compareArchived } from "./archived_sums.ts";
import { HourlySums, usageFigures } from "./hourly_sums.ts";

/** How to go through the sums. */
export interface SumCheckOptions extends RowReading {
  readonly stored: StoredBooks;
  readonly live: LiveBooks | undefined;
  readonly start: LedgerStart;
}

/** Rows come this long before they are the last of their hour, in hours. */
const SLACK_HOURS = 1;
const HOUR_MS = 3_600_000;

/**
 * Compares sums while the ledger is read beside it, and to its end then. A clock that is set back
 * by hours at that very time may make it find what is not so; asked again, it finds that no more.
 */
export class SumCheck {
  readonly #options: SumCheckOptions;
  readonly #tables: readonly HourlySums[];
  /** Of each book, the rows up to here are in the sums that are compared: when the check began, or by a seal. */
  readonly #covered: Map<BookId, number>;
  /** Calls that are here and closed at a time that is archived, as a clock was set back. */
  readonly #late = new Map<string, bigint[]>();
  #latestHour = 0;

  private constructor(
    options: SumCheckOptions,
    { covered, olderRuleUpTo, detailsSince }: {
      readonly covered: readonly BookPlace[];
      readonly olderRuleUpTo: number;
      readonly detailsSince: number;
    },
  ) {
    this.#options = options;
    this.#covered = new Map(byBook(covered));
    const { firstHour } = options.start;
    // Details of older calls may still be on their way, not quite in the order of their times.
    const wholeHour = detailsSince === 0
      ? firstHour
      : Math.max(firstHour, Math.floor(detailsSince / HOUR_MS) + 2);
    this.#tables = (Object.keys(HOURLY_TABLES) as HourlyTable[]).map((table) =>
      new HourlySums(table, {
        olderRuleUpTo,
        firstHour: table === "detail_hourly" ? wholeHour : firstHour,
      })
    );
  }

  /** Begins; before the first row of the ledger is read. */
  static async begin(options: SumCheckOptions): Promise<SumCheck> {
    const { stored: { sums }, live } = options;
    await writeSums(live);
    return new SumCheck(options, {
      covered: await sums.covered(),
      olderRuleUpTo: await sums.spendRuleSinceHour(),
      detailsSince: await sums.detailsWholeSince(),
    });
  }

  /** Sums compared: of hours, and of days by project. */
  rows = 0;

  /** Takes the next call of the ledger. */
  add(call: ClosedCall, { book, seq }: BookPlace): void {
    if (seq > (this.#covered.get(book) ?? 0)) return;
    this.#latestHour = Math.max(this.#latestHour, hourOf(call.closedAt));
    if (this.#isArchived(call)) addTo(this.#late, call);
    else for (const table of this.#tables) table.add(call);
  }

  /** Takes what the calls of a sealed run come to. */
  addSealed({ book, through_seq: throughSeq, sums }: SealDocument): void {
    // It may have been sealed since the check began.
    this.#covered.set(book, Math.max(throughSeq, this.#covered.get(book) ?? 0));
    for (const table of this.#tables) {
      for (const { hour, share } of sealedShares(sums[table.table] ?? [])) {
        this.#latestHour = Math.max(this.#latestHour, hour);
        if (hour >= this.#options.start.firstHour) table.addShare(hour, share);
        else if (table.table === "usage_hourly") {
          addFigures(this.#late, share.subject[0]!, share.figures);
        }
      }
    }
  }

  /** Compares the hours of which every call was taken. */
  async catchUp(): Promise<void> {
    const { start, stored, slice, pause } = this.#options;
    const beforeHour = this.#latestHour - SLACK_HOURS;
    if (beforeHour <= start.firstHour) return;
    for (const table of this.#tables) {
      for (;;) {
        const { rows } = await stored.sums.slice({
          table: table.table,
          fromHour: table.firstHour,
          beforeHour,
          after: table.place,
          limit: slice,
        });
        table.take(rows);
        if (rows.length < slice) break;
        table.forgetBefore(rows.at(-1)!.hour);
        await pause();
      }
      table.forgetBefore(beforeHour);
    }
  }

  /** Compares the rest, once the ledger is read, and what is archived. */
  async finish(): Promise<void> {
    for (const table of this.#tables) {
      await this.#finish(table);
      for (const difference of table.differences()) this.#options.differences.add(difference);
      this.rows += table.rows;
    }
    const { start, stored, differences, pause } = this.#options;
    // Sums of archived calls that a process has not written before it died are made from the rows.
    const covered = this.#covered.get(MAIN_BOOK) ?? 0;
    if (start.archived === undefined || covered < start.lastSeq) return;
    this.rows += await compareArchived(start.archived, {
      sums: stored.sums,
      beforeHour: start.firstHour,
      late: this.#late,
      differences,
      pause,
    });
  }

  /**
   * The sums of the running hour grow meanwhile. Each slice says which rows of each book it covers:
   * exactly those are added before it is compared.
   */
  async #finish(table: HourlySums): Promise<void> {
    const { stored, live, slice, pause } = this.#options;
    const added = new Map(this.#covered);
    for (;;) {
      await writeSums(live);
      const { rows, covered } = await stored.sums.slice({
        table: table.table,
        fromHour: table.firstHour,
        after: table.place,
        limit: slice,
      });
      for (const { book, seq } of covered) {
        await this.#addUpTo(table, { book, from: added.get(book) ?? 0, through: seq });
        added.set(book, Math.max(added.get(book) ?? 0, seq));
      }
      table.take(rows);
      if (rows.length < slice) return;
      table.forgetBefore(rows.at(-1)!.hour);
      await pause();
    }
  }

  async #addUpTo(
    table: HourlySums,
    { book, from, through }: {
      readonly book: BookId;
      readonly from: number;
      readonly through: number;
    },
  ): Promise<void> {
    const { stored, slice } = this.#options;
    for (let seq = from; seq < through;) {
      const tail = await stored.ledger.slice(seq, Math.min(slice, through - seq), book);
      const outcomes = tail.filter(({ kind }) => kind === "settle" || kind === "release");
      const calls = await callsOfRows(outcomes, stored.calls);
      for (const call of calls.values()) {
        if (call.state !== "open" && !this.#isArchived(call)) table.addIfUnread(call);
      }
      if (tail.length === 0) return;
      seq = tail.at(-1)!.seq;
    }
  }

  #isArchived({ closedAt }: ClosedCall): boolean {
    return hourOf(closedAt) < this.#options.start.firstHour;
  }
}

function byBook(places: readonly BookPlace[]): ReadonlyMap<BookId, number> {
  return new Map(places.map(({ book, seq }) => [book, seq]));
}

/** Has sums written that wait for company. */
async function writeSums(live: LiveBooks | undefined): Promise<void> {
  try {
    await live?.books.writeSums();
  } catch {
    // The disk is full: what is written says how far it goes, and is compared that far.
  }
}

function addTo(late: Map<string, bigint[]>, call: ClosedCall): void {
  addFigures(late, call.projectId, usageFigures(call));
}

function addFigures(
  late: Map<string, bigint[]>,
  projectId: string,
  figures: readonly bigint[],
): void {
  const sums = late.get(projectId);
  if (sums === undefined) late.set(projectId, [...figures]);
  else for (const [index, figure] of figures.entries()) sums[index]! += figure;
}
