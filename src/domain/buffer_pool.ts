/**
 * Buffers that are used again: memory outside of the collector's heap is counted against it until it
 * has run, so that a hundred kilobytes for each call have it run all the time.
 *
 * @module
 */

/** Lends buffers of one size to one user at a time, and makes no more than it has to. */
export class BufferPool {
  /** Of each buffer. */
  readonly bytes: number;
  readonly #most: number;
  readonly #free: Uint8Array<ArrayBuffer>[] = [];
  readonly #lent = new WeakSet<ArrayBuffer>();

  /** @param most So many are kept for later. */
  constructor({ bytes, most }: { readonly bytes: number; readonly most: number }) {
    this.bytes = bytes;
    this.#most = most;
  }

  /** A buffer that nobody else has, with anything in it. */
  lend(): Uint8Array<ArrayBuffer> {
    const buffer = this.#free.pop() ?? new Uint8Array(this.bytes);
    this.#lent.add(buffer.buffer);
    return buffer;
  }

  /**
   * Takes back what was lent, by whichever part of it, once; anything else is left alone. From now on
   * others write into it: whoever is not sure that nobody looks at it any more keeps it.
   */
  takeBack(part: Uint8Array): void {
    const { buffer } = part;
    if (buffer.byteLength !== this.bytes || !this.#lent.delete(buffer as ArrayBuffer)) return;
    if (this.#free.length < this.#most) this.#free.push(new Uint8Array(buffer as ArrayBuffer));
  }
}
