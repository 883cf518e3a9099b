/**
 * The check of an archive of sealed runs by itself: of each run the hash that its seal states is made
 * anew of the rows in the file, every balance is re-added and every call repriced, and what they come to
 * is compared with what the seal states.
 *
 * @module
 */

import type { BookId } from "../../domain/book.ts";
import {
  type ArchivedRun,
  readRunArchive,
  type RunArchiveDocument,
  type RunArchiveFacts,
} from "../../domain/run_archive.ts";
import type { SealDocument } from "../../domain/seal.ts";
import type { RunArchiveFile } from "../../storage/ports/run_archives.ts";
import { addLots, closedBy, type LedgerSeal, NO_CALLS } from "../../storage/ports/seals.ts";
import { type Difference, Differences } from "../base/findings.ts";
import { CallPass } from "../ledger_check/call_pass.ts";
import { hashDocument } from "../ledger_check/check_checkpoints.ts";
import { balancesOf } from "../ledger_check/check_sealed.ts";
import { LedgerPass } from "../ledger_check/ledger_pass.ts";
import { readRun } from "../ledger_check/read_run.ts";
import { RunSums } from "../ledger_check/run_sums.ts";
import { readSeal } from "../ledger_check/seal_documents.ts";

const SLICE = 500;
const SEALS_AT_ONCE = 4;
const MOST_LISTED = 1_000;

/** What the check found; `facts` follow from the rows, whatever is stated. */
export interface RunArchiveFindings {
  /** Empty when everything adds up. */
  readonly differences: readonly Difference[];
  /** Further differences that are not listed. */
  readonly omitted: number;
  readonly facts: RunArchiveFacts;
  /** What it states, which is not believed if it was altered; `undefined` where it states nothing. */
  readonly document: RunArchiveDocument | undefined;
}

/**
 * Reads an archive from its first row to what it states.
 *
 * @param pause Waits between two slices.
 */
export async function checkRunArchive(
  archive: RunArchiveFile,
  pause: () => Promise<void>,
): Promise<RunArchiveFindings> {
  const differences = new Differences(MOST_LISTED);
  const check = new RunArchiveCheck(archive, differences, pause);
  const facts = await check.read();
  const stated = archive.stated();
  let document: RunArchiveDocument | undefined;
  if (stated !== undefined && hashDocument(stated.document) === stated.sha256) {
    document = readRunArchive(stated.document);
    compareFacts(document, facts, differences);
  } else if (stated !== undefined) {
    const detail = "what the archive states was altered: its hash does not fit";
    differences.note(["checkpoints", "archive"], detail);
  }
  return { differences: differences.list, omitted: differences.omitted, facts, document };
}

function compareFacts(
  document: RunArchiveDocument,
  facts: RunArchiveFacts,
  differences: Differences,
): void {
  const report = (column: string, detail: string) =>
    differences.note(["checkpoints", document.number], detail, { column });
  if (facts.last_at >= Date.parse(document.before)) {
    report("before", "it has a row of a later time");
  }
  for (const name of Object.keys(facts) as (keyof RunArchiveFacts)[]) {
    if (JSON.stringify(facts[name]) === JSON.stringify(document[name])) continue;
    report(name, "its rows say otherwise");
  }
}

/** A check under way. */
class RunArchiveCheck {
  readonly #archive: RunArchiveFile;
  readonly #differences: Differences;
  readonly #pause: () => Promise<void>;
  readonly #ledger: LedgerPass;
  readonly #calls: CallPass;
  /** Of each book, where the run before ended, and what its projects had there. */
  readonly #ends = new Map<BookId, { readonly seq: number; readonly known: Set<string> }>();

  constructor(archive: RunArchiveFile, differences: Differences, pause: () => Promise<void>) {
    this.#archive = archive;
    this.#differences = differences;
    this.#pause = pause;
    const noCalls = { slice: () => Promise.resolve([]) };
    this.#ledger = new LedgerPass(noCalls, differences);
    const prices = {
      priceVersions: (versions: readonly number[]) =>
        Promise.resolve(archive.priceVersions(versions)),
    };
    this.#calls = new CallPass(prices, { ledger: this.#ledger, differences });
  }

  async read(): Promise<RunArchiveFacts> {
    const runs: ArchivedRun[] = [];
    let [firstAt, lastAt] = [Infinity, 0];
    let last: LedgerSeal | undefined;
    for (;;) {
      const some = this.#archive.seals(last, SEALS_AT_ONCE);
      for (const seal of some) {
        runs.push([seal.book, seal.afterSeq, seal.sha256]);
        const document = readSeal(seal)?.document;
        if (document === undefined) {
          this.#note(seal, "the seal was altered: its hash does not fit what it states");
          continue;
        }
        firstAt = Math.min(firstAt, document.first_at);
        lastAt = Math.max(lastAt, document.last_at);
        await this.#checkRun(document);
        await this.#pause();
      }
      if (some.length < SEALS_AT_ONCE) break;
      last = some.at(-1);
    }
    for (const { table, id } of this.#archive.alteredPrices()) {
      const detail = "the row was altered: its checksum does not fit its columns";
      this.#differences.note([table as "price_versions", id], detail);
    }
    const { ledger, calls, prices, strays, firstCallId, lastCallId } = this.#archive.counts();
    if (strays > 0) {
      const detail = "the archive has rows that belong to no run of it";
      this.#differences.note(["checkpoints", "archive"], detail, { found: strays });
    }
    return {
      runs,
      ledger_rows: ledger,
      calls,
      price_versions: prices,
      first_call_id: firstCallId,
      last_call_id: lastCallId,
      first_at: runs.length === 0 || firstAt === Infinity ? 0 : firstAt,
      last_at: lastAt,
    };
  }

  async #checkRun(document: SealDocument): Promise<void> {
    const { book, after_seq: afterSeq, through_seq: throughSeq } = document;
    const run = { book, afterSeq, throughSeq };
    const place = { book, afterSeq };
    if (await this.#archive.digest(run, this.#pause) !== document.digest) {
      this.#note(
        place,
        "its rows, their calls or the prices of these are not those that were sealed",
      );
    }
    this.#begin(run);
    const sums = new RunSums();
    let lot = NO_CALLS;
    let [firstAt, lastAt] = [Infinity, 0];
    await readRun(run, {
      seals: { read: (...asked) => Promise.resolve(this.#archive.read(...asked)) },
      ...{ ledger: this.#ledger, calls: this.#calls, differences: this.#differences },
      ...{ slice: SLICE, pause: this.#pause },
      onRead(rows, calls) {
        lot = addLots(lot, closedBy(rows));
        for (const { at } of rows) {
          firstAt = Math.min(firstAt, at);
          lastAt = Math.max(lastAt, at);
        }
        for (const call of calls) if (call.state !== "open") sums.add(call);
      },
    });
    this.#calls.finish();
    this.#ledger.endRun(run, balancesOf(document.balances));
    const known = this.#ends.get(book)?.known ?? new Set<string>();
    for (const id of Object.keys(document.balances)) known.add(id);
    this.#ends.set(book, { seq: throughSeq, known });
    if (firstAt !== document.first_at || lastAt !== document.last_at) {
      this.#note(place, "its rows are of other times than the seal states");
    }
    const { calls, ids, mixed } = lot;
    if (JSON.stringify([calls, ids, mixed].map(String)) !== JSON.stringify(document.calls)) {
      this.#note(place, "its rows have closed other calls than the seal states");
    }
    const found = sums.stated();
    for (const [table, stated] of Object.entries(document.sums)) {
      if (inOrder(found[table] ?? []) === inOrder(stated)) continue;
      this.#note(place, `its calls come to other sums of ${table} than the seal states`);
    }
  }

  /** Goes on from what a project's first row says that it had, where no run before says it. */
  #begin(run: { readonly book: BookId; readonly afterSeq: number; readonly throughSeq: number }) {
    const { book, afterSeq } = run;
    const end = this.#ends.get(book);
    if (end !== undefined && end.seq !== afterSeq) this.#ends.delete(book);
    const known = this.#ends.get(book)?.known;
    const openings = new Map(
      [...this.#archive.openings(run)].filter(([id]) => known?.has(id) !== true),
    );
    this.#ledger.skipRun({ book, afterSeq: 0, throughSeq: afterSeq }, openings, 0);
  }

  #note({ book, afterSeq }: Pick<LedgerSeal, "book" | "afterSeq">, detail: string): void {
    this.#differences.note(["ledger_seals", `${book}/${afterSeq}`], detail);
  }
}

/** Sums as one text, whichever of them came first. */
function inOrder(sums: readonly unknown[]): string {
  return JSON.stringify(sums.map((sum) => JSON.stringify(sum)).sort());
}
