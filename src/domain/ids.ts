/**
 * Request ids: a random prefix made at start, and the call's number behind a key
 * that stays in the data dir. Cheap to make and never the caller's; the number is
 * the key of the call's row, and whoever has many ids learns nothing of the calls
 * in between.
 *
 * @module
 */

import { NumberCipher, type WordPair } from "./number_cipher.ts";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const PREFIX_CHARACTERS = 12;
/** Of each half of an encrypted number: 5 bits per character. */
const WORD_CHARACTERS = 7;
const REQUEST_ID = /^req_[a-z2-7]{12}([a-z2-7]{7})([a-z2-7]{7})$/;
/** As they were: the number itself, in base 36. */
const EARLIER_REQUEST_ID = /^req_[a-z2-7]{12}([0-9a-z]{1,11})$/;
const WORD = 2 ** 32;

/** An id and the number inside it. */
export interface RequestIdentity {
  readonly requestId: string;
  /** The call's key in storage, should the request become a call. */
  readonly callId: number;
}

/** Gives out the numbers of calls: rising with time, and none of them twice. */
export interface CallIds {
  next(): number;
}

/** The last number given out, for all threads that count on from it. */
export type CallCount = BigInt64Array<SharedArrayBuffer>;

/** Counts on from the largest number there is, where one process at a time gives them out. */
export function countCallsFrom(last: number): CallIds & { readonly count: CallCount } {
  const count = new BigInt64Array(new SharedArrayBuffer(8));
  count[0] = BigInt(last);
  return { count, ...countCallsWith(count) };
}

/** Counts on with whoever else has the count. */
export function countCallsWith(count: CallCount): CallIds {
  return { next: () => Number(Atomics.add(count, 0, 1n)) + 1 };
}

/** Finds the call behind a request id. */
export interface CallFinder {
  /** The call id inside a request id, or `undefined` if it is not one of ours. */
  callIdOf(requestId: string): number | undefined;
}

/** Makes ids that no other start of the gateway makes. */
export class RequestIds implements CallFinder {
  readonly #prefix = `req_${randomName(PREFIX_CHARACTERS)}`;
  readonly #cipher: NumberCipher;
  readonly #callIds: CallIds;

  constructor(callIds: CallIds, key: Uint8Array) {
    this.#callIds = callIds;
    this.#cipher = new NumberCipher(key);
  }

  /** The next id. */
  next(): RequestIdentity {
    const callId = this.#callIds.next();
    const hidden = this.#cipher.encrypt({ high: Math.floor(callId / WORD), low: callId % WORD });
    return { requestId: this.#prefix + textOf(hidden.high) + textOf(hidden.low), callId };
  }

  callIdOf(requestId: string): number | undefined {
    const match = REQUEST_ID.exec(requestId);
    const callId = match === null
      ? Number.parseInt(EARLIER_REQUEST_ID.exec(requestId)?.[1] ?? "", 36)
      : numberOf(this.#cipher.decrypt({ high: wordOf(match[1]!), low: wordOf(match[2]!) }));
    return Number.isSafeInteger(callId) ? callId : undefined;
  }
}

/** `length` random characters of lower-case base32, 5 bits each. */
export function randomName(length: number): string {
  let name = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
    name += ALPHABET[byte & 31];
  }
  return name;
}

function textOf(word: number): string {
  let text = "";
  for (let at = 0; at < WORD_CHARACTERS; at++) {
    text += ALPHABET[word & 31];
    word >>>= 5;
  }
  return text;
}

function wordOf(text: string): number {
  let word = 0;
  for (let at = WORD_CHARACTERS - 1; at >= 0; at--) word = word * 32 + ALPHABET.indexOf(text[at]!);
  return word % WORD;
}

function numberOf({ high, low }: WordPair): number {
  return high * WORD + low;
}
