/**
 * A writer for commit queues that is held by the test, and entries to give them.
 *
 * @module
 */

import type { Entry, EntryResult } from "../../src/storage/ports/entry.ts";
import { sampleClosedCall, sampleOpenCall } from "../conformance/storage_samples.ts";

/** What became of most entries. */
export const OK: EntryResult = { ok: true };

/** A writer whose batches end when the test says so. */
export class HeldWriter {
  readonly batches: (readonly Entry[])[] = [];
  readonly #finish: ((results: Promise<readonly EntryResult[]>) => void)[] = [];
  readonly #started: (() => void)[] = [];
  #startedCount = 0;

  write = (batch: readonly Entry[]): Promise<readonly EntryResult[]> => {
    this.batches.push(batch);
    this.#startedCount++;
    for (const resolve of this.#started.splice(0)) resolve();
    return new Promise((resolve) => this.#finish.push(resolve));
  };

  /** Resolves when that many batches have started. */
  async started(count: number): Promise<void> {
    while (this.#startedCount < count) {
      await new Promise<void>((resolve) => this.#started.push(resolve));
    }
  }

  finish(results?: readonly EntryResult[]): void {
    const batch = this.batches[this.batches.length - 1]!;
    this.#finish.shift()!(Promise.resolve(results ?? batch.map(() => OK)));
  }

  fail(message: string): void {
    this.#finish.shift()!(Promise.reject(new Error(message)));
  }
}

/** A hold that nobody has written yet. */
export function hold(callId: number): Entry {
  return { kind: "hold", call: sampleOpenCall({ callId }) };
}

/** Moves that hold. */
export function rehold(callId: number): Entry {
  return { kind: "rehold", call: sampleOpenCall({ callId, heldE8: 200n }) };
}

/** Ends that call. */
export function close(callId: number): Entry {
  return { kind: "close", call: sampleClosedCall({ callId }) };
}

/** `hold 1`, `close 2`. */
export function names(batch: readonly Entry[]): string[] {
  return batch.map((entry) => {
    if (!("call" in entry) || entry.kind === "create_video") return entry.kind;
    return `${entry.kind} ${entry.call.callId}`;
  });
}
