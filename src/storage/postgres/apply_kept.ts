/**
 * Entries about what is kept: answers, uploaded files, batches, refused requests; and the forgetting of
 * what nobody needs any more.
 *
 * @module
 */

import { hourOf } from "../../domain/budgets.ts";
import type { IdempotencyRecord } from "../../domain/idempotency.ts";
import { conflict, DONE, missing } from "../entries/entry_results.ts";
import type { Refusal } from "../ports/entry.ts";
import type { PostgresAnswerStore } from "./answer_store.ts";
import type { Appliers, EntryOf } from "./applier.ts";
import type { Batch } from "./batch.ts";
import type { PostgresUploadStore } from "./upload_store.ts";

/** Rows of a table that one entry forgets at most: no batch waits long for it. */
const FORGOTTEN_ROWS = 1_000;

export const KEPT_APPLIERS: Appliers<
  | "store_answer"
  | "forget"
  | "put_response"
  | "change_response"
  | "delete_response"
  | "evict_responses"
  | "create_upload"
  | "delete_upload"
  | "create_batch"
  | "change_batch"
  | "cancel_batch"
  | "put_batch_line"
  | "write_batch_lines"
  | "finish_batch"
  | "note_refusals"
> = {
  async store_answer(_batch, { record, responseId }, { answers, responses }) {
    const refusal = await refuseLiveAnswer(record, answers);
    if (refusal !== undefined) return refusal;
    const { projectId } = record;
    if (responseId !== undefined && await responses.size({ projectId, responseId }) === undefined) {
      return missing("response", responseId);
    }
    await answers.put(record, responseId);
    return DONE;
  },
  async forget(_batch, { answersExpiredAt, messagesDoneBefore }, stores) {
    const { answers, cached, webhooks, responses, batches, claims } = stores;
    const hasMore = [
      await answers.forgetExpired(answersExpiredAt, FORGOTTEN_ROWS),
      await cached.forgetExpired(answersExpiredAt, FORGOTTEN_ROWS),
      await responses.forgetExpired(answersExpiredAt, FORGOTTEN_ROWS),
      await batches.forgetLines(FORGOTTEN_ROWS),
      await claims.forgetEnded(FORGOTTEN_ROWS) === FORGOTTEN_ROWS,
      await webhooks.forgetDone(messagesDoneBefore, FORGOTTEN_ROWS) === FORGOTTEN_ROWS,
    ];
    return { ok: true, hasMore: hasMore.includes(true) };
  },
  async put_response(_batch, { response, idempotency }, { responses, answers }) {
    const refusal = await refuseLiveAnswer(idempotency, answers);
    if (refusal !== undefined) return refusal;
    if (!await responses.insert(response)) {
      return conflict(`Response '${response.id}' is kept already`);
    }
    if (idempotency !== undefined) await answers.put(idempotency, response.id);
    return DONE;
  },
  change_response: async (_batch, { response }, { responses }) =>
    await responses.end(response) ? DONE : missing("response", response.id),
  async delete_response(_batch, { responseId, projectId }, { responses, answers }) {
    if (!await responses.delete(responseId, projectId)) return missing("response", responseId);
    await answers.forgetOf(responseId);
    return DONE;
  },
  // What their requests get when repeated stays.
  evict_responses: async (_batch, order, { responses }) => ({
    ok: true,
    hasMore: await responses.evict(order, FORGOTTEN_ROWS),
  }),
  async create_upload(batch, entry, { uploads, answers }) {
    const { file, idempotency } = entry;
    if (await batch.balance(file.projectId) === undefined) {
      return missing("project", file.projectId);
    }
    if (await uploads.find(file.id) !== undefined) {
      return conflict(`File '${file.id}' exists already`);
    }
    const refusal = await refuseLiveAnswer(idempotency, answers) ??
      await refuseBytes(batch, entry, uploads);
    if (refusal !== undefined) return refusal;
    await uploads.insert(file);
    if (idempotency !== undefined) await answers.put(idempotency, file.id);
    return DONE;
  },
  async delete_upload(_batch, { fileId }, { uploads, answers }) {
    if (!await uploads.delete(fileId)) return missing("file", fileId);
    await answers.forgetOf(fileId);
    return DONE;
  },
  async create_batch(stored, { batch, idempotency }, { batches, answers }) {
    if (await stored.balance(batch.projectId) === undefined) {
      return missing("project", batch.projectId);
    }
    if (await batches.find(batch.id) !== undefined) {
      return conflict(`Batch '${batch.id}' exists already`);
    }
    const refusal = await refuseLiveAnswer(idempotency, answers);
    if (refusal !== undefined) return refusal;
    await batches.insert(batch);
    if (idempotency !== undefined) await answers.put(idempotency, batch.id);
    return DONE;
  },
  change_batch: async (_stored, { batch }, { batches }) =>
    await batches.replace(batch) ? DONE : missing("open batch", batch.id),
  cancel_batch: async (_stored, { batchId, at }, { batches }) =>
    await batches.cancel(batchId, at) ? DONE : missing("open batch", batchId),
  async put_batch_line(stored, { line }, { batches }) {
    // No batch is ever deleted.
    if (!stored.knownBatches.has(line.batchId)) {
      if (await batches.find(line.batchId) === undefined) {
        return missing("open batch", line.batchId);
      }
      stored.knownBatches.add(line.batchId);
    }
    return await batches.putLine(line)
      ? DONE
      : conflict(`Line ${line.line} of batch '${line.batchId}' is done already`);
  },
  async write_batch_lines(_stored, { batch, lines }, { batches }) {
    if (!await batches.replace(batch)) return missing("open batch", batch.id);
    await batches.noteWritten(batch.id, lines);
    return DONE;
  },
  async finish_batch(_stored, { batch, files }, { batches, uploads }) {
    if (!await batches.replace(batch)) return missing("open batch", batch.id);
    for (const file of files) await uploads.insert(file);
    // What is more is forgotten in pieces: meanwhile others' calls are written.
    await batches.deleteLines(batch.id, FORGOTTEN_ROWS);
    return DONE;
  },
  async note_refusals(_batch, { sums, requests, at }, { refusals }) {
    for (const sum of sums) await refusals.add(sum);
    await refusals.keep(requests);
    await refusals.forget(hourOf(at));
    return DONE;
  },
};

/**
 * The refusal while an answer of the same key is stored that is live when this one, if there is one,
 * is made.
 */
export async function refuseLiveAnswer(
  record: IdempotencyRecord | undefined,
  answers: PostgresAnswerStore,
): Promise<Refusal | undefined> {
  if (record === undefined) return undefined;
  const expiresAt = await answers.expiresAt(record);
  return expiresAt === undefined || expiresAt <= record.createdAt
    ? undefined
    : conflict(`An answer of this idempotency key is stored until ${expiresAt}`);
}

/** Whoever keeps a file of the project holds its row, so that no other node's is counted too late. */
async function refuseBytes(
  batch: Batch,
  { file: { projectId, bytes }, mostBytes }: EntryOf<"create_upload">,
  uploads: PostgresUploadStore,
): Promise<Refusal | undefined> {
  // Rows of a project come in the order of their places: sums go on from the last one.
  if (batch.isNode) await batch.pool(projectId);
  if (mostBytes === undefined) return undefined;
  const kept = await uploads.sums.bytesOf(projectId, mostBytes - bytes);
  if (kept + bytes <= mostBytes) return undefined;
  return {
    ...conflict(`The files of project '${projectId}' take ${kept} bytes of ${mostBytes}`),
    isOverQuota: true,
  };
}
