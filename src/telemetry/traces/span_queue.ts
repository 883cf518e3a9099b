/**
 * Spans on their way to a collector: in batches, in bounded memory. What does not fit, or is not
 * taken, is dropped and counted; no call ever waits for it.
 *
 * @module
 */

import type { Span } from "./span.ts";

/** What became of a batch: taken but for some, to be tried again, or refused for good. */
export type Sent =
  | { readonly outcome: "taken"; readonly rejected: number }
  | { readonly outcome: "again"; readonly why: string }
  | { readonly outcome: "refused"; readonly why: string };

/** What a queue needs. */
export interface SpanQueueOptions {
  /** Sends a batch; never rejects. */
  readonly send: (spans: readonly Span[], signal: AbortSignal) => Promise<Sent>;
  /** Told of spans that nobody gets. */
  readonly onDropped: (spans: number, why: string) => void;
  /** Runs something after some milliseconds; what it gives takes that back. */
  readonly later: (run: () => void, ms: number) => () => void;
  readonly maxWaiting?: number;
  readonly maxBatch?: number;
}

/** A batch goes when it is full, or after so long (the default of OpenTelemetry's batch processor). */
const GATHER_MS = 5_000;
/** After a failure the next try waits, longer each time, up to a minute. */
const LONGEST_REST_MS = 60_000;

export class SpanQueue {
  readonly #options: SpanQueueOptions;
  readonly #maxWaiting: number;
  readonly #maxBatch: number;
  readonly #abort = new AbortController();
  #waiting: Span[] = [];
  #takeBack: (() => void) | undefined;
  #sending: Promise<void> | undefined;
  #failures = 0;
  #isStopped = false;
  #overflowing = 0;

  constructor(options: SpanQueueOptions) {
    this.#options = options;
    this.#maxWaiting = options.maxWaiting ?? 4_096;
    this.#maxBatch = options.maxBatch ?? 512;
  }

  /** Takes a span that is over. */
  add(span: Span): void {
    if (this.#waiting.length >= this.#maxWaiting || this.#isStopped) {
      this.#overflowing++;
      return;
    }
    this.#waiting.push(span);
    if (this.#sending !== undefined) return;
    if (this.#waiting.length >= this.#maxBatch && this.#failures === 0) this.#send();
    else this.#takeBack ??= this.#options.later(() => this.#send(), GATHER_MS);
  }

  /** Sends what waits, for at most so long, and takes no more. */
  async stop(patienceMs: number): Promise<void> {
    this.#isStopped = true;
    const takeBack = this.#options.later(() => this.#abort.abort(), patienceMs);
    await this.#sending;
    while (this.#waiting.length > 0 && !this.#abort.signal.aborted) {
      const before = this.#waiting.length;
      this.#send();
      await this.#sending;
      if (this.#waiting.length === before) break;
    }
    takeBack();
    this.#takeBack?.();
    this.#drop(this.#waiting.splice(0).length, "the gateway has stopped");
  }

  #send(): void {
    this.#takeBack?.();
    this.#takeBack = undefined;
    this.#sending ??= this.#sendBatch().finally(() => {
      this.#sending = undefined;
      this.#tellOverflow();
      if (this.#waiting.length === 0 || this.#isStopped) return;
      if (this.#failures === 0 && this.#waiting.length >= this.#maxBatch) return this.#send();
      const rest = Math.min(GATHER_MS * 2 ** this.#failures, LONGEST_REST_MS);
      this.#takeBack ??= this.#options.later(() => this.#send(), rest);
    });
  }

  async #sendBatch(): Promise<void> {
    const batch = this.#waiting.splice(0, this.#maxBatch);
    const sent = await this.#options.send(batch, this.#abort.signal);
    if (sent.outcome === "again") {
      this.#failures++;
      // They are the oldest: what came since goes behind them, as far as there is room.
      const room = Math.max(0, this.#maxWaiting - this.#waiting.length);
      this.#waiting.unshift(...batch.slice(0, room));
      return this.#drop(Math.max(0, batch.length - room), sent.why);
    }
    this.#failures = 0;
    if (sent.outcome === "taken") this.#drop(sent.rejected, "the collector rejected them");
    else this.#drop(batch.length, sent.why);
  }

  #tellOverflow(): void {
    const spans = this.#overflowing;
    this.#overflowing = 0;
    this.#drop(spans, "the collector is slower than the calls");
  }

  #drop(spans: number, why: string): void {
    if (spans > 0) this.#options.onDropped(spans, why);
  }
}
