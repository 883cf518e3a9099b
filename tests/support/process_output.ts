/**
 * Collects what a child process prints and lets a test wait for a piece of it.
 *
 * @module
 */

import { within } from "./within.ts";

/** Only a guard: the longest of what tests wait for comes within a minute or two. */
const PRINTED_WITHIN_MS = 600_000;

interface Waiter {
  readonly pattern: RegExp;
  readonly resolve: (match: RegExpExecArray) => void;
  readonly reject: (error: Error) => void;
}

/** Reads stdout and stderr of `process` to their ends. */
export class ProcessOutput {
  stdout = "";
  stderr = "";
  /** Resolves when the process has closed both. */
  readonly ended: Promise<void>;
  readonly #waiters = new Set<Waiter>();
  readonly #printedWithinMs: number;
  #isOver = false;

  constructor(process: Deno.ChildProcess, printedWithinMs = PRINTED_WITHIN_MS) {
    this.#printedWithinMs = printedWithinMs;
    this.ended = Promise.all([
      this.#collect(process.stdout, (text) => this.stdout = lastOf(this.stdout + text)),
      this.#collect(process.stderr, (text) => this.stderr = lastOf(this.stderr + text)),
    ]).then(() => this.#endWaits());
  }

  /** Both streams, stdout first; only whole within each stream. */
  get all(): string {
    return `${this.stdout}${this.stderr}`;
  }

  /**
   * Resolves with the first match in stdout or stderr, earlier output included; rejects when the
   * process ends without it, or says nothing of it for very long.
   */
  async waitFor(pattern: RegExp): Promise<RegExpExecArray> {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const waiter: Waiter = { pattern, resolve, reject };
    if (this.#settle(waiter)) return await promise;
    if (this.#isOver) throw this.#missing(pattern);
    this.#waiters.add(waiter);
    try {
      return await within(
        this.#printedWithinMs,
        promise,
        () => `Cannot wait longer for ${pattern}: the process printed\n${this.all}`,
      );
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  async #collect(stream: ReadableStream<Uint8Array>, append: (text: string) => void) {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      append(decoder.decode(chunk, { stream: true }));
      for (const waiter of this.#waiters) {
        if (this.#settle(waiter)) this.#waiters.delete(waiter);
      }
    }
  }

  /** Only whole lines count: a URL or key may be cut anywhere between two reads. */
  #settle({ pattern, resolve }: Waiter): boolean {
    for (const text of [this.stdout, this.stderr]) {
      const whole = this.#isOver ? text : text.slice(0, text.lastIndexOf("\n") + 1);
      const match = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "")).exec(whole);
      if (match !== null) {
        resolve(match);
        return true;
      }
    }
    return false;
  }

  #endWaits(): void {
    this.#isOver = true;
    for (const waiter of this.#waiters) {
      if (!this.#settle(waiter)) waiter.reject(this.#missing(waiter.pattern));
    }
    this.#waiters.clear();
  }

  #missing(pattern: RegExp): Error {
    return new Error(`Cannot wait for ${pattern}: the process ended, it printed\n${this.all}`);
  }
}

/** Characters that are kept of a stream: of a soak's log there are more than one text may have. */
const MOST_CHARACTERS = 64 * 1024 ** 2;

/** The last of a long text, cut when it has grown to twice as much. */
function lastOf(text: string): string {
  return text.length < 2 * MOST_CHARACTERS ? text : text.slice(-MOST_CHARACTERS);
}
