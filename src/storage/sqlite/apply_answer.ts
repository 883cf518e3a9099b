/**
 * Entries about the answers for repeated requests, and the forgetting of what
 * nobody needs any more.
 *
 * @module
 */

import type { IdempotencyRecord } from "../../domain/idempotency.ts";
import type { Refusal } from "../ports/entry.ts";
import type { SqliteAnswerStore } from "./answer_store.ts";
import type { Appliers } from "./applier.ts";
import { conflict, DONE, missing } from "../entries/entry_results.ts";

/** Rows of a table that one entry forgets at most: no batch waits long for it. */
export const FORGOTTEN_ROWS = 10_000;

export const ANSWER_APPLIERS: Appliers<"store_answer" | "forget"> = {
  store_answer(_batch, { record, responseId }, { answers, responses }) {
    const refusal = refuseLiveAnswer(record, answers);
    if (refusal !== undefined) return refusal;
    const { projectId } = record;
    if (responseId !== undefined && responses.find({ projectId, responseId }) === undefined) {
      return missing("response", responseId);
    }
    answers.put(record, responseId);
    return DONE;
  },
  forget(
    _batch,
    { answersExpiredAt, messagesDoneBefore },
    { answers, cached, webhooks, responses, batches },
  ) {
    const hasMoreAnswers = answers.forgetExpired(answersExpiredAt, FORGOTTEN_ROWS);
    const hasMoreCached = cached.forgetExpired(answersExpiredAt, FORGOTTEN_ROWS);
    const hasMoreResponses = responses.forgetExpired(answersExpiredAt, FORGOTTEN_ROWS);
    const hasMoreLines = batches.forgetLines(FORGOTTEN_ROWS);
    const messages = webhooks.forgetDone(messagesDoneBefore, FORGOTTEN_ROWS);
    return {
      ok: true,
      hasMore: hasMoreAnswers || hasMoreCached || hasMoreResponses || hasMoreLines ||
        messages === FORGOTTEN_ROWS,
    };
  },
};

/**
 * The refusal while an answer of the same key is stored that is live when this one, if there is one,
 * is made.
 */
export function refuseLiveAnswer(
  record: IdempotencyRecord | undefined,
  answers: SqliteAnswerStore,
): Refusal | undefined {
  if (record === undefined) return undefined;
  const expiresAt = answers.expiresAt(record);
  return expiresAt === undefined || expiresAt <= record.createdAt
    ? undefined
    : conflict(`An answer of this idempotency key is stored until ${expiresAt}`);
}
