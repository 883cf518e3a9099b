/**
 * What this node may spend of balances that several nodes share: slices that are leased to it, out of
 * which it decides holds by itself. Where a slice is too small more is asked for; what is not needed is
 * given back after a while, and at once where another node needs it.
 *
 * Both are entries of the commit queue, so that what is leased is known exactly after any crash.
 *
 * @module
 */

import type { AmountE8 } from "../domain/money.ts";
import type { CommitQueue } from "../storage/ports/commit_queue.ts";
import type { Leased, Refusal } from "../storage/ports/entry.ts";
import { storageAway, storageFull } from "./ledger_refusals.ts";
import type { Purse } from "./purses.ts";
import { Wish } from "./wish.ts";

/** What allowances need. */
export interface AllowancesOptions {
  readonly commits: Pick<CommitQueue, "commit">;
  readonly purseOf: (projectId: string) => Purse;
  /** Milliseconds that never go backwards. */
  readonly monotonic: () => number;
  readonly delay: (ms: number) => Promise<void>;
  readonly onTrouble: (message: string) => void;
}

/** A slice that nothing was taken from for so long goes back. */
const IDLE_MS = 2_000;
/** How long a call may wait for what other nodes give back, and between two tries. */
const MOST_WAIT_MS = 1_000;
const AGAIN_MS = 100;
/** The same while others that need less are served, and some is leased now and then. */
const LONGEST_WAIT_MS = 5_000;
/** A question that is not answered for so long may not be for a minute. */
const UNANSWERED_MS = 2_000;

interface Waiting {
  readonly needE8: AmountE8;
  readonly since: number;
  readonly done: (isLeased: boolean) => void;
  readonly fail: (error: unknown) => void;
}

interface Asked {
  readonly waiting: Waiting[];
  isAsking: boolean;
  /** When the question was asked that nobody has answered yet. */
  unansweredSince: number | undefined;
  readonly wish: Wish;
  leasedAt: number;
  usedAt: number;
  /** As last told. */
  told: Pick<Leased, "freeE8" | "elsewhereE8">;
}

export class Allowances {
  readonly #options: AllowancesOptions;
  readonly #asked = new Map<string, Asked>();
  #asks = 0;

  constructor(options: AllowancesOptions) {
    this.#options = options;
  }

  /**
   * Leases more, where a project's purse does not cover an amount. Resolves with whether it does now,
   * for whoever takes it next: `false` where all nodes together have too little.
   *
   * @throws {GatewayError} `storage_full` or `storage_away` where nobody could be asked for more.
   */
  lease(projectId: string, needE8: AmountE8): Promise<boolean> {
    const asked = this.#of(projectId);
    asked.usedAt = this.#options.monotonic();
    return new Promise((done, fail) => {
      asked.waiting.push({ needE8, since: asked.usedAt, done, fail });
      if (!asked.isAsking) void this.#askFor(projectId, asked);
    });
  }

  /** What other nodes, and nobody, had of a balance when this one last asked. */
  elsewhere(projectId: string): AmountE8 {
    const { freeE8, elsewhereE8 } = this.#asked.get(projectId)?.told ?? NOTHING;
    return freeE8 + elsewhereE8;
  }

  /** Times that more was asked for. */
  get asks(): number {
    return this.#asks;
  }

  /** What may be spent of all balances together without asking. */
  get leasedE8(): AmountE8 {
    let sum = 0n;
    for (const projectId of this.#asked.keys()) sum += this.#options.purseOf(projectId).avail;
    return sum;
  }

  /** Notes that a slice is in use: it stays here. */
  use(projectId: string): void {
    this.#of(projectId).usedAt = this.#options.monotonic();
  }

  /** Gives back what was not used of late: to be called now and then. */
  giveBackIdle(): void {
    const before = this.#options.monotonic() - IDLE_MS;
    for (const [projectId, { usedAt }] of this.#asked) {
      // A call that is open may come to more than it holds.
      const isIdle = usedAt <= before && this.#options.purseOf(projectId).held <= 0n;
      if (isIdle) void this.giveBack(projectId);
    }
  }

  /**
   * Tells those who wait for an answer that does not come that the database is away: to be called now and
   * then. The question stands for as long as the database is waited for, and what it brings is for others.
   */
  giveUpUnanswered(): void {
    const before = this.#options.monotonic() - UNANSWERED_MS;
    for (const { unansweredSince = Infinity, waiting } of this.#asked.values()) {
      if (unansweredSince > before) continue;
      for (const { fail } of waiting.splice(0)) fail(storageAway());
    }
  }

  /** Gives back all that is not held: another node needs it, or this one ends. */
  async giveBack(projectId: string): Promise<void> {
    const purse = this.#options.purseOf(projectId);
    const amountE8 = purse.avail;
    if (amountE8 <= 0n || !purse.take(amountE8)) return;
    const result = await this.#options.commits.commit({ kind: "give_back", projectId, amountE8 });
    // What may be back already is nobody's to spend here: it lies idle until this node's session ends.
    if (result.ok || result.mayBeWritten === true) return;
    purse.give(amountE8);
    if (result.reason !== "unavailable") this.#options.onTrouble(result.message);
  }

  #of(projectId: string): Asked {
    let asked = this.#asked.get(projectId);
    if (asked === undefined) {
      asked = {
        waiting: [],
        isAsking: false,
        unansweredSince: undefined,
        wish: new Wish(),
        leasedAt: -Infinity,
        usedAt: 0,
        told: NOTHING,
      };
      this.#asked.set(projectId, asked);
    }
    return asked;
  }

  /** Until nobody waits: one question at a time, for all who do. */
  async #askFor(projectId: string, asked: Asked): Promise<void> {
    asked.isAsking = true;
    try {
      for (;;) {
        this.#serve(projectId, asked);
        if (asked.waiting.length === 0) return;
        const leased = await this.#ask(projectId, asked);
        if (!isLeased(leased)) giveUp(asked.waiting.splice(0), leased);
        else if (leased.amountE8 > 0n) asked.leasedAt = this.#options.monotonic();
        else await this.#waitForOthers(projectId, asked, leased);
      }
    } catch (error) {
      for (const { fail } of asked.waiting.splice(0)) fail(error);
    } finally {
      asked.isAsking = false;
    }
  }

  async #ask(projectId: string, asked: Asked): Promise<Leased | Refusal> {
    const { commits, purseOf, monotonic } = this.#options;
    const purse = purseOf(projectId);
    const needs = asked.waiting.map(({ needE8 }) => needE8);
    const least = needs.reduce((a, b) => a < b ? a : b);
    const all = needs.reduce((a, b) => a + b);
    const wishE8 = asked.wish.next(least, all, monotonic());
    this.#asks++;
    asked.unansweredSince = monotonic();
    const missing = least - purse.avail;
    const needE8 = missing > 0n ? missing : 1n;
    const result = await commits.commit({ kind: "lease", projectId, needE8, wishE8 });
    asked.unansweredSince = undefined;
    if (!result.ok) return result;
    if (result.leased === undefined) throw new Error("Nobody says what is leased");
    asked.told = result.leased;
    purse.give(result.leased.amountE8);
    return result.leased;
  }

  /** In the order of coming, as far as it goes; the others are asked for again. */
  #serve(projectId: string, { waiting }: Asked): void {
    let left = this.#options.purseOf(projectId).avail;
    // One whose need is larger than the others' keeps nobody waiting.
    const fitting = waiting.filter(({ needE8 }) => {
      if (needE8 > left) return false;
      left -= needE8;
      return true;
    });
    remove(waiting, fitting);
    for (const { done } of fitting) done(true);
  }

  /** They may give back what they do not need; whoever has waited long enough for that is refused. */
  async #waitForOthers(
    projectId: string,
    asked: Asked,
    { elsewhereE8 }: Leased,
  ): Promise<void> {
    const { monotonic, delay } = this.#options;
    // What other calls have settled meanwhile may be enough.
    this.#serve(projectId, asked);
    if (elsewhereE8 === 0n) return refuse(asked.waiting.splice(0));
    await delay(AGAIN_MS);
    this.#serve(projectId, asked);
    const now = monotonic();
    // While some is leased now and then, those who wait have a part of it to come.
    const isLeasedOfLate = asked.leasedAt > now - MOST_WAIT_MS;
    const before = now - (isLeasedOfLate ? LONGEST_WAIT_MS : MOST_WAIT_MS);
    const late = asked.waiting.filter(({ since }) => since <= before);
    remove(asked.waiting, late);
    refuse(late);
  }
}

const NOTHING = { freeE8: 0n, elsewhereE8: 0n };

function remove(waiting: Waiting[], gone: readonly Waiting[]): void {
  if (gone.length === 0) return;
  const left = waiting.filter((one) => !gone.includes(one));
  waiting.splice(0, waiting.length, ...left);
}

function isLeased(leased: Leased | Refusal): leased is Leased {
  return "amountE8" in leased;
}

/** Who could not be asked for has not too little: that is not known while nothing can be written. */
function giveUp(waiting: readonly Waiting[], { reason }: Refusal): void {
  if (reason !== "full" && reason !== "unavailable") return refuse(waiting);
  for (const { fail } of waiting) fail(reason === "full" ? storageFull() : storageAway());
}

function refuse(waiting: readonly Waiting[]): void {
  for (const { done } of waiting) done(false);
}
