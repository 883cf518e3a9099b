/**
 * Entries about the answers for repeated requests, and the forgetting of what
 * nobody needs any more.
 *
 * @module
 */

import type { IdempotencyRecord } from "../../domain/idempotency.ts";
import type { Entry, EntryResult, Refusal } from "../ports/entry.ts";
import type { SqliteAnswerStore } from "./answer_store.ts";
import { conflict, DONE, missing } from "../entries/entry_results.ts";
import type { SqliteResponseStore } from "./response_store.ts";
import type { SqliteWebhookStore } from "./webhook_store.ts";

/** Rows of a table that one entry forgets at most: no batch waits long for it. */
export const FORGOTTEN_ROWS = 10_000;

/** Stores an answer, in the place of an expired one. */
export function applyStoreAnswer(
  { record, responseId }: Extract<Entry, { readonly kind: "store_answer" }>,
  { answers, responses }: {
    readonly answers: SqliteAnswerStore;
    readonly responses: SqliteResponseStore;
  },
): EntryResult {
  const refusal = refuseLiveAnswer(record, answers);
  if (refusal !== undefined) return refusal;
  const { projectId } = record;
  if (responseId !== undefined && responses.find({ projectId, responseId }) === undefined) {
    return missing("response", responseId);
  }
  answers.put(record, responseId);
  return DONE;
}

/** The refusal while an answer of the same key is stored that is live when this one is made. */
export function refuseLiveAnswer(
  record: IdempotencyRecord,
  answers: SqliteAnswerStore,
): Refusal | undefined {
  const expiresAt = answers.expiresAt(record);
  return expiresAt === undefined || expiresAt <= record.createdAt
    ? undefined
    : conflict(`An answer of this idempotency key is stored until ${expiresAt}`);
}

/** Forgets what is expired or done. */
export function applyForget(
  { answersExpiredAt, messagesDoneBefore }: Extract<Entry, { readonly kind: "forget" }>,
  { answers, webhooks, responses }: {
    readonly answers: SqliteAnswerStore;
    readonly webhooks: SqliteWebhookStore;
    readonly responses: SqliteResponseStore;
  },
): EntryResult {
  const hasMoreAnswers = answers.forgetExpired(answersExpiredAt, FORGOTTEN_ROWS);
  const hasMoreResponses = responses.forgetExpired(answersExpiredAt, FORGOTTEN_ROWS);
  const messages = webhooks.forgetDone(messagesDoneBefore, FORGOTTEN_ROWS);
  return { ok: true, hasMore: hasMoreAnswers || hasMoreResponses || messages === FORGOTTEN_ROWS };
}
