/**
 * Values of a parsed JSON text, and the bytes that they were parsed of: what is passed on as it came
 * need not be written again.
 *
 * @module
 */

import type { JsonObject } from "./json_value.ts";

/** Kept for as long as anybody has the value. */
const sources = new WeakMap<object, Uint8Array<ArrayBuffer>>();

/**
 * Notes what a value is written with. Nobody may change it afterwards: another one is made of it.
 *
 * @param source The very bytes that `JSON.stringify` gives of it, in UTF-8; they are kept, not copied. Once
 * their buffer is detached, the value is written anew.
 */
export function rememberSource(value: object, source: Uint8Array<ArrayBuffer>): void {
  sources.set(value, source);
}

/** A JSON text, or the pieces of its UTF-8 in their order. */
export type WrittenJson = string | readonly Uint8Array<ArrayBuffer>[];

/**
 * What `JSON.stringify` gives of an object; in UTF-8 where what members of it are written with was
 * noted, as that is not even copied.
 */
export function writeJson(body: Readonly<JsonObject>): WrittenJson {
  for (const name in body) {
    if (sourceOf(body[name]) !== undefined) return piecesOf(body);
  }
  return JSON.stringify(body);
}

/** `undefined` too where its memory was given up since: none is empty. */
function sourceOf(value: unknown): Uint8Array<ArrayBuffer> | undefined {
  const source = typeof value === "object" && value !== null ? sources.get(value) : undefined;
  return source?.length === 0 ? undefined : source;
}

const encoder = new TextEncoder();

function piecesOf(body: Readonly<JsonObject>): readonly Uint8Array<ArrayBuffer>[] {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  /** Before the next source. */
  let text = "{";
  let separator = "";
  for (const name of Object.keys(body)) {
    const source = sourceOf(body[name]);
    const written = source === undefined ? JSON.stringify(body[name]) : "";
    if (written === undefined) continue;
    text += `${separator}${JSON.stringify(name)}:${written}`;
    separator = ",";
    if (source === undefined) continue;
    pieces.push(encoder.encode(text), source);
    text = "";
  }
  pieces.push(encoder.encode(`${text}}`));
  return pieces;
}
