/**
 * What a request asks for, in a few bytes.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { SpooledFile } from "../files/spooled_file.ts";

/**
 * SHA-256, in lower-case hex, of a JSON value in canonical form: the order of an
 * object's fields makes no difference. Bytes and files count by their own hash, and a
 * field that is `undefined` as one that is absent.
 */
export function fingerprint(value: unknown): string {
  const parts: string[] = [];
  writeCanonical(value, parts);
  return createHash("sha256").update(parts.join("")).digest("hex");
}

function writeCanonical(value: unknown, parts: string[]): void {
  if (value instanceof Uint8Array) {
    parts.push(`bytes:${createHash("sha256").update(value).digest("hex")}`);
  } else if (value instanceof SpooledFile) {
    parts.push(`bytes:${value.sha256}`);
  } else if (!isNested(value)) {
    parts.push(JSON.stringify(value) ?? "null");
  } else if (Array.isArray(value)) {
    // A list of tokens is many entries, and nothing in it has an order of its own.
    if (!value.some(isNested)) return void parts.push(JSON.stringify(value));
    for (const [index, entry] of value.entries()) {
      parts.push(index === 0 ? "[" : ",");
      writeCanonical(entry, parts);
    }
    parts.push("]");
  } else {
    const names = Object.keys(value).filter((name) => value[name] !== undefined).sort();
    parts.push("{");
    for (const [index, name] of names.entries()) {
      parts.push(index === 0 ? "" : ",", JSON.stringify(name), ":");
      writeCanonical(value[name], parts);
    }
    parts.push("}");
  }
}

function isNested(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null;
}
