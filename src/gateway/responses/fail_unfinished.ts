/**
 * The end of answers in the background whose process died with them.
 *
 * @module
 */

import type { SessionId } from "../../domain/session.ts";
import type { StoredResponse } from "../../domain/stored_response.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { CommitQueue } from "../../storage/ports/commit_queue.ts";
import type { ResponseStore } from "../../storage/ports/storage.ts";

/** Answers that are read and written in one go. */
const SLICE = 100;

/** What is told of an answer that the gateway could not wait for. */
export const STOPPED = "The gateway was stopped before the answer";

/** Marks every answer failed that an ended session has not finished; their holds are released elsewhere. */
export async function reapAnswers(
  session: SessionId,
  { responses, commits }: {
    readonly responses: Pick<ResponseStore, "unfinished">;
    readonly commits: CommitQueue;
  },
): Promise<void> {
  for (;;) {
    const unfinished = await responses.unfinished(session, SLICE);
    await Promise.all(
      unfinished.map((response) => changeResponse(commits, failedResponse(response, STOPPED))),
    );
    if (unfinished.length < SLICE) return;
  }
}

/** Whether an answer is still to come. */
export function isUnfinished({ status }: StoredResponse): boolean {
  return status === "queued" || status === "in_progress";
}

/** A kept answer that could not be made after all. */
export function failedResponse(response: StoredResponse, message: string): StoredResponse {
  const body = failedBody(JSON.parse(response.body), { message });
  return { ...response, status: "failed", body: JSON.stringify(body) };
}

/**
 * Keeps another state of an answer; one that was deleted meanwhile stays so.
 *
 * @throws {Error} When storage does not take it.
 */
export async function changeResponse(
  commits: CommitQueue,
  response: StoredResponse,
): Promise<void> {
  const result = await commits.commit({ kind: "change_response", response });
  if (!result.ok && result.reason !== "missing") {
    throw new Error(`Cannot store the end of ${response.id}: ${result.message}`);
  }
}

/** The Response object of an answer that could not be made, or given. */
export function failedBody(
  body: JsonObject,
  { code = "server_error", message }: { readonly code?: string; readonly message: string },
): JsonObject {
  const error = { code, message, type: "server_error" };
  return { ...body, status: "failed", error };
}
