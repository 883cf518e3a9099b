/**
 * The share of calls that failed of late, in a bounded window: one addition or two a call.
 *
 * @module
 */

/** What is looked at, milliseconds. */
const WINDOW_MS = 300_000;
/** Between two counts that are remembered, at least: so many are remembered at most, and one. */
const SAMPLE_MS = 10_000;
/** Of fewer calls a share says nothing. */
const LEAST_CALLS = 20;

/** How many there were since the start. */
interface Sample {
  readonly at: number;
  readonly calls: number;
  readonly failed: number;
}

export class ErrorShare {
  #calls = 0;
  #failed = 0;
  readonly #samples: Sample[] = [{ at: -Infinity, calls: 0, failed: 0 }];

  /** A call has ended with an HTTP status. */
  add(status: number): void {
    this.#calls++;
    if (status >= 500) this.#failed++;
  }

  /**
   * Of the last five minutes, as far as they were looked at; `undefined` for too few calls to say.
   *
   * @param now Milliseconds from an arbitrary start; never goes backwards.
   */
  read(now: number): { readonly calls: number; readonly failed: number } | undefined {
    const samples = this.#samples;
    // The youngest that is older than the window is what the others are counted from.
    while (samples.length > 1 && samples[1]!.at <= now - WINDOW_MS) samples.shift();
    if (now - samples.at(-1)!.at >= SAMPLE_MS) {
      samples.push({ at: now, calls: this.#calls, failed: this.#failed });
    }
    const calls = this.#calls - samples[0]!.calls;
    const failed = this.#failed - samples[0]!.failed;
    return calls < LEAST_CALLS ? undefined : { calls, failed };
  }
}
