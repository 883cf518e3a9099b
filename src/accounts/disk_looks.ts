/**
 * Room on the disk for what is kept, looked at now and then instead of each time.
 *
 * @module
 */

/** The first says what may be written on the disk, in bytes. */
type Looks = { readonly freeBytes: () => number; readonly now: () => number };

const LOOK_MS = 1_000;
/** What is kept is written into the database's log first, and then into its file. */
const TIMES_WRITTEN = 2;

export class DiskLooks {
  readonly #options: Looks;
  /** Bytes in the database's file that are to be written over before it grows. */
  reusableBytes = 0;
  /** Bytes on their way to the disk, which no look sees. */
  pendingBytes = 0;
  #freeBytes = 0;
  #lookedAt = -Infinity;
  #fault: unknown = undefined;

  constructor(options: Looks) {
    this.#options = options;
  }

  /** Why the disk could not be looked at last; `undefined` when it could. */
  get fault(): unknown {
    return this.#fault;
  }

  /**
   * Whether so much may be written. Not where nobody knows: what an upstream has made is not
   * lost, as it would be by an error here, it is given and not kept.
   */
  hasRoomFor(bytes: number): boolean {
    const now = this.#options.now();
    const isRecent = now >= this.#lookedAt && now < this.#lookedAt + LOOK_MS;
    if (isRecent && this.#fits(bytes)) return true;
    // Nobody is refused for the sake of an old look.
    try {
      this.#freeBytes = this.#options.freeBytes() - this.pendingBytes * TIMES_WRITTEN;
    } catch (error) {
      this.#fault = error;
      return false;
    }
    this.#fault = undefined;
    this.#lookedAt = now;
    return this.#fits(bytes);
  }

  /** Counts what is written before the next look. */
  grant(bytes: number): void {
    this.#freeBytes -= bytes * TIMES_WRITTEN;
  }

  #fits(bytes: number): boolean {
    return this.#freeBytes + this.reusableBytes >= bytes * TIMES_WRITTEN;
  }
}
