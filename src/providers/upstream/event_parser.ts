/**
 * An incremental parser of server-sent events (WHATWG HTML, section 9.2.6) on
 * decoded text: one string search per line, nothing copied but what is whole.
 *
 * @module
 */

/** The default cap on one line, and on the data lines of one event together, in characters. */
export const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;

/** Takes one event: its data lines joined by line feeds, and its `event:` name or "". */
export type OnEvent = (data: string, name: string) => void;

/** Tells the events of one stream apart, whatever pieces their bytes come in. */
export interface Framing {
  /** Characters of an event that has not come to its end. */
  readonly pending: number;
  /** @throws {RangeError} When an event is longer than is taken. */
  read(bytes: Uint8Array): void;
  /** The end of the body. */
  end(): void;
}

/** Feeds on pieces of text in any division and calls `onEvent` for each event with data. */
export class EventParser implements Framing {
  readonly #decoder = new TextDecoder();
  readonly #onEvent: OnEvent;
  readonly #maxCharacters: number;
  /** The beginning of a line whose end has not come yet. */
  #rest = "";
  #data: string | undefined;
  #name = "";
  #isFirst = true;
  /** Whether the last piece ended in a CR, so that a LF at the start of the next belongs to it. */
  #endedInCr = false;

  constructor(onEvent: OnEvent, options: { readonly maxCharacters?: number } = {}) {
    this.#onEvent = onEvent;
    this.#maxCharacters = options.maxCharacters ?? MAX_EVENT_CHARACTERS;
  }

  /** Characters of an event that has not come to its end. */
  get pending(): number {
    return this.#rest.length + (this.#data?.length ?? 0);
  }

  read(bytes: Uint8Array): void {
    this.push(this.#decoder.decode(bytes, { stream: true }));
  }

  /** @throws {RangeError} When a line or an event is longer than the cap. */
  push(piece: string): void {
    if (piece === "") return;
    let text = piece;
    if (this.#isFirst) {
      this.#isFirst = false;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    if (this.#endedInCr || text.includes("\r")) text = this.#withLineFeeds(text);
    let start = 0;
    let end = text.indexOf("\n");
    if (end >= 0 && this.#rest !== "") {
      this.#line(this.#rest + text.slice(0, end));
      this.#rest = "";
      start = end + 1;
      end = text.indexOf("\n", start);
    }
    while (end >= 0) {
      this.#line(start === end ? "" : text.slice(start, end));
      start = end + 1;
      end = text.indexOf("\n", start);
    }
    if (start < text.length) {
      this.#rest += start === 0 ? text : text.slice(start);
      this.#check(this.#rest.length);
    }
  }

  /** The end of the body: an event whose closing blank line is missing counts all the same. */
  end(): void {
    this.push(this.#decoder.decode());
    if (this.#rest !== "") this.#line(this.#rest);
    this.#rest = "";
    this.#line("");
  }

  #withLineFeeds(piece: string): string {
    const text = this.#endedInCr && piece.startsWith("\n") ? piece.slice(1) : piece;
    this.#endedInCr = text.endsWith("\r");
    return text.replace(/\r\n?/g, "\n");
  }

  #line(line: string): void {
    if (line === "") {
      const data = this.#data;
      const name = this.#name;
      this.#data = undefined;
      this.#name = "";
      if (data !== undefined) this.#onEvent(data, name);
    } else if (line.startsWith("data:")) {
      const value = line.slice(line.charCodeAt(5) === 32 ? 6 : 5);
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
      this.#check(this.#data.length);
    } else if (line.startsWith("event:")) {
      this.#name = line.slice(6).trim();
    } else if (line === "data") {
      this.#data = this.#data === undefined ? "" : `${this.#data}\n`;
    }
    // Comments, `id:`, `retry:` and unknown fields mean nothing to a chat stream.
  }

  #check(length: number): void {
    if (length > this.#maxCharacters) {
      throw new RangeError(
        `Cannot read an event longer than ${this.#maxCharacters} characters`,
      );
    }
  }
}
