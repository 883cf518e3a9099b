/**
 * A process's clock that a test moves, by libfaketime. What the process has told of it before it
 * jumps stays told, as when somebody sets the clock of a machine.
 *
 * @module
 */

import { libfaketimePath } from "./tools.ts";

/** Needs the tool `libfaketime`. */
export class FakedClock {
  /** What the process is to be started with. */
  readonly env: Readonly<Record<string, string>>;
  readonly #file: string;

  /**
   * @param moves `wall`: the time of day alone, as setting a clock does; `all`: also the clock that
   *   counts from the machine's start, which is as if so much time had passed.
   */
  constructor(folder: string, { moves }: { readonly moves: "wall" | "all" }) {
    const library = libfaketimePath();
    if (library === undefined) throw new Error("Cannot fake a clock: libfaketime is not here");
    this.#file = `${folder}/clock`;
    this.env = {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: "1",
      ...(moves === "wall" && { FAKETIME_DONT_FAKE_MONOTONIC: "1" }),
    };
    this.set(0);
  }

  /** From now on the clock is so many seconds from the true time. */
  set(seconds: number): void {
    // A file that is half written would be read as another time.
    Deno.writeTextFileSync(`${this.#file}.new`, `${seconds < 0 ? "" : "+"}${seconds}\n`);
    Deno.renameSync(`${this.#file}.new`, this.#file);
  }
}
