/**
 * The end of answers in the background whose process died with them.
 *
 * @module
 */

import type { ResponseStatus, StoredResponse } from "../../domain/stored_response.ts";
import type { JsonObject } from "../../providers/provider.ts";
import type { CommitQueue } from "../../storage/ports/commit_queue.ts";
import type { ResponseStore } from "../../storage/ports/storage.ts";

const SLICE = 1_000;

/** What is told of an answer that the gateway could not wait for. */
export const STOPPED = "The gateway was stopped before the answer";

/** Marks every unfinished answer failed. Once, before new ones are taken; their holds are released elsewhere. */
export async function failUnfinished(
  { responses, commits }: {
    readonly responses: ResponseStore;
    readonly commits: CommitQueue;
  },
): Promise<void> {
  for (;;) {
    const unfinished = await responses.unfinished(SLICE);
    for (const response of unfinished) {
      await changeResponse(commits, response, failedBody(JSON.parse(response.body), STOPPED));
    }
    if (unfinished.length < SLICE) return;
  }
}

/** Keeps another body of an answer; one that was deleted meanwhile stays so. */
export async function changeResponse(
  commits: CommitQueue,
  response: StoredResponse,
  body: JsonObject,
): Promise<void> {
  const changed = {
    ...response,
    status: body.status as ResponseStatus,
    body: JSON.stringify(body),
  };
  const result = await commits.commit({ kind: "change_response", response: changed });
  if (!result.ok && result.reason !== "missing") {
    throw new Error(`Cannot store the end of ${response.id}: ${result.message}`);
  }
}

/** The Response object of an answer that could not be made. */
export function failedBody(body: JsonObject, message: string): JsonObject {
  const error = { code: "server_error", message, type: "server_error" };
  return { ...body, status: "failed", error };
}
