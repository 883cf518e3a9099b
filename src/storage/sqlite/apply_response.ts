/**
 * Entries about kept answers of the Responses API.
 *
 * @module
 */

import type { Appliers } from "./applier.ts";
import { FORGOTTEN_ROWS, refuseLiveAnswer } from "./apply_answer.ts";
import { conflict, DONE, missing } from "../entries/entry_results.ts";

export const RESPONSE_APPLIERS: Appliers<
  "put_response" | "change_response" | "delete_response" | "evict_responses"
> = {
  put_response(_batch, { response, idempotency }, { responses, answers }) {
    const refusal = refuseLiveAnswer(idempotency, answers);
    if (refusal !== undefined) return refusal;
    if (!responses.insert(response)) return conflict(`Response '${response.id}' is kept already`);
    if (idempotency !== undefined) answers.put(idempotency, response.id);
    return DONE;
  },
  change_response: (_batch, { response }, { responses }) =>
    responses.replace(response) ? DONE : missing("response", response.id),
  delete_response(_batch, { responseId, projectId }, { responses, answers }) {
    if (!responses.delete(responseId, projectId)) return missing("response", responseId);
    answers.forgetOf(responseId);
    return DONE;
  },
  // What their requests get when repeated stays.
  evict_responses: (_batch, order, { responses }) => ({
    ok: true,
    hasMore: responses.evict(order, FORGOTTEN_ROWS),
  }),
};
