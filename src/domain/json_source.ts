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
 * @param source The very bytes that `JSON.stringify` gives of it, in UTF-8; they are kept, not copied.
 */
export function rememberSource(value: object, source: Uint8Array<ArrayBuffer>): void {
  sources.set(value, source);
}

/** A JSON text, or its UTF-8. */
export type WrittenJson = string | Uint8Array<ArrayBuffer>;

/**
 * What `JSON.stringify` gives of an object; in UTF-8 where what members of it are written with was
 * noted, as that is copied.
 */
export function writeJson(body: Readonly<JsonObject>): WrittenJson {
  for (const name in body) {
    if (sourceOf(body[name]) !== undefined) return joinSources(body);
  }
  return JSON.stringify(body);
}

function sourceOf(value: unknown): Uint8Array<ArrayBuffer> | undefined {
  return typeof value === "object" && value !== null ? sources.get(value) : undefined;
}

const encoder = new TextEncoder();

function joinSources(body: Readonly<JsonObject>): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const add = (piece: Uint8Array) => {
    pieces.push(piece);
    size += piece.length;
  };
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
    add(encoder.encode(text));
    add(source);
    text = "";
  }
  add(encoder.encode(`${text}}`));
  const joined = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
