/**
 * Finds what a project's own pattern means: `#` is a digit, `?` any character but a space, `*` as many
 * of those as there are. It takes time in proportion to the text, whatever the pattern.
 *
 * @module
 */

import { MOST_OF_STAR } from "../domain/redact_pattern.ts";

/** A part of a text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

export class OwnPattern {
  readonly #before: RegExp;
  /** What comes after the `*`; `undefined` for a pattern without one. */
  readonly #after: RegExp | undefined;

  /** @param pattern One that can be used, upper and lower case alike. */
  constructor(pattern: string) {
    const [before, after] = pattern.split("*");
    this.#before = expressionOf(before!);
    this.#after = after === undefined ? undefined : expressionOf(after);
  }

  /** The text with what `instead` gives in the place of everything that is found. */
  replaceIn(text: string, instead: () => string): string {
    const after = this.#after;
    if (after === undefined) return text.replaceAll(this.#before, instead);
    let left = "";
    let done = 0;
    const ends = new LastWithin(text, after);
    for (let at = 0;;) {
      const start = matchFrom(this.#before, text, at);
      if (start === undefined) break;
      const end = ends.from(start.end);
      if (end === undefined) {
        at = nextIndex(text, start.start);
        continue;
      }
      left += text.slice(done, start.start) + instead();
      at = done = end;
    }
    return left + text.slice(done);
  }
}

/**
 * Where what a `*` and the signs after it mean ends, for places that only go forward: the text is
 * walked once, not once for each place where a match may begin.
 */
class LastWithin {
  readonly #text: string;
  readonly #find: RegExp;
  #wordEnd = -1;
  #last: Span | undefined;
  #next: Span | undefined;

  constructor(text: string, find: RegExp) {
    this.#text = text;
    this.#find = find;
    this.#next = matchFrom(find, text, 0);
  }

  /** The farthest end for a `*` that begins here. */
  from(at: number): number | undefined {
    if (at > this.#wordEnd) {
      this.#wordEnd = matchFrom(SPACE, this.#text, at)?.start ?? this.#text.length;
    }
    const limit = Math.min(at + MOST_OF_STAR, this.#wordEnd);
    while (this.#next !== undefined && this.#next.start <= limit) {
      this.#last = this.#next;
      this.#next = this.#last.start >= this.#text.length
        ? undefined
        : matchFrom(this.#find, this.#text, nextIndex(this.#text, this.#last.start));
    }
    return this.#last !== undefined && this.#last.start >= at ? this.#last.end : undefined;
  }
}

const SPACE = /\s/gu;

function expressionOf(pattern: string): RegExp {
  const source = pattern.replaceAll(/[\s\S]/gu, (sign) => {
    if (sign === "#") return "\\d";
    if (sign === "?") return "\\S";
    return sign.replace(/[\\^$.|+()[\]{}\/]/, "\\$&");
  });
  return new RegExp(source, "giu");
}

function matchFrom(find: RegExp, text: string, at: number): Span | undefined {
  find.lastIndex = at;
  const found = find.exec(text);
  return found === null ? undefined : { start: found.index, end: found.index + found[0].length };
}

/** Half a character is no place to go on from: the search would step back to its beginning. */
function nextIndex(text: string, at: number): number {
  return at + (text.codePointAt(at)! > 0xffff ? 2 : 1);
}
