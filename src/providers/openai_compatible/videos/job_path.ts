/**
 * The path of an upstream's job. Its id is a stranger's text: it must stay one
 * segment of a path, whatever is in it.
 *
 * @module
 */

import { UpstreamError } from "../../../domain/upstream_error.ts";

/** Longer than any id that is one. */
const MAX_ID_CHARACTERS = 512;

/** Whether an upstream's id for a job can be used. */
export function isJobId(id: unknown): id is string {
  return typeof id === "string" && id !== "" && id.length <= MAX_ID_CHARACTERS &&
    // deno-lint-ignore no-control-regex -- control characters are what it is to find
    !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(id) &&
    // Escaping leaves dots alone, and a URL resolves these two.
    id !== "." && id !== ".." && id.isWellFormed();
}

/**
 * The path below the base URL.
 *
 * @throws {UpstreamError} `broken` when the id cannot be part of a URL.
 */
export function jobPath(id: string, suffix: "" | "/content" = ""): string {
  if (!isJobId(id)) {
    throw new UpstreamError("broken", "The upstream's id for its job cannot be used in a URL");
  }
  return `/videos/${encodeURIComponent(id)}${suffix}`;
}
