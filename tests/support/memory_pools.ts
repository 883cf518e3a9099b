/**
 * Pools of limits in memory, by the rules of those in a database.
 *
 * @module
 */

import type { Clock } from "../../src/domain/clock.ts";
import type { ShareAnswer, ShareAsk, SharePools } from "../../src/storage/ports/shares.ts";

/** A share of a session that has ended counts for as long as what it was used for does. */
const ENDED_MS = 60_000;
const WANTED_MS = 1_000;

interface Part {
  amount: number;
  /** Of a session that has ended: until when it counts. */
  untilMs: number;
}

/** One database's. */
export class MemoryPools {
  readonly #clock: Clock;
  readonly #live: Set<number> = new Set();
  readonly #shares: Map<string, Map<number, Part>> = new Map();
  readonly #wantedUntil: Map<string, number> = new Map();
  exchanges = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** As a session has them. */
  of(session: number): SharePools {
    this.#live.add(session);
    return {
      exchange: (asks) => {
        if (!this.#live.has(session)) return Promise.reject(new Error("The session has ended"));
        this.exchanges++;
        return Promise.resolve(asks.map((ask) => this.#answer(session, ask)));
      },
    };
  }

  /** Ends a session, in whatever way. */
  end(session: number): void {
    this.#live.delete(session);
    for (const [name, parts] of this.#shares) {
      const part = parts.get(session);
      if (part !== undefined) {
        part.untilMs = name.startsWith("concurrent") ? 0 : this.#clock.monotonic() + ENDED_MS;
      }
    }
  }

  #answer(session: number, ask: ShareAsk): ShareAnswer {
    const { kind, scope, id, most, holds, need, lack, wish } = ask;
    const name = `${kind} ${scope} ${id}`;
    const nowMs = this.#clock.monotonic();
    const parts = this.#shares.get(name) ?? new Map<number, Part>();
    this.#shares.set(name, parts);
    let others = 0;
    for (const [whose, { amount, untilMs }] of parts) {
      if (untilMs <= nowMs) parts.delete(whose);
      else if (whose !== session) others += amount;
    }
    const free = most - others - holds;
    const part = Math.floor(free / (2 * this.#live.size));
    const given = free < need || free <= 0
      ? 0
      : Math.min(free, Math.max(lack, Math.min(wish, part)));
    parts.set(session, { amount: holds + given, untilMs: Infinity });
    if (given < lack) this.#wantedUntil.set(name, nowMs + WANTED_MS);
    return {
      holds: holds + given,
      free: free - given,
      isWanted: (this.#wantedUntil.get(name) ?? 0) > nowMs,
    };
  }
}
