/**
 * How much of an entry is text that is kept for a project, and may be large.
 *
 * @module
 */

import type { IdempotencyRecord } from "../../domain/idempotency.ts";
import type { StoredResponse } from "../../domain/stored_response.ts";
import type { Entry } from "../ports/entry.ts";

/** Characters of an entry's answers and their input; 0 for most entries. */
export function keptText(entry: Entry): number {
  switch (entry.kind) {
    case "close":
    case "put_response":
      return ofResponse(entry.response) + ofAnswer(entry.idempotency);
    case "change_response":
      return ofResponse(entry.response);
    case "create_video":
      return ofAnswer(entry.idempotency);
    case "store_answer":
      return ofAnswer(entry.record);
    default:
      return 0;
  }
}

function ofResponse(response: StoredResponse | undefined): number {
  return response === undefined ? 0 : response.input.length + response.body.length;
}

function ofAnswer(answer: IdempotencyRecord | undefined): number {
  return answer?.body?.length ?? 0;
}
