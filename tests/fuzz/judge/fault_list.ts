/**
 * What a fuzzing run has found: sentences with the cases that they are about, no more than can be
 * read.
 *
 * @module
 */

import type { FuzzCase } from "../fuzz_case.ts";

const MOST_FAULTS = 40;
const MOST_OF_A_KIND = 2;
const LOG_FAULTS = /^\s+at |\.ts:\d|internal_error|TypeError|RangeError|[Uu]nhandled|Uncaught/m;

export class FaultList {
  readonly #faults: string[] = [];
  /** How often each sentence was said. */
  readonly #told = new Map<string, number>();

  get all(): readonly string[] {
    return this.#faults;
  }

  /** Notes what is no case's. */
  add(...sentences: readonly string[]): void {
    this.#faults.push(...sentences);
  }

  /** Notes a sentence about a case; the same one about a few cases alone. */
  ofCase(number: number, { name, bytes }: FuzzCase, sentence: string): void {
    const times = (this.#told.get(sentence) ?? 0) + 1;
    this.#told.set(sentence, times);
    if (this.#faults.length >= MOST_FAULTS || times > MOST_OF_A_KIND) return;
    const shown = JSON.stringify(new TextDecoder("latin1").decode(bytes.subarray(0, 900)))
      .replaceAll(/(?:sk|at)-tg-[\w-]{20,}/g, "KEY");
    this.#faults.push(`case ${number}, ${name}: ${sentence}\n    ${shown}`);
  }

  /** Notes how the process ended, and what its log tells of the program's inside. */
  ofEnd({ code, stderr }: { readonly code: number; readonly stderr: string }): void {
    if (code !== 0) this.add(`the process ended with ${code}`);
    const trace = LOG_FAULTS.exec(stderr);
    if (trace === null) return;
    const words = stderr.slice(Math.max(0, trace.index - 300), trace.index + 600);
    this.add(`the log tells of a fault: ${words}`);
  }
}
