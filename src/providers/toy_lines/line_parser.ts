/**
 * Tells events apart that come one on a line.
 *
 * @module
 */

import type { Framing, OnEvent } from "../upstream/event_parser.ts";

const MOST_CHARACTERS = 1024 * 1024;

/** See the module's text. */
export class LineParser implements Framing {
  readonly #onEvent: OnEvent;
  readonly #decoder = new TextDecoder();
  #rest = "";

  constructor(onEvent: OnEvent) {
    this.#onEvent = onEvent;
  }

  get pending(): number {
    return this.#rest.length;
  }

  read(bytes: Uint8Array): void {
    this.#take(this.#decoder.decode(bytes, { stream: true }));
  }

  end(): void {
    this.#take(`${this.#decoder.decode()}\n`);
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    if (this.#rest.length > MOST_CHARACTERS) throw new RangeError("Cannot read a line so long");
    for (const line of lines) this.#onEvent(line, "");
  }
}
