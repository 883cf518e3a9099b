/**
 * The owner of all balances: decides holds in memory, in one step, and turns each outcome into one entry
 * for the commit queue.
 *
 * What is in memory and what is on disk agree after any crash because entries are written in the order in
 * which they were decided here, and a hold that was not yet written when the process died never reached a
 * caller's answer.
 *
 * @module
 */

import type { Balance } from "../domain/account.ts";
import type { ClosedCall, OpenCall } from "../domain/call.ts";
import type { AmountE8 } from "../domain/money.ts";
import type { CommitQueue } from "../storage/ports/commit_queue.ts";
import type { GatewayError } from "../errors.ts";
import type { Entry, EntryResult, Kept, Refusal } from "../storage/ports/entry.ts";
import type { CallOutcome, Closing, KeptAnswer, SharedClose } from "./close_call.ts";
import {
  asReleased,
  asUnkept,
  closeAbandoned,
  closeCall,
  keepOf,
  raiseHold,
} from "./close_call.ts";
import type { Credit } from "./credit.ts";
import { type Hold, type HoldQuestion, OwnedHold } from "./hold.ts";
import { isOutOfDate, notAccountedFor, notStored } from "./ledger_refusals.ts";
import { storageAway, storageFull } from "./ledger_refusals.ts";
import { type AmountCells, type Purse, Purses } from "./purses.ts";
import { isStorageDown, UnwrittenCloses } from "./unwritten_closes.ts";
import { reservedE8, type SpendBook } from "./spend_book.ts";

export type { Hold } from "./hold.ts";

/** What the ledger needs. */
export interface LedgerOptions {
  readonly commits: CommitQueue;
  readonly balances: readonly Balance[];
  /** Decides beside the balance whether a call may begin; without one there are no budgets. */
  readonly spending?: SpendBook;
  readonly now: () => number;
  /** Told when storage refuses what was decided here, for the operator's log. */
  readonly onTrouble: (message: string, callId: number) => void;
  /** Waits before a failed write is tried again, milliseconds. */
  readonly retryDelay: (ms: number) => Promise<void>;
  /** Whether storage is elsewhere and has been silent for too long to promise anything. Default: no. */
  readonly isAway?: (() => boolean) | undefined;
}

/** Holds, settles and releases. */
export class Ledger {
  readonly #purses: Purses;
  readonly #commits: CommitQueue;
  readonly #spending: SpendBook | undefined;
  readonly #now: () => number;
  readonly #onTrouble: LedgerOptions["onTrouble"];
  readonly #isAway: (() => boolean) | undefined;
  readonly #unwritten: UnwrittenCloses<OwnedHold>;

  constructor(options: LedgerOptions) {
    this.#commits = options.commits;
    this.#spending = options.spending;
    this.#now = options.now;
    this.#onTrouble = options.onTrouble;
    this.#isAway = options.isAway;
    this.#purses = new Purses(options.balances);
    this.#unwritten = new UnwrittenCloses({
      write: (hold, closed) => new Promise((done) => this.#write(hold, closed, undefined, done)),
      onWritten: (closed) => this.#apply(closed),
      onGivenUp: (closed, refusal) => this.#report(refusal, closed.callId),
      retryDelay: options.retryDelay,
      isAway: () => this.#isAway?.() === true,
    });
  }

  /** What a project can still spend, and what is held. */
  balanceOf(projectId: string): Balance {
    return this.#purses.balanceOf(projectId);
  }

  /** Whether nothing could be written last, or now, so that nothing new should be promised. */
  get troubled(): boolean {
    return this.#commits.full || this.#unwritten.isStorageDown || this.#isAway?.() === true;
  }

  /**
   * Whether a hold could be taken now; nothing is held.
   *
   * @throws {GatewayError} As {@linkcode Ledger.hold}.
   */
  covers(call: HoldQuestion): boolean {
    return this.#purseFor(call) !== undefined;
  }

  /**
   * Takes a hold if the balance covers it. Decides at once; the row is written with the next batch.
   *
   * @param isFree Whether the call spends nothing whatever comes: no budget stands against it.
   * @returns `undefined` when `call.heldE8` does not fit the balance.
   * @throws {GatewayError} `storage_full` while writes fail, `storage_away` while a server that has
   * the database is silent, `insufficient_balance`
   * when a budget is reached or a spend brake has paused the project or key.
   */
  hold(call: OpenCall, isFree = false): Hold | undefined {
    const purse = this.#purseFor(call, isFree);
    return purse?.take(call.heldE8) === true ? this.holdTaken(call) : undefined;
  }

  /** Counts and writes a hold whose amount is taken from the purse already, as a thread takes it. */
  holdTaken(call: OpenCall): Hold {
    this.#purses.of(call.projectId).held += call.heldE8;
    this.#commits.enqueue({ kind: "hold", call }, (result) => {
      this.#report(result, call.callId);
    });
    return this.adopt(call);
  }

  /**
   * Moves an open hold to another route and amount, before a fallback.
   *
   * @returns `false`, with nothing changed, when a larger amount does not fit the balance,
   * or other calls have reached a budget.
   */
  rehold(
    hold: Hold,
    to: Pick<OpenCall, "model" | "provider" | "route" | "priceVersion" | "heldE8" | "reservedE8">,
  ): boolean {
    const owned = hold as OwnedHold;
    const more = to.heldE8 - owned.call.heldE8;
    const moved = { ...owned.call, ...to };
    if (owned.closed || owned.reserve?.mayMove(reservedE8(moved)) === false) return false;
    if (!this.#purses.of(owned.call.projectId).take(more)) return false;
    this.moveTaken(owned, moved);
    return true;
  }

  /** Counts and writes the move of a hold; what it holds more is taken from the purse already. */
  moveTaken(hold: Hold, to: OpenCall): void {
    const owned = hold as OwnedHold;
    this.#move(owned, to);
    owned.reserve?.move(reservedE8(to));
  }

  /**
   * Keeps what a project can spend in a cell from now on, where threads take from it too. What they
   * have taken is told by {@linkcode Ledger.holdTaken} and {@linkcode Ledger.moveTaken}.
   */
  share(projectId: string, cells: AmountCells, slot: number): void {
    this.#purses.of(projectId).share(cells, slot);
  }

  /** Gives back what a thread has taken and never told of. */
  giveBack(projectId: string, amountE8: AmountE8): void {
    this.#purses.of(projectId).give(amountE8);
  }

  /**
   * Ends a call: settles or releases its hold. Resolves when that is synced to
   * disk, so that whoever awaits it may finish the caller's answer. One that used
   * more than its hold first holds the rest too, as far as the balance goes.
   *
   * @param keep What of the answer is stored in the same step; where it throws, so does
   * this, and the hold stays open.
   * @throws {GatewayError} `storage_full` when nothing can be written, `internal_error`
   * when storage refuses this call alone; the project is then not charged.
   */
  close(
    hold: Hold,
    outcome: CallOutcome,
    keep?: (closed: ClosedCall) => KeptAnswer,
  ): Promise<ClosedCall> {
    return new Promise((done, failed) => this.closeThen(hold, outcome, { keep, done, failed }));
  }

  /**
   * The same by callbacks, for who needs no promise.
   *
   * @throws What is wrong before anything was decided; the hold is open then.
   */
  closeThen(hold: Hold, outcome: CallOutcome, { keep, decided, done, failed }: Closing): void {
    const owned = hold as OwnedHold;
    if (owned.closed) {
      throw new Error(`Cannot close call ${owned.call.requestId} as it is closed already`);
    }
    const purse = this.#purses.of(owned.call.projectId);
    const raised = raiseHold(owned.call, outcome, purse);
    const ended = closeCall(raised, outcome, this.#now());
    const { kept, unkept } = keepOf(
      ended,
      keep,
      () => purse.give(ended.heldE8 - owned.call.heldE8),
    );
    const closed = unkept === undefined ? ended : asUnkept(ended, unkept);
    if (raised !== owned.call) this.#move(owned, raised);
    owned.closed = true;
    owned.reserve?.end();
    this.#apply(closed);
    this.#write(owned, closed, kept, (result) => {
      if (result.ok) done(closed);
      else failed(this.#refuse(owned, closed, result));
    });
    decided?.(closed);
  }

  /** What a close comes to that storage has refused: nobody is charged. */
  #refuse(hold: OwnedHold, closed: ClosedCall, refusal: Refusal): GatewayError {
    this.#report(refusal, closed.callId);
    // While earlier entries are unwritten, the balance on disk is not yet the one decided on here.
    const isBehind = hold.isMoveUnwritten || this.#unwritten.size > 0;
    this.#unapply(closed);
    if (refusal.reason === "conflict" && !isBehind) return notAccountedFor(refusal.message);
    const error = isStorageDown(refusal) || this.#unwritten.isStorageDown
      ? storageFull()
      : notAccountedFor(refusal.message);
    this.#unwritten.add(hold, asReleased(closed, error.code), refusal);
    return error;
  }

  /** Takes charge of a hold that outlived the process that took it: balances count it already. */
  adopt(call: OpenCall): Hold {
    return new OwnedHold(call, this.#spending?.reserve(call));
  }

  /**
   * Takes a hold that is written in one entry with what it pays for. Resolves when that is synced.
   *
   * @returns `undefined`, with nothing changed, when the balance does not cover it.
   * @throws {GatewayError} `storage_full` when it cannot be written, `internal_error` when storage refuses
   * it, `insufficient_balance` as {@linkcode Ledger.hold}; nothing is held then.
   */
  async holdWith(call: OpenCall, entry: Entry): Promise<Hold | undefined> {
    const purse = this.#purseFor(call);
    if (purse?.take(call.heldE8) !== true) return undefined;
    purse.held += call.heldE8;
    const hold = this.adopt(call) as OwnedHold;
    const result = await this.#commits.commit(entry);
    if (result.ok) return hold;
    hold.reserve?.end();
    purse.give(call.heldE8);
    purse.held -= call.heldE8;
    if (isStorageDown(result)) throw storageFull();
    this.#report(result, call.callId);
    throw notStored(result.message);
  }

  /**
   * Moves an open hold to another route and amount in one entry with what else that changes. Resolves
   * when it is synced to disk.
   *
   * @returns `false`, with nothing changed, when a larger amount does not fit as in
   * {@linkcode Ledger.rehold}, or the entry no longer applies.
   * @throws {GatewayError} `storage_full`; nothing is changed then.
   */
  async moveWith(hold: Hold, to: OpenCall, entry: Entry): Promise<boolean> {
    const owned = hold as OwnedHold;
    const purse = this.#purses.of(to.projectId);
    const more = to.heldE8 - owned.call.heldE8;
    // What is given back may be spent only once it is written: the move may yet be refused.
    const atOnce = more > 0n ? more : 0n;
    if (owned.closed || owned.reserve?.mayMove(reservedE8(to)) === false) return false;
    if (!purse.take(atOnce)) return false;
    purse.held += atOnce;
    const result = await this.#commits.commit(entry);
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
    const closed = closeCall(owned.call, outcome, this.#now());
    const result = await this.#commits.commit(toEntry(closed));
    if (result.ok) {
      owned.reserve?.end();
      this.#apply(closed);
      return { ok: true, call: closed };
    }
    owned.closed = false;
    if (!isOutOfDate(result)) throw storageFull();
    return { ok: false, reason: result.reason };
  }

  /** Books a credit with its row in the audit log; memory follows once both are on disk. */
  async credit({ projectId, amountE8, reference, note }: Credit): Promise<EntryResult> {
    const at = this.#now();
    const result = await this.#commits.commit({
      kind: "audited",
      changes: [{ kind: "credit", projectId, amountE8, reference, at }],
      note,
    });
    if (result.ok && result.repeated !== true) {
      this.#purses.of(projectId).give(amountE8);
    }
    return result;
  }

  /**
   * Releases calls that an ended session has left open; see {@linkcode closeAbandoned}.
   *
   * @returns How many could be written.
   */
  async reap(calls: readonly OpenCall[]): Promise<number> {
    let released = 0;
    await Promise.all(calls.map(async (call) => {
      const closed = closeAbandoned(call, this.#now());
      const result = await this.#commits.commit({
        kind: "close",
        call: closed,
      });
      if (!result.ok) return this.#report(result, call.callId);
      this.#apply(closed);
      released++;
    }));
    return released;
  }

  /** The same of holds whose thread has ended. */
  abandon(holds: readonly Hold[]): Promise<number> {
    for (const hold of holds as readonly OwnedHold[]) {
      hold.closed = true;
      hold.reserve?.end();
    }
    return this.reap(holds.map(({ call }) => call));
  }

  /** The purse that a hold may be taken from; `undefined` when it does not fit. */
  #purseFor(call: HoldQuestion, isFree = false): Purse | undefined {
    if (this.troubled) throw this.#isAway?.() === true ? storageAway() : storageFull();
    if (!isFree) this.#spending?.admit(call);
    const purse = this.#purses.of(call.projectId);
    return purse.avail < call.heldE8 ? undefined : purse;
  }

  /** Replaces an open hold, once what it holds more is taken from the purse. */
  #move(hold: OwnedHold, call: OpenCall): void {
    this.#purses.of(call.projectId).held += call.heldE8 - hold.call.heldE8;
    hold.call = call;
    this.#commits.enqueue({ kind: "rehold", call }, (result) => {
      hold.isMoveUnwritten = true;
      this.#report(result, call.callId);
    });
  }

  #apply(closed: ClosedCall): void {
    const purse = this.#purses.of(closed.projectId);
    purse.held -= closed.heldE8;
    purse.give(closed.heldE8 - closed.chargedE8);
    this.#spending?.add(closed);
  }

  #unapply(closed: ClosedCall): void {
    const purse = this.#purses.of(closed.projectId);
    purse.held += closed.heldE8;
    purse.give(closed.chargedE8 - closed.heldE8);
    this.#spending?.takeBack(closed);
  }

  /** Writes a close, behind the move of its hold if that could not be written in its turn. */
  #write(
    hold: OwnedHold,
    call: ClosedCall,
    kept: Kept | undefined,
    done: (result: EntryResult) => void,
  ): void {
    if (hold.isMoveUnwritten) {
      // Refused for a call that storage does not know at all: the close brings its hold along.
      this.#commits.enqueue({ kind: "rehold", call: hold.call });
    }
    this.#commits.commitThen({ kind: "close", call, ...kept }, done);
  }

  #report(result: EntryResult, callId: number): void {
    if (!result.ok) this.#onTrouble(result.message, callId);
  }
}
