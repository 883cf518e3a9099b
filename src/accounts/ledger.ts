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
import type { EntryResult, Kept, Refusal } from "../storage/ports/entry.ts";
import { Allowances, type AllowancesOptions } from "./allowances.ts";
import type { CallOutcome, Closing, KeptAnswer } from "./close_call.ts";
import {
  asReleased,
  asUnkept,
  closeAbandoned,
  closeCall,
  keepOf,
  missingE8,
  raiseHold,
} from "./close_call.ts";
import type { Credit } from "./credit.ts";
import { Funds } from "./funds.ts";
import type { Hold, HoldQuestion, OwnedHold } from "./hold.ts";
import { notAccountedFor, storageAway, storageFull } from "./ledger_refusals.ts";
import { KnownBalances } from "./known_balances.ts";
import type { AmountCells } from "./purses.ts";
import { SharedEntries } from "./shared_entries.ts";
import type { SpendBook } from "./spend_book.ts";
import type { ShareTooSmall } from "./spend_refusal.ts";
import { reservedE8 } from "./spend_reserve.ts";
import { isStorageDown, UnwrittenCloses } from "./unwritten_closes.ts";

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
  /** Where several nodes share the balances: how this one gets its part. Default: all is its own. */
  readonly leases?: LeaseOptions | undefined;
}

/** How a node gets its part of balances that several share. */
export interface LeaseOptions extends Pick<AllowancesOptions, "monotonic"> {
  /** Balances with what all nodes have of them. */
  readonly balances: (projectIds?: readonly string[]) => Promise<readonly Balance[]>;
}

/** Holds, settles and releases. */
export class Ledger {
  /** Holds, moves and closes that are written in one entry with what else they change. */
  readonly shared: SharedEntries;
  readonly #funds: Funds;
  readonly #commits: CommitQueue;
  readonly #now: () => number;
  readonly #onTrouble: LedgerOptions["onTrouble"];
  readonly #isAway: (() => boolean) | undefined;
  /** Ends of calls that storage has refused, which are tried again. */
  readonly unwritten: UnwrittenCloses<OwnedHold>;
  /** Parts of balances that several nodes share; absent where all is this process's own. */
  readonly allowances: Allowances | undefined;
  /** Balances with what all nodes have of them; absent where they are all this process's own. */
  readonly #known: KnownBalances | undefined;
  /**
   * Reads the balances of some projects, of all by default, as all nodes together have them. Where they
   * cannot be read they stay as they were read last, and that is told. Absent where nobody shares them.
   */
  readonly refresh: ((projectIds?: readonly string[]) => Promise<boolean>) | undefined;
  /**
   * Has this node's part of a balance enlarged, where several share it and the part is too small for a
   * hold: whether it is worth while to try that again. Waits for others to give back what they do not
   * need, some seconds at most. Absent where nobody shares it.
   */
  readonly lease: ((projectId: string, needE8: AmountE8) => Promise<boolean>) | undefined;

  /** Likewise of budgets: see {@linkcode SpendBook.lease}. */
  readonly leaseBudgets: ((short: ShareTooSmall) => Promise<(() => void) | undefined>) | undefined;

  constructor(options: LedgerOptions) {
    this.#commits = options.commits;
    this.#now = options.now;
    this.#onTrouble = options.onTrouble;
    this.#isAway = options.isAway;
    this.#funds = new Funds(options.balances, options.spending);
    const { leases, spending } = options;
    const onTrouble = (message: string) => options.onTrouble(message, 0);
    const known = leases && new KnownBalances({ read: leases.balances, onTrouble });
    this.#known = known;
    this.refresh = known && ((projectIds) => known.refresh(projectIds));
    this.allowances = leases && new Allowances({
      commits: options.commits,
      purseOf: (projectId) => this.#funds.of(projectId),
      monotonic: leases.monotonic,
      delay: options.retryDelay,
      onTrouble,
    });
    const { allowances } = this;
    this.leaseBudgets = leases && spending && ((short) => spending.lease(short));
    this.lease = allowances &&
      ((projectId, needE8) =>
        this.#funds.of(projectId).avail >= needE8
          ? Promise.resolve(true)
          : this.#lease(allowances, projectId, needE8));
    this.shared = new SharedEntries({
      funds: this.#funds,
      commits: options.commits,
      now: options.now,
      mustTakeOn: () => this.#mustTakeOn(),
      onRefused: (refusal, callId) => this.#report(refusal, callId),
    });
    this.unwritten = new UnwrittenCloses({
      write: (hold, closed) => new Promise((done) => this.#write(hold, closed, undefined, done)),
      onWritten: (closed) => this.#funds.applyWritten(closed),
      onGivenUp: (closed, refusal) => this.#report(refusal, closed.callId),
      retryDelay: options.retryDelay,
      isAway: () => this.#isAway?.() === true,
    });
  }

  /**
   * What a project can still spend, and what is held. Where several nodes share the balances, it is what
   * was read last of what all of them have: see {@linkcode Ledger.refresh}.
   */
  balanceOf(projectId: string): Balance {
    return this.#known?.of(projectId) ?? this.#funds.balanceOf(projectId);
  }

  /** Whether nothing could be written last, or now, so that nothing new should be promised. */
  get troubled(): boolean {
    return this.#commits.full || this.unwritten.isStorageDown || this.#isAway?.() === true;
  }

  /**
   * Whether a hold could be taken now; nothing is held.
   *
   * @throws {GatewayError} As {@linkcode Ledger.hold}.
   */
  covers(call: HoldQuestion): boolean {
    this.#mustTakeOn();
    return this.#funds.purseFor(call) !== undefined;
  }

  /**
   * Takes a hold if the balance covers it. Decides at once; the row is written with the next batch.
   *
   * @param isFree Whether the call spends nothing whatever comes: no budget stands against it.
   * @returns `undefined` when `call.heldE8` does not fit the balance.
   * @throws {GatewayError} `storage_full` while writes fail, `storage_away` while a server that has
   * the database is silent, `insufficient_balance` when a budget or a spend brake stands against it.
   */
  hold(call: OpenCall, isFree = false): Hold | undefined {
    this.#mustTakeOn();
    const purse = this.#funds.purseFor(call, isFree);
    return purse?.take(call.heldE8) === true ? this.holdTaken(call) : undefined;
  }

  /** Counts and writes a hold whose amount is taken from the purse already, as a thread takes it. */
  holdTaken(call: OpenCall): Hold {
    this.allowances?.use(call.projectId);
    this.#funds.of(call.projectId).held += call.heldE8;
    this.#commits.enqueue({ kind: "hold", call }, (result) => {
      this.#report(result, call.callId);
    });
    return this.adopt(call);
  }

  /**
   * Moves an open hold to another route and amount, before a fallback.
   *
   * @returns `false`, with nothing changed, when a larger amount does not fit the balance or a budget.
   */
  rehold(
    hold: Hold,
    to: Pick<OpenCall, "model" | "provider" | "route" | "priceVersion" | "heldE8" | "reservedE8">,
  ): boolean {
    const owned = hold as OwnedHold;
    const more = to.heldE8 - owned.call.heldE8;
    const moved = { ...owned.call, ...to };
    if (owned.closed || owned.reserve?.mayMove(reservedE8(moved)) === false) return false;
    if (!this.#funds.of(owned.call.projectId).take(more)) return false;
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
    this.#funds.of(projectId).share(cells, slot);
  }

  /** Gives back what a thread has taken and never told of. */
  giveBack(projectId: string, amountE8: AmountE8): void {
    this.#funds.of(projectId).give(amountE8);
  }

  /**
   * Ends a call: settles or releases its hold. Resolves when that is synced to disk, so that whoever
   * awaits it may finish the caller's answer. One that used more than its hold first holds the rest
   * too, as far as the balance goes.
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
  closeThen(hold: Hold, outcome: CallOutcome, closing: Closing): void {
    const owned = hold as OwnedHold;
    if (owned.closed) {
      throw new Error(`Cannot close call ${owned.call.requestId} as it is closed already`);
    }
    const { call } = owned;
    const shortE8 = this.lease === undefined
      ? 0n
      : missingE8(call, outcome, this.#funds.of(call.projectId).avail);
    if (shortE8 === 0n) return this.#closeNow(owned, outcome, closing);
    // Nobody else ends it while what it used more than its hold is asked for.
    owned.closed = true;
    const close = () => {
      owned.closed = false;
      try {
        this.#closeNow(owned, outcome, closing);
      } catch (error) {
        closing.failed(error);
      }
    };
    // Where nobody can be asked, or nobody has it, this part has to do.
    this.lease!(call.projectId, shortE8).then(close, close);
  }

  #closeNow(
    owned: OwnedHold,
    outcome: CallOutcome,
    { keep, decided, done, failed }: Closing,
  ): void {
    const purse = this.#funds.of(owned.call.projectId);
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
    this.#funds.apply(closed);
    this.#write(owned, closed, kept, (result) => {
      if (result.ok) {
        this.#funds.written(closed);
        done(closed);
      } else failed(this.#refuse(owned, closed, result));
    });
    decided?.(closed);
  }

  /** What a close comes to that storage has refused: nobody is charged. */
  #refuse(hold: OwnedHold, closed: ClosedCall, refusal: Refusal): GatewayError {
    this.#report(refusal, closed.callId);
    // While earlier entries are unwritten, the balance on disk is not yet the one decided on here.
    const isBehind = hold.isMoveUnwritten || this.unwritten.size > 0;
    this.#funds.unapply(closed);
    if (refusal.reason === "conflict" && !isBehind) return notAccountedFor(refusal.message);
    const error = isStorageDown(refusal) || this.unwritten.isStorageDown
      ? storageFull()
      : notAccountedFor(refusal.message);
    this.unwritten.add(hold, asReleased(closed, error.code), refusal);
    return error;
  }

  /** Takes charge of a hold that outlived the process that took it: balances count it already. */
  adopt(call: OpenCall): Hold {
    return this.#funds.adopt(call);
  }

  /** Books a credit with its row in the audit log; memory follows once both are on disk. */
  async credit({ projectId, amountE8, reference, note }: Credit): Promise<EntryResult> {
    const at = this.#now();
    const result = await this.#commits.commit({
      kind: "audited",
      changes: [{ kind: "credit", projectId, amountE8, reference, at }],
      note,
    });
    // Where balances are shared, nobody has it until it is leased.
    if (result.ok && result.repeated !== true && this.allowances === undefined) {
      this.#funds.of(projectId).give(amountE8);
    }
    await this.refresh?.([projectId]);
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
      this.#funds.applyWritten(closed);
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

  async #lease(allowances: Allowances, projectId: string, needE8: AmountE8): Promise<boolean> {
    const isLeased = await allowances.lease(projectId, needE8);
    if (!isLeased) {
      this.#known?.note(this.#funds.balanceOf(projectId), allowances.elsewhere(projectId));
    }
    return isLeased;
  }

  /** @throws {GatewayError} Where nothing new may be promised. */
  #mustTakeOn(): void {
    if (this.troubled) throw this.#isAway?.() === true ? storageAway() : storageFull();
  }

  /** Replaces an open hold, once what it holds more is taken from the purse. */
  #move(hold: OwnedHold, call: OpenCall): void {
    this.#funds.of(call.projectId).held += call.heldE8 - hold.call.heldE8;
    hold.call = call;
    this.#commits.enqueue({ kind: "rehold", call }, (result) => {
      hold.isMoveUnwritten = true;
      this.#report(result, call.callId);
    });
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
