/**
 * An upstream's answer without its long texts: images as base64 in JSON or in events of JSON. They
 * go to the disk as they come, and a short name is read in the place of each.
 *
 * @module
 */

import type { AnswerRoom } from "../../dialects/base/answer.ts";
import type { ProviderTimeouts } from "../../domain/catalogue.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { LongText, LongTexts } from "../../files/long_texts.ts";
import { collectText, tooLarge } from "../transport/collect_text.ts";
import type { UpstreamResponse } from "../transport/contract.ts";
import { MAX_SIEVED_BYTES } from "../transport/limits.ts";

/** Longer texts go to the disk. */
const MOST_HELD_BYTES = 16 * 1024;

const [QUOTE, BACKSLASH, LF, CR] = [0x22, 0x5c, 0x0a, 0x0d];

/** 1: in base64 and data URLs, of which long texts are. */
const IS_CODED = new Uint8Array(256);
for (
  const one of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_:;,."
) IS_CODED[one.charCodeAt(0)] = 1;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Of an escape of JSON, a backslash with it: writers may say `=` or `/` by one. */
const ESCAPE = /^\\(?:[^u]|u[\da-fA-F]{4})$/;
const MOST_ESCAPE_BYTES = 6;

/**
 * Where a reading is: outside of strings, in one that may become a long one, in one that will not
 * or at its end, in an escape within a long one.
 */
type Place = "outside" | "coded" | "words" | "escape";

/**
 * The same answer, read through the sieve.
 *
 * @param timeouts Those of the provider.
 */
export function sieveTexts(
  response: UpstreamResponse,
  { texts, timeouts }: { readonly texts: LongTexts; readonly timeouts: ProviderTimeouts },
): UpstreamResponse {
  const sieve = new Sieve(texts);
  let bytes = 0;
  const sieved: UpstreamResponse = {
    status: response.status,
    header: (name) => response.header(name),
    async read(limitMs) {
      for (;;) {
        const came = await response.read(limitMs);
        if (came === undefined) return sieve.rest();
        bytes += came.length;
        if (bytes > MAX_SIEVED_BYTES) throw tooLarge(response, MAX_SIEVED_BYTES);
        try {
          const left = await sieve.take(came);
          if (left.length > 0) return left;
        } catch (error) {
          response.close();
          throw error;
        }
      }
    },
    text: (maxBytes: number, room?: AnswerRoom) =>
      collectText(sieved, { maxBytes, room, limitMs: timeouts.totalMs }),
    close: () => response.close(),
    release: () => response.release(),
  };
  return sieved;
}

class Sieve {
  readonly #texts: LongTexts;
  #place: Place = "outside";
  /** Of a string that may become a long one. */
  readonly #held = new Uint8Array(MOST_HELD_BYTES);
  #heldBytes = 0;
  #isEscaped = false;
  /** What has come of an escape in a long text. */
  #escape = "";
  #long: LongText | undefined;
  /** What is left, until it is taken. */
  #left: Uint8Array[] = [];

  constructor(texts: LongTexts) {
    this.#texts = texts;
  }

  /**
   * What is left of bytes.
   *
   * @throws {UpstreamError} Of a long text that turns out to be none.
   */
  async take(bytes: Uint8Array): Promise<Uint8Array> {
    for (let at = 0; at < bytes.length;) {
      if (this.#place === "outside") at = this.#passOver(bytes, at);
      else if (this.#place === "words") at = this.#passWords(bytes, at);
      else if (this.#place === "escape") at = await this.#takeEscape(bytes, at);
      else at = await this.#takeCoded(bytes, at);
    }
    return this.#takeLeft();
  }

  /** What was held of a string that has no end; `undefined` for nothing. */
  rest(): Uint8Array | undefined {
    this.#letGo();
    const rest = this.#takeLeft();
    return rest.length === 0 ? undefined : rest;
  }

  #passOver(bytes: Uint8Array, from: number): number {
    const quote = bytes.indexOf(QUOTE, from);
    const end = quote === -1 ? bytes.length : quote + 1;
    this.#left.push(bytes.subarray(from, end));
    if (quote !== -1) this.#place = "coded";
    return end;
  }

  /** To the end of the string; a line's end is one too, as a quote in a comment opens nothing. */
  #passWords(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length && this.#place === "words") {
      const byte = bytes[at++];
      const isEnd = (byte === QUOTE && !this.#isEscaped) || byte === LF || byte === CR;
      this.#isEscaped = byte === BACKSLASH && !this.#isEscaped;
      if (isEnd) this.#place = "outside";
    }
    this.#left.push(bytes.subarray(from, at));
    return at;
  }

  async #takeCoded(bytes: Uint8Array, from: number): Promise<number> {
    let end = from;
    while (end < bytes.length && IS_CODED[bytes[end]!] === 1) end++;
    const run = bytes.subarray(from, end);
    if (this.#long === undefined && this.#heldBytes + run.length <= MOST_HELD_BYTES) {
      this.#held.set(run, this.#heldBytes);
      this.#heldBytes += run.length;
    } else await this.#takeLong(run);
    if (end === bytes.length) return end;
    if (this.#long === undefined) this.#letGo();
    else if (bytes[end] === BACKSLASH) {
      this.#place = "escape";
      return end;
    } else if (bytes[end] === QUOTE) this.#endLong(this.#long);
    else throw notCoded();
    this.#place = "words";
    return end;
  }

  async #takeEscape(bytes: Uint8Array, from: number): Promise<number> {
    let at = from;
    while (at < bytes.length && !ESCAPE.test(this.#escape)) {
      this.#escape += decoder.decode(bytes.subarray(at, ++at));
      if (this.#escape.length > MOST_ESCAPE_BYTES) throw notCoded();
    }
    if (!ESCAPE.test(this.#escape)) return at;
    const code = meantBy(this.#escape);
    if (IS_CODED[code] !== 1) throw notCoded();
    this.#escape = "";
    this.#place = "coded";
    await this.#long!.write(Uint8Array.of(code));
    return at;
  }

  async #takeLong(run: Uint8Array): Promise<void> {
    if (this.#long === undefined) {
      this.#long = await this.#texts.begin();
      await this.#long.write(this.#held.subarray(0, this.#heldBytes));
      this.#heldBytes = 0;
    }
    await this.#long.write(run);
  }

  #endLong(long: LongText): void {
    this.#left.push(encoder.encode(long.end()));
    this.#long = undefined;
  }

  #letGo(): void {
    this.#left.push(this.#held.slice(0, this.#heldBytes));
    this.#heldBytes = 0;
  }

  #takeLeft(): Uint8Array {
    const left = this.#left;
    this.#left = [];
    if (left.length === 1) return left[0]!;
    const whole = new Uint8Array(left.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const one of left) {
      whole.set(one, at);
      at += one.length;
    }
    return whole;
  }
}

/** The character's code; 0 of an escape that JSON has not. */
function meantBy(escape: string): number {
  if (escape[1] === "u") return parseInt(escape.slice(2), 16);
  return escape[1] === "/" ? escape.charCodeAt(1) : 0;
}

function notCoded(): UpstreamError {
  return new UpstreamError("broken", "The upstream sent an image that is not base64");
}
