/**
 * Bytes that a request brings into memory besides its own body, counted for as long
 * as they are there.
 *
 * @module
 */

/**
 * Counts bytes until the function that it gives is called.
 *
 * @throws {GatewayError} When too much is held already; nothing is counted then.
 */
export type ReserveBytes = (bytes: number) => () => void;

/** What one request holds. */
export class HeldBytes {
  readonly #reserve: ReserveBytes;
  #releases: (() => void)[] = [];

  constructor(reserve: ReserveBytes) {
    this.#reserve = reserve;
  }

  /** @throws {GatewayError} See {@linkcode ReserveBytes}. */
  add(bytes: number): void {
    this.#releases.push(this.#reserve(bytes));
  }

  /** Gives all of them back; safe to call more than once. */
  release(): void {
    const releases = this.#releases;
    this.#releases = [];
    for (const release of releases) release();
  }
}
