/**
 * Reads a response body part by part, and can look whether the next part is there already.
 *
 * @module
 */

type Part = ReadableStreamReadResult<Uint8Array>;

/** Turns of the microtask queue after which a part that needs no waiting has shown itself. */
const PEEK_TURNS = 4;

/** The reading end of one response body: asks its source for a part only when told to. */
export class PartReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #pending: Promise<void> | null = null;
  #part: Part | undefined;
  #error: unknown;
  #failed = false;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /**
   * The next part if it can be had without waiting for anything outside this process.
   *
   * @throws what the source failed with
   */
  async peek(): Promise<Part | undefined> {
    this.#pending ??= this.#start();
    for (let turn = 0; turn < PEEK_TURNS && this.#part === undefined; turn++) await null;
    if (this.#failed) throw this.#error;
    return this.#part;
  }

  /** The next part; rejects with what the source failed with. */
  next(): Promise<Part> {
    // Nothing was looked at before: the usual case in a stream, so it goes without detours.
    if (this.#pending === null) return this.#reader.read();
    return this.#takePeeked();
  }

  /** Tells the source that nobody wants the rest. */
  async cancel(reason: unknown): Promise<void> {
    await this.#reader.cancel(reason);
  }

  async #takePeeked(): Promise<Part> {
    await this.#pending;
    if (this.#failed) throw this.#error;
    const part = this.#part!;
    this.#pending = null;
    this.#part = undefined;
    return part;
  }

  #start(): Promise<void> {
    return this.#reader.read().then(
      (part) => {
        this.#part = part;
      },
      (error) => this.#fail(error),
    );
  }

  #fail(error: unknown): void {
    this.#error = error;
    this.#failed = true;
  }
}

/**
 * How long a part is.
 *
 * @throws {TypeError} for a part that is no bytes: a stream of strings, for instance
 */
export function partLength(part: unknown): number {
  if (part instanceof Uint8Array) return part.length;
  throw new TypeError("Cannot send a response as its body is not made of bytes");
}
