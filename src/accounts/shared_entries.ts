/**
 * Holds, moves and closes that are written in one entry with what else they change, such as a film's
 * task. The balance follows once that entry is on disk, or refused.
 *
 * @module
 */

import type { ClosedCall, OpenCall } from "../domain/call.ts";
import type { GatewayError } from "../errors.ts";
import type { CommitQueue } from "../storage/ports/commit_queue.ts";
import type { Entry, Refusal } from "../storage/ports/entry.ts";
import { type CallOutcome, closeCall, type SharedClose } from "./close_call.ts";
import type { Funds } from "./funds.ts";
import type { Hold, OwnedHold } from "./hold.ts";
import { isOutOfDate, notStored, storageFull } from "./ledger_refusals.ts";
import { reservedE8 } from "./spend_reserve.ts";
import { isStorageDown } from "./unwritten_closes.ts";

/** What they need of the ledger. */
export interface SharedEntriesOptions {
  readonly funds: Funds;
  readonly commits: CommitQueue;
  readonly now: () => number;
  /** Throws where nothing new may be promised. */
  readonly mustTakeOn: () => void;
  /** Told when storage refuses what was decided here, for the operator's log. */
  readonly onRefused: (refusal: Refusal, callId: number) => void;
}

/** The part of the ledger that writes with others. */
export class SharedEntries {
  readonly #options: SharedEntriesOptions;
  readonly #funds: Funds;

  constructor(options: SharedEntriesOptions) {
    this.#options = options;
    this.#funds = options.funds;
  }

  /**
   * Takes a hold that is written in one entry with what it pays for. Resolves when that is synced.
   *
   * @returns `undefined`, with nothing changed, when the balance does not cover it.
   * @param errorOf What a refusal means that the caller may see.
   * @throws {GatewayError} `storage_full` when it cannot be written, `internal_error` when storage refuses
   * it, `insufficient_balance` as `Ledger.hold`; nothing is held then.
   */
  async holdWith(
    call: OpenCall,
    entry: Entry,
    errorOf: (refusal: Refusal) => GatewayError | undefined = () => undefined,
  ): Promise<Hold | undefined> {
    this.#options.mustTakeOn();
    const purse = this.#funds.purseFor(call);
    if (purse?.take(call.heldE8) !== true) return undefined;
    purse.held += call.heldE8;
    const hold = this.#funds.adopt(call);
    const result = await this.#options.commits.commit(entry);
    if (result.ok) return hold;
    hold.reserve?.end();
    purse.give(call.heldE8);
    purse.held -= call.heldE8;
    if (isStorageDown(result)) throw storageFull();
    const error = errorOf(result);
    if (error !== undefined) throw error;
    this.#options.onRefused(result, call.callId);
    throw notStored(result.message);
  }

  /**
   * Moves an open hold to another route and amount in one entry with what else that changes. Resolves
   * when it is synced to disk.
   *
   * @returns `false`, with nothing changed, when a larger amount does not fit as in `Ledger.rehold`,
   * or the entry no longer applies.
   * @throws {GatewayError} `storage_full`; nothing is changed then.
   */
  async moveWith(hold: Hold, to: OpenCall, entry: Entry): Promise<boolean> {
    const owned = hold as OwnedHold;
    const purse = this.#funds.of(to.projectId);
    const more = to.heldE8 - owned.call.heldE8;
    // What is given back may be spent only once it is written: the move may yet be refused.
    const atOnce = more > 0n ? more : 0n;
    if (owned.closed || owned.reserve?.mayMove(reservedE8(to)) === false) return false;
    if (!purse.take(atOnce)) return false;
    purse.held += atOnce;
    const result = await this.#options.commits.commit(entry);
    if (result.ok) {
      purse.give(atOnce - more);
      purse.held += more - atOnce;
      owned.call = to;
      owned.reserve?.move(reservedE8(to));
      return true;
    }
    purse.give(atOnce);
    purse.held -= atOnce;
    if (!isOutOfDate(result)) throw storageFull();
    return false;
  }

  /**
   * Ends a call in one entry with what else its end changes, such as its task. Resolves when that is synced.
   *
   * @param toEntry The entry that carries the closed call.
   * @throws {GatewayError} `storage_full` when it cannot be written; the hold is
   * still open then, and this may be tried again.
   */
  async closeWith(
    hold: Hold,
    outcome: CallOutcome,
    toEntry: (closed: ClosedCall) => Entry,
  ): Promise<SharedClose> {
    const owned = hold as OwnedHold;
    if (owned.closed) return { ok: false, reason: "conflict" };
    owned.closed = true;
    const closed = closeCall(owned.call, outcome, this.#options.now());
    const result = await this.#options.commits.commit(toEntry(closed));
    if (result.ok) {
      owned.reserve?.end();
      this.#funds.applyWritten(closed);
      return { ok: true, call: closed };
    }
    owned.closed = false;
    if (!isOutOfDate(result)) throw storageFull();
    return { ok: false, reason: result.reason };
  }
}
