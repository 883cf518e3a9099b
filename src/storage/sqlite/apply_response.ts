/**
 * Entries about kept answers of the Responses API.
 *
 * @module
 */

import type { StoredResponse } from "../../domain/stored_response.ts";
import type { Entry, EntryResult } from "../ports/entry.ts";
import type { SqliteAnswerStore } from "./answer_store.ts";
import { FORGOTTEN_ROWS, refuseLiveAnswer } from "./apply_answer.ts";
import { conflict, DONE, missing } from "../entries/entry_results.ts";
import type { SqliteResponseStore } from "./response_store.ts";

/** The stores that entries about kept answers are written to. */
interface ResponseStores {
  readonly responses: SqliteResponseStore;
  readonly answers: SqliteAnswerStore;
}

/** Keeps an answer that is to come, with what a repeated request gets. */
export function applyPutResponse(
  { response, idempotency }: Extract<Entry, { readonly kind: "put_response" }>,
  { responses, answers }: ResponseStores,
): EntryResult {
  const refusal = idempotency && refuseLiveAnswer(idempotency, answers);
  if (refusal !== undefined) return refusal;
  if (!responses.insert(response)) return conflict(`Response '${response.id}' is kept already`);
  if (idempotency !== undefined) answers.put(idempotency, response.id);
  return DONE;
}

/** Replaces a kept answer. */
export function applyChangeResponse(
  response: StoredResponse,
  responses: SqliteResponseStore,
): EntryResult {
  return responses.replace(response) ? DONE : missing("response", response.id);
}

/** Deletes a kept answer with the answers to repeated requests that tell of it. */
export function applyDeleteResponse(
  { responseId, projectId }: Extract<Entry, { readonly kind: "delete_response" }>,
  { responses, answers }: ResponseStores,
): EntryResult {
  if (!responses.delete(responseId, projectId)) return missing("response", responseId);
  answers.forgetOf(responseId);
  return DONE;
}

/** Keeps the answer of a call that ends; one in the background may have been deleted meanwhile. */
export function keepResponse(response: StoredResponse, responses: SqliteResponseStore): void {
  if (response.isBackground) responses.replace(response);
  else responses.insert(response);
}

/** Removes a project's oldest kept answers; what their requests get when repeated stays. */
export function applyEvictResponses(
  order: Extract<Entry, { readonly kind: "evict_responses" }>,
  responses: SqliteResponseStore,
): EntryResult {
  return { ok: true, hasMore: responses.evict(order, FORGOTTEN_ROWS) };
}
