/**
 * The secret a caller sends: made here, shown once, stored as a hash.
 *
 * @module
 */

import { createHash } from "node:crypto";

const PREFIX = "sk-tg-";
/** `sk-tg-` and the first 6 of 43 characters: enough to recognise a key, not to guess it. */
const VISIBLE_CHARACTERS = 12;

/** A new key, with what is stored of it. */
export interface NewKey {
  /** `sk-tg-` and 43 base64url characters: 256 random bits. */
  readonly key: string;
  readonly hash: string;
  readonly prefix: string;
}

/** Makes a key from 256 random bits. */
export function makeKey(): NewKey {
  return makeSecret(PREFIX);
}

/** Makes something of that form with another beginning of six characters. */
export function makeSecret(beginning: string): NewKey {
  const key = beginning +
    crypto.getRandomValues(new Uint8Array(32)).toBase64({
      alphabet: "base64url",
      omitPadding: true,
    });
  return { key, hash: hashKey(key), prefix: key.slice(0, VISIBLE_CHARACTERS) };
}

/** SHA-256 of a key, lower-case hex: what storage keeps. */
export function hashKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
