/**
 * How many bytes all request bodies and answers may have together that are in memory.
 *
 * @module
 */
import type { LargeBodyTurns } from "../../limits/large_body_turns.ts";
import { GatewayError } from "../../errors.ts";

/** A count of bytes that is shared by everything that holds a body or an answer. */
export interface BodyBudget {
  /** @throws {GatewayError} `pool_limit_exceeded` if the sum would pass a limit; nothing is reserved then */
  reserve(bytes: number): void;
  /** Takes bytes if they are free; says whether. */
  tryReserve(bytes: number): boolean;
  /** Gives back what {@linkcode BodyBudget.reserve} took. */
  release(bytes: number): void;
  /** See {@linkcode ByteRoom.turnInMs}. */
  turnInMs(bytes: number): number;
}

/** A budget that several owners share, none of which can take all of it. */
export interface SharedBudget {
  /** Bytes reserved now, by all owners. */
  readonly usedBytes: number;
  /** The owner's part of it. */
  of(owner: string): BodyBudget;
}

/** How large a budget is. */
export interface SharedBudgetLimits {
  readonly maxBytes: number;
  /**
   * What one owner may always have as long as there is room: the largest body, else a small budget
   * would never take one.
   */
  readonly leastShareBytes: number;
  /** How fast large bodies of one owner are taken. Absent: as they come. */
  readonly turns?: LargeBodyTurns;
}

/** A budget of `maxBytes` with one owner, all of it free. */
export function createBodyBudget(
  maxBytes: number,
): BodyBudget & Pick<SharedBudget, "usedBytes"> {
  const shared = createSharedBudget({ maxBytes, leastShareBytes: maxBytes });
  const only = shared.of("");
  return {
    get usedBytes() {
      return shared.usedBytes;
    },
    reserve: (bytes) => only.reserve(bytes),
    tryReserve: (bytes) => only.tryReserve(bytes),
    release: (bytes) => only.release(bytes),
    turnInMs: (bytes) => only.turnInMs(bytes),
  };
}

/**
 * A budget, all of it free. One owner may have half of what the others leave, and half of all
 * while it is alone: whoever comes next finds as much as the one before has.
 */
export function createSharedBudget(limits: SharedBudgetLimits): SharedBudget {
  return new CountedBudget(limits);
}

class CountedBudget implements SharedBudget {
  readonly #limits: SharedBudgetLimits;
  /** Bytes by owner, of those that have any. */
  readonly #owned = new Map<string, number>();
  #usedBytes = 0;

  constructor(limits: SharedBudgetLimits) {
    this.#limits = limits;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  of(owner: string): BodyBudget {
    return new Share(this, owner);
  }

  reserve(owner: string, bytes: number): void {
    if (this.tryReserve(owner, bytes)) return;
    const { maxBytes } = this.#limits;
    throw this.#usedBytes + bytes > maxBytes ? allFull(maxBytes) : shareFull(maxBytes);
  }

  tryReserve(owner: string, bytes: number): boolean {
    const { maxBytes, leastShareBytes } = this.#limits;
    if (this.#usedBytes + bytes > maxBytes) return false;
    const owned = this.#owned.get(owner) ?? 0;
    const leftByOthers = maxBytes - (this.#usedBytes - owned);
    if (owned + bytes > Math.max(leastShareBytes, leftByOthers / 2)) return false;
    this.#usedBytes += bytes;
    if (bytes > 0) this.#owned.set(owner, owned + bytes);
    return true;
  }

  turnInMs(owner: string, bytes: number): number {
    return this.#limits.turns?.turnInMs(owner, bytes) ?? 0;
  }

  release(owner: string, bytes: number): void {
    const owned = this.#owned.get(owner) ?? 0;
    if (bytes > owned) {
      throw new RangeError(`Cannot release ${bytes} bytes as only ${owned} are reserved`);
    }
    this.#usedBytes -= bytes;
    if (owned === bytes) this.#owned.delete(owner);
    else this.#owned.set(owner, owned - bytes);
  }
}

/** What to do differs: only of its own requests may a project send fewer. */
function allFull(maxBytes: number): GatewayError {
  return new GatewayError(
    "pool_limit_exceeded",
    `The bodies and answers of all projects fill the ${
      mebibytes(maxBytes)
    } MiB that they share: try again shortly`,
    { retryAfterSeconds: 1 },
  );
}

function shareFull(maxBytes: number): GatewayError {
  return new GatewayError(
    "pool_limit_exceeded",
    `The bodies and answers of this project's requests fill its share of the ${
      mebibytes(maxBytes)
    } MiB that all projects have (half of what the others leave): send fewer large requests at the same time, or smaller ones, and try again when some of them have ended`,
    { retryAfterSeconds: 1 },
  );
}

const mebibytes = (bytes: number): number => Math.round(bytes / 1024 ** 2 * 10) / 10;

class Share implements BodyBudget {
  readonly #budget: CountedBudget;
  readonly #owner: string;

  constructor(budget: CountedBudget, owner: string) {
    this.#budget = budget;
    this.#owner = owner;
  }

  reserve(bytes: number): void {
    this.#budget.reserve(this.#owner, bytes);
  }

  tryReserve(bytes: number): boolean {
    return this.#budget.tryReserve(this.#owner, bytes);
  }

  release(bytes: number): void {
    this.#budget.release(this.#owner, bytes);
  }

  turnInMs(bytes: number): number {
    return this.#budget.turnInMs(this.#owner, bytes);
  }
}
