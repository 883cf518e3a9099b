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
  return new Share(new CountedBudget({ maxBytes, leastShareBytes: maxBytes }), "");
}

/**
 * A budget, all of it free. One owner may have half of what the others leave, and half of all
 * while it is alone: whoever comes next finds as much as the one before has.
 */
export function createSharedBudget(limits: SharedBudgetLimits): SharedBudget {
  return new CountedBudget(limits);
}

class CountedBudget implements SharedBudget {
  readonly limits: SharedBudgetLimits;
  /** Bytes by owner, of those that have any. */
  readonly owned = new Map<string, number>();
  usedBytes = 0;

  constructor(limits: SharedBudgetLimits) {
    this.limits = limits;
  }

  of(owner: string): BodyBudget {
    return new Share(this, owner);
  }
}

class Share implements BodyBudget {
  readonly #budget: CountedBudget;
  readonly #owner: string;

  constructor(budget: CountedBudget, owner: string) {
    this.#budget = budget;
    this.#owner = owner;
  }

  get usedBytes(): number {
    return this.#budget.usedBytes;
  }

  reserve(bytes: number): void {
    if (this.tryReserve(bytes)) return;
    const { maxBytes } = this.#budget.limits;
    throw this.usedBytes + bytes > maxBytes ? allFull(maxBytes) : shareFull(maxBytes);
  }

  tryReserve(bytes: number): boolean {
    const { usedBytes, owned, limits: { maxBytes, leastShareBytes } } = this.#budget;
    if (usedBytes + bytes > maxBytes) return false;
    const own = owned.get(this.#owner) ?? 0;
    const leftByOthers = maxBytes - (usedBytes - own);
    if (own + bytes > Math.max(leastShareBytes, leftByOthers / 2)) return false;
    this.#budget.usedBytes += bytes;
    if (bytes > 0) owned.set(this.#owner, own + bytes);
    return true;
  }

  release(bytes: number): void {
    const { owned } = this.#budget;
    const own = owned.get(this.#owner) ?? 0;
    if (bytes > own) {
      throw new RangeError(`Cannot release ${bytes} bytes as only ${own} are reserved`);
    }
    this.#budget.usedBytes -= bytes;
    if (own === bytes) owned.delete(this.#owner);
    else owned.set(this.#owner, own - bytes);
  }

  turnInMs(bytes: number): number {
    return this.#budget.limits.turns?.turnInMs(this.#owner, bytes) ?? 0;
  }
}

/** What to do differs: only of its own requests may a project send fewer. */
function allFull(maxBytes: number): GatewayError {
  return new GatewayError(
    "pool_limit_exceeded",
    `The bodies and answers of all projects fill the ${
      mebibytes(maxBytes)
    } MiB that they share: try again shortly`,
    { retryAfterSeconds: 1, why: "memory_of_all" },
  );
}

function shareFull(maxBytes: number): GatewayError {
  return new GatewayError(
    "pool_limit_exceeded",
    `The bodies and answers of this project's requests fill its share of the ${
      mebibytes(maxBytes)
    } MiB that all projects have (half of what the others leave): send fewer large requests at the same time, or smaller ones, and try again when some of them have ended`,
    { retryAfterSeconds: 1, why: "memory_of_project" },
  );
}

const mebibytes = (bytes: number): number => Math.round(bytes / 1024 ** 2 * 10) / 10;
