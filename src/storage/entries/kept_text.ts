/**
 * How much of an entry is text that is kept for a project, and may be large.
 *
 * @module
 */

import type { Entry } from "../ports/entry.ts";
import { keptOf } from "../ports/kept_of.ts";

/** Characters of an entry's answers and their input; 0 for most entries. */
export function keptText(entry: Entry): number {
  const { response, idempotency } = keptOf(entry);
  const ofResponse = response === undefined ? 0 : response.input.length + response.body.length;
  return ofResponse + (idempotency?.body?.length ?? 0);
}
