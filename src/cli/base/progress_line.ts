/**
 * How far long work is, on stderr: a line that moves on a terminal, else a line now and then.
 *
 * @module
 */

import type { Terminal } from "./terminal.ts";

/** Between two plain lines, milliseconds. */
const PLAIN_MS = 2_000;
const CLEAR = "\r\x1b[2K";

export class ProgressLine {
  readonly #terminal: Pick<Terminal, "err" | "errIsTerminal">;
  readonly #now: () => number;
  #shown = "";
  #at: number;

  constructor(terminal: Pick<Terminal, "err" | "errIsTerminal">, now: () => number) {
    this.#terminal = terminal;
    this.#now = now;
    this.#at = now();
  }

  /** Says how far it is; the same again says nothing. */
  tell(text: string): void {
    if (text === this.#shown) return;
    const { err, errIsTerminal } = this.#terminal;
    if (errIsTerminal) {
      this.#shown = text;
      return err(CLEAR + text);
    }
    // What is over soon says nothing on the way.
    if (this.#now() - this.#at < PLAIN_MS) return;
    this.#shown = text;
    this.#at = this.#now();
    err(`${text}\n`);
  }

  /** Leaves no line that moved. */
  end(): void {
    if (this.#terminal.errIsTerminal && this.#shown !== "") this.#terminal.err(CLEAR);
    this.#shown = "";
  }
}
