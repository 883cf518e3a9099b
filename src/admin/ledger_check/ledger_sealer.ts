/**
 * Seals the ledger run by run: what `ledger verify` would find in a run is looked for once, and if that
 * is nothing, a seal says what the run comes to.
 *
 * @module
 */

import type { BookId } from "../../domain/book.ts";
import type { LedgerRun } from "../../storage/ports/ledger_run.ts";
import { addLots, closedBy, type LedgerSeals, NO_CALLS } from "../../storage/ports/seals.ts";
import { type Difference, Differences } from "../base/findings.ts";
import type { StoredBooks } from "./balance_cut.ts";
import { CallPass } from "./call_pass.ts";
import { checkCheckpoints } from "./check_checkpoints.ts";
import { balancesOf } from "./check_sealed.ts";
import { LedgerPass } from "./ledger_pass.ts";
import { readRun } from "./read_run.ts";
import { RunSums } from "./run_sums.ts";
import { readSeals, SealChains, sealOf } from "./seal_documents.ts";

/** Rows of a run: what the database looks through at one time, and what is read again for one fault. */
const RUN_ROWS = 10_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What is sealed, and how. */
export interface SealerOptions {
  readonly stored: StoredBooks & { readonly seals: LedgerSeals };
  /** Rows read in one go: what a call may have to wait for. */
  readonly slice: number;
  /** Awaited between two slices, and behind each seal that is read; rejects when there is no time for more. */
  readonly pause: () => Promise<void>;
  /** Rows of a run. Default: 10,000. */
  readonly runRows?: number;
}

/** What a look for runs has come to. */
export interface Sealed {
  /** Seals that were made. */
  readonly seals: number;
  /** Why a run has no seal: what is wrong in it. */
  readonly differences: readonly Difference[];
}

/** What is known of the books up to their last seals. */
interface Known {
  readonly differences: Differences;
  readonly ledger: LedgerPass;
  readonly calls: CallPass;
  readonly chains: SealChains;
}

export class LedgerSealer {
  readonly #options: SealerOptions;
  #known: Known | undefined;

  constructor(options: SealerOptions) {
    this.#options = options;
  }

  /**
   * Seals whatever is due: full runs an hour after their last row, and what is there of a day once it is
   * over (UTC).
   *
   * @param nowMs Milliseconds since the epoch.
   */
  async seal(nowMs: number): Promise<Sealed> {
    const known = this.#known ?? await this.#learn();
    // Whatever breaks it off, the next look learns anew how far the books are sealed.
    this.#known = undefined;
    let seals = 0;
    for (const book of await this.#options.stored.ledger.books()) {
      for (let run; (run = await this.#nextRun(known, book, nowMs)) !== undefined;) {
        if (!await this.#sealRun(run, known)) {
          return { seals, differences: known.differences.list };
        }
        seals++;
      }
    }
    this.#known = known;
    return { seals, differences: [] };
  }

  async #learn(): Promise<Known> {
    const { stored, pause } = this.#options;
    const differences = new Differences(1);
    const { start } = await checkCheckpoints(stored.checkpoints, differences);
    const ledger = new LedgerPass(stored.calls, differences, { start });
    const calls = new CallPass(stored.catalogue, { ledger, differences });
    const chains = new SealChains({ ledger, differences, firstSeq: start.lastSeq });
    for await (const seal of readSeals(stored.seals)) {
      const intact = chains.of(seal.book).take(seal);
      if (intact !== undefined) ledger.skipRun(seal, balancesOf(intact.document.balances));
      await pause();
    }
    return { differences, ledger, calls, chains };
  }

  async #nextRun(known: Known, book: BookId, nowMs: number): Promise<LedgerRun | undefined> {
    if (known.differences.count > 0) return undefined;
    const { stored: { seals }, runRows = RUN_ROWS } = this.#options;
    return await seals.nextRun({
      book,
      seq: known.chains.of(book).lastSeq,
      rows: runRows,
      fullBeforeMs: nowMs - HOUR_MS,
      anyBeforeMs: Math.floor(nowMs / DAY_MS) * DAY_MS,
    });
  }

  /** Checks a run, and seals it; `false` where it found what is wrong, or somebody else was first. */
  async #sealRun(run: LedgerRun, known: Known): Promise<boolean> {
    const { stored: { seals } } = this.#options;
    const { ledger, calls, differences, chains } = known;
    // Before it is read: what is altered meanwhile is altered afterwards.
    const digest = await seals.digest(run);
    const sums = new RunSums();
    const balances = new Map<string, bigint>();
    const versions = new Set<number>();
    let lot = NO_CALLS;
    let [firstAt, lastAt] = [Infinity, 0];
    await readRun(run, {
      ...this.#options,
      ...{ seals, ledger, calls, differences },
      onRead(rows, read) {
        lot = addLots(lot, closedBy(rows));
        for (const { projectId, balanceAfterE8, at } of rows) {
          balances.set(projectId, balanceAfterE8);
          firstAt = Math.min(firstAt, at);
          lastAt = Math.max(lastAt, at);
        }
        for (const call of read) {
          if (call.state === "open") continue;
          versions.add(call.priceVersion);
          sums.add(call);
        }
      },
    });
    calls.finish();
    ledger.endRun(run, balances);
    if (differences.count > 0) return false;
    const chain = chains.of(run.book);
    const seal = sealOf({
      book: run.book,
      after_seq: run.afterSeq,
      through_seq: run.throughSeq,
      previous: chain.previous,
      digest,
      balances: Object.fromEntries([...balances].map(([id, amount]) => [id, String(amount)])),
      calls: [String(lot.calls), String(lot.ids), String(lot.mixed)],
      first_at: firstAt,
      last_at: lastAt,
      price_versions: [...versions],
      sums: sums.stated(),
    });
    return await seals.put(seal) && chain.take(seal) !== undefined;
  }
}
