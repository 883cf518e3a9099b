/**
 * What a request asks for, in a few bytes.
 *
 * @module
 */

import { createHash } from "node:crypto";

/**
 * SHA-256, in lower-case hex, of a JSON value in canonical form: the order of an
 * object's fields makes no difference. Bytes count by their own hash, and a
 * field that is `undefined` as one that is absent.
 */
export function fingerprint(value: unknown): string {
  return createHash("sha256").update(canonical(value)).digest("hex");
}

function canonical(value: unknown): string {
  if (value instanceof Uint8Array) {
    return `bytes:${createHash("sha256").update(value).digest("hex")}`;
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
    .sort(([one], [other]) => one < other ? -1 : 1)
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`);
  return `{${fields.join(",")}}`;
}
