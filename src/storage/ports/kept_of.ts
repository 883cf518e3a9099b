/**
 * What an entry keeps for a project.
 *
 * @module
 */

import type { Entry, Kept } from "./entry.ts";

const NOTHING: Kept = Object.freeze({});

/** The answers that an entry is to keep; most entries keep none. Nothing is copied. */
export function keptOf(entry: Entry): Kept {
  switch (entry.kind) {
    case "close":
    case "put_response":
    case "change_response":
    case "create_video":
    case "create_upload":
    case "create_batch":
      return entry;
    case "put_batch_line":
      return { batchLine: entry.line };
    case "store_answer":
      return { idempotency: entry.record };
    default:
      return NOTHING;
  }
}

/** Characters of an entry's answers and their input; 0 for most entries. */
export function keptText(entry: Entry): number {
  const { response, idempotency, batchLine } = keptOf(entry);
  const ofResponse = response === undefined ? 0 : response.input.length + response.body.length;
  return ofResponse + (idempotency?.body?.length ?? 0) + (batchLine?.text.length ?? 0);
}
