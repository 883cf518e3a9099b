/**
 * The check of books that have seals. What a seal states of a run was proved when it was made; the
 * database itself says whether the run's rows, and their calls, are still the same. Rows are read where
 * they are not, where there is no seal yet, and, if that is asked for, all of them.
 *
 * @module
 */

import type { BookPlace } from "../../domain/book.ts";
import type { LedgerRun } from "../../storage/ports/ledger_run.ts";
import {
  addLots,
  type CallLot,
  closedBy,
  type LedgerSeals,
  NO_CALLS,
} from "../../storage/ports/seals.ts";
import type { SealDocument } from "../../domain/seal.ts";
import type { StoredBooks } from "./balance_cut.ts";
import type { LedgerStart } from "./check_checkpoints.ts";
import type { SumCheck } from "./check_sums.ts";
import { noteAltered, readRun, type RunReading } from "./read_run.ts";
import { rowName } from "./running_balances.ts";
import { type IntactSeal, readSeals, SealChains } from "./seal_documents.ts";

/** More stray calls and rows than anybody reads. */
const MOST_STRAYS = 1_000;

/** What is checked, and how. */
export interface SealedCheckOptions extends RunReading {
  readonly seals: LedgerSeals;
  readonly stored: StoredBooks;
  readonly start: LedgerStart;
  readonly sums: SumCheck;
  /** Whether sealed runs are read, too. */
  readonly isDeep: boolean;
}

/** A check under way. */
export class SealedCheck {
  readonly #options: SealedCheckOptions;
  readonly #chains: SealChains;
  /** Calls of each run that was passed, by where it begins; they may be deleted meanwhile, or restored. */
  readonly #passed = new Map<string, CallLot>();
  #seals = 0;

  constructor(options: SealedCheckOptions) {
    this.#options = options;
    const { ledger, differences, start } = options;
    this.#chains = new SealChains({ ledger, differences, firstSeq: start.lastSeq });
  }

  /** Seals that proved their runs. */
  get seals(): number {
    return this.#seals;
  }

  /** Whether a row is of a run that a seal stands for. */
  isSealed(place: BookPlace): boolean {
    return this.#chains.isSealed(place);
  }

  /** Checks the ledger to its end, and the calls beside it. */
  async read(): Promise<void> {
    const { seals, stored, ledger, sums, pause } = this.#options;
    for await (const seal of readSeals(seals)) {
      const intact = this.#chains.of(seal.book).take(seal);
      if (intact === undefined) continue;
      await this.#checkRun(intact);
      await sums.catchUp();
      await pause();
    }
    for (const book of await stored.ledger.books()) {
      // To the end, wherever that is.
      const afterSeq = ledger.lastSeqOf(book);
      await readRun({ book, afterSeq, throughSeq: Number.MAX_SAFE_INTEGER }, {
        ...this.#options,
        pause: async () => {
          await sums.catchUp();
          await pause();
        },
      });
    }
    await this.#readLooseCalls();
  }

  /** Once the ledger is read to its end again, compares the calls with the rows that close them. */
  async finish(): Promise<void> {
    const { seals, ledger, differences } = this.#options;
    ledger.reportLonelyLosses();
    const { closed, unsealed, dropped } = await seals.lots(this.#chains.places);
    for (const place of dropped) this.#passed.delete(rowName(place));
    const rows = addLots(unsealed, ...this.#passed.values());
    if (rows.calls === closed.calls && rows.ids === closed.ids && rows.mixed === closed.mixed) {
      return;
    }
    const strays = await seals.strays(MOST_STRAYS);
    for (const callId of strays.calls) {
      const detail = "closed, but the ledger has no settle or release row";
      differences.note(["calls", callId], detail, { column: "state" });
    }
    for (const row of strays.rows) {
      const detail = "that call has its settle or release row already";
      differences.note(["ledger", rowName(row)], detail, { column: "call_id", found: row.callId });
    }
    if (strays.calls.length > 0 || strays.rows.length > 0) return;
    const detail = "seals and rows have closed other calls than those that are closed";
    differences.note(["calls", "all"], detail, { expected: rows.calls, found: closed.calls });
  }

  /** Takes a run as its seal states it, after a proof that it is so. */
  async #checkRun({ document, isDropped }: IntactSeal): Promise<void> {
    const { ledger, calls, sums, differences, isDeep, seals, onRows } = this.#options;
    const { book, after_seq: afterSeq, through_seq: throughSeq } = document;
    const run = { book, afterSeq, throughSeq };
    const balances = balancesOf(document.balances);
    if (isDropped) return await this.#passDropped(run, document);
    const digest = await seals.digest(run);
    const isSame = digest === document.digest;
    // It may be dropped meanwhile.
    if (!isSame && await this.#isDropped(run)) return await this.#passDropped(run, document);
    if (isDeep || !isSame) {
      const before = differences.count;
      const lot = await this.#readRun(run);
      calls.finish();
      ledger.endRun(run, balances);
      if (differences.count > before && await this.#isDropped(run)) {
        // Its calls were deleted while it was read.
        differences.forgetSince(before);
        sums.addSealed(document);
        return;
      }
      // A hash over other columns, by another version, says nothing of these.
      const isComparable = numberOf(digest) === numberOf(document.digest);
      if (!isSame && isComparable && differences.count === before) {
        const detail =
          "its rows, their calls or the prices of these are not those that were sealed";
        differences.note(["ledger_seals", `${book}/${afterSeq}`], detail);
      }
      this.#passed.set(rowName({ book, seq: afterSeq }), lot);
    } else {
      ledger.skipRun(run, balances);
      calls.noteSealed(BigInt(document.calls[0]), document.price_versions);
      onRows?.(throughSeq - afterSeq);
      this.#passed.set(rowName({ book, seq: afterSeq }), lotOf(document.calls));
    }
    sums.addSealed(document);
    if (isSame) this.#seals++;
  }

  /** Takes a run whose calls are deleted as its seal states it; what stays of it is looked through. */
  async #passDropped(run: LedgerRun, document: SealDocument): Promise<void> {
    const { ledger, sums, differences, seals, slice, onRows } = this.#options;
    let rows = 0;
    for (let { afterSeq } = run;;) {
      const read = await seals.read({ ...run, afterSeq }, slice);
      noteAltered(read.altered, differences);
      rows += read.rows.length;
      if (read.rows.length < slice) break;
      afterSeq = read.rows.at(-1)!.seq;
    }
    onRows?.(run.throughSeq - run.afterSeq);
    ledger.skipRun(run, balancesOf(document.balances), rows);
    sums.addSealed(document);
    // They may be restored meanwhile.
    const { book, afterSeq: seq } = run;
    this.#passed.set(rowName({ book, seq }), lotOf(document.calls));
  }

  async #isDropped({ book, afterSeq }: LedgerRun): Promise<boolean> {
    const [seal] = await this.#options.seals.list({ book, seq: afterSeq - 1 }, 1);
    return seal?.isDropped === true;
  }

  /** Reads a run; gives the calls that its rows have closed. */
  async #readRun(run: LedgerRun): Promise<CallLot> {
    let lot = NO_CALLS;
    await readRun(run, {
      ...this.#options,
      onRead(rows) {
        lot = addLots(lot, closedBy(rows));
      },
    });
    return lot;
  }

  /** Open calls, and archived ones that stay. */
  async #readLooseCalls(): Promise<void> {
    const { seals, ledger, calls, differences, slice, pause } = this.#options;
    for (let afterCallId = 0;;) {
      const loose = await seals.looseCalls(afterCallId, slice);
      for (const { state, callId } of loose.calls) {
        if (state !== "open") ledger.noteArchived(callId);
      }
      await calls.take(loose.calls);
      noteAltered(loose.altered, differences);
      if (loose.calls.length < slice) return;
      afterCallId = loose.calls.at(-1)!.callId;
      await pause();
    }
  }
}

/** By which number a hash says what it is over. */
function numberOf(digest: string): string {
  return digest.slice(0, digest.indexOf(":") + 1);
}

/** Balances as a seal states them. */
export function balancesOf(stated: Readonly<Record<string, string>>): Map<string, bigint> {
  return new Map(Object.entries(stated).map(([id, balance]) => [id, BigInt(balance)]));
}

function lotOf([calls, ids, mixed]: readonly [string, string, string]): CallLot {
  return { calls: BigInt(calls), ids: BigInt(ids), mixed: BigInt(mixed) };
}
