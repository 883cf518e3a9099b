/**
 * One case: bytes that are sent on a connection of their own.
 *
 * @module
 */

import type { ApiOperation } from "./api_operation.ts";

export interface FuzzCase {
  /** What was done, for whoever reads a finding: `createVideo near`, `openai 7 chat: flip, cut`. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** What it was made for; what it is for in the end, its first line says. */
  readonly operation: ApiOperation | undefined;
  /** Whether it is proper HTTP, so that an answer must come. */
  readonly isWhole: boolean;
}

/** Text as bytes, a byte for each character; for heads, which are no UTF-8. */
export function latin1(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Pieces one after the other; texts as UTF-8. */
export function joined(...pieces: readonly (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const parts = pieces.map((piece) => typeof piece === "string" ? encoder.encode(piece) : piece);
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
