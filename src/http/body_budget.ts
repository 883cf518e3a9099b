/**
 * How many bytes all request bodies in flight may have together, and the answers that
 * are kept in memory beside them.
 *
 * @module
 */
import { BodyBudgetError } from "./body_errors.ts";

/** A count of bytes that is shared by everything that holds a request body. */
export interface BodyBudget {
  /** Bytes reserved now. */
  readonly usedBytes: number;
  /** @throws {BodyBudgetError} if the sum would pass the limit; nothing is reserved then */
  reserve(bytes: number): void;
  /** Takes bytes if they are free; says whether. */
  tryReserve(bytes: number): boolean;
  /** Gives back what {@linkcode BodyBudget.reserve} took. */
  release(bytes: number): void;
}

/** A budget of `maxBytes`, all of it free. */
export function createBodyBudget(maxBytes: number): BodyBudget {
  return new CountedBudget(maxBytes);
}

class CountedBudget implements BodyBudget {
  readonly #maxBytes: number;
  #usedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  reserve(bytes: number): void {
    if (!this.tryReserve(bytes)) throw new BodyBudgetError(this.#maxBytes);
  }

  tryReserve(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.#maxBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }

  release(bytes: number): void {
    if (bytes > this.#usedBytes) {
      throw new RangeError(
        `Cannot release ${bytes} bytes as only ${this.#usedBytes} are reserved`,
      );
    }
    this.#usedBytes -= bytes;
  }
}
