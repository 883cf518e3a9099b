/**
 * Small looks at values of unknown shape, as upstreams send them.
 *
 * @module
 */

import type { JsonObject } from "./provider.ts";

/** Whether a value is a JSON object (not null, not an array). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A non-empty string, or `undefined` for anything else. */
export function nonEmptyString(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
