/**
 * How far a check of the books is, by the rows that it has read of those that it will read.
 *
 * @module
 */

import type { RowCounts } from "../../storage/ports/books.ts";
import type { WorkProgress, WorkStep } from "../base/work_progress.ts";

/** The check's steps, in their order. */
type CheckStep = Extract<WorkStep, "ledger" | "calls" | "checksums" | "audit">;

export class CheckProgress {
  readonly #onProgress: (progress: WorkProgress) => void;
  readonly #steps: readonly (readonly [step: CheckStep, rows: number])[];
  readonly #total: number;
  #at = 0;
  /** Rows of the steps before, and of this one. */
  #before = 0;
  #done = 0;

  constructor(
    { ledger, calls, priceVersions, audit }: RowCounts,
    onProgress: (progress: WorkProgress) => void,
  ) {
    this.#onProgress = onProgress;
    // Checksums are of the same rows once more.
    this.#steps = [
      ["ledger", ledger],
      ["calls", calls],
      ["checksums", ledger + calls + priceVersions],
      ["audit", audit],
    ];
    this.#total = this.#steps.reduce((sum, [, rows]) => sum + rows, 0);
  }

  /** Goes on to a step: those before are done, however many rows they turned out to have. */
  begin(step: CheckStep): void {
    while (this.#steps[this.#at]![0] !== step) {
      this.#before += this.#steps[this.#at]![1];
      this.#at++;
    }
    this.#done = 0;
    this.#tell();
  }

  /** Notes rows that were read. Those that came since they were counted do not count. */
  add(rows: number): void {
    this.#done = Math.min(this.#steps[this.#at]![1], this.#done + rows);
    this.#tell();
  }

  #tell(): void {
    const step = this.#steps[this.#at]![0];
    this.#onProgress({ step, done: this.#before + this.#done, total: this.#total });
  }
}
