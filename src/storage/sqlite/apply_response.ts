/**
 * Entries about kept answers of the Responses API.
 *
 * @module
 */

import type { StoredResponse } from "../../domain/stored_response.ts";
import type { EntryResult } from "../ports/entry.ts";
import { conflict, DONE, missing } from "./entry_results.ts";
import type { SqliteResponseStore } from "./response_store.ts";

/** Keeps an answer that is to come. */
export function applyPutResponse(
  response: StoredResponse,
  responses: SqliteResponseStore,
): EntryResult {
  return responses.insert(response) ? DONE : conflict(`Response '${response.id}' is kept already`);
}

/** Replaces a kept answer. */
export function applyChangeResponse(
  response: StoredResponse,
  responses: SqliteResponseStore,
): EntryResult {
  return responses.replace(response) ? DONE : missing("response", response.id);
}

/** Deletes a kept answer. */
export function applyDeleteResponse(
  { responseId, projectId }: { readonly responseId: string; readonly projectId: string },
  responses: SqliteResponseStore,
): EntryResult {
  return responses.delete(responseId, projectId) ? DONE : missing("response", responseId);
}

/** Keeps the answer of a call that ends; one in the background may have been deleted meanwhile. */
export function keepResponse(response: StoredResponse, responses: SqliteResponseStore): void {
  if (response.isBackground) responses.replace(response);
  else responses.insert(response);
}
