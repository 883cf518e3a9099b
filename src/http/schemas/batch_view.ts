/**
 * A batch as callers see it: OpenAI's Batch, and why it waits where it does.
 *
 * @module
 */

import * as z from "zod";
import type { ShownBatch } from "../../batches/batches.ts";

const seconds = z.lazy(() => z.int().min(0).describe("Unix time in seconds"));
const moment = z.lazy(() => seconds.nullable());
const count = z.lazy(() => z.int().min(0));

export const batchViewSchema = z.lazy(() =>
  z.object({
    id: z.string(),
    object: z.literal("batch"),
    endpoint: z.string(),
    model: z.string().nullable().describe("The model that the first line names"),
    errors: z.object({
      object: z.literal("list"),
      data: z.array(z.object({
        code: z.string(),
        message: z.string(),
        param: z.string().nullable(),
        line: z.int().nullable().describe("Of the input file, from 1"),
      })),
    }).nullable(),
    input_file_id: z.string(),
    completion_window: z.string(),
    status: z.enum([
      "validating",
      "failed",
      "in_progress",
      "finalizing",
      "completed",
      "expired",
      "cancelling",
      "cancelled",
    ]),
    output_file_id: z.string().nullable(),
    error_file_id: z.string().nullable(),
    created_at: seconds,
    in_progress_at: moment,
    expires_at: moment,
    finalizing_at: moment,
    completed_at: moment,
    failed_at: moment,
    expired_at: moment,
    cancelling_at: moment,
    cancelled_at: moment,
    request_counts: z.object({ total: count, completed: count, failed: count }),
    usage: z.object({
      input_tokens: count,
      input_tokens_details: z.object({ cached_tokens: count }),
      output_tokens: count,
      output_tokens_details: z.object({ reasoning_tokens: count }),
      total_tokens: count,
    }),
    metadata: z.record(z.string(), z.string()).nullable(),
    waiting: z.enum(["limits", "balance", "routes", "key_disabled", "disk_full", "trouble"])
      .nullable().describe("Why it asks for nothing now although it could"),
  })
);

export type BatchView = z.infer<typeof batchViewSchema>;

/** The view of a batch. */
export function batchView({ batch, wait }: ShownBatch): BatchView {
  const { status, endedAt, counts: { completed, failed, usage } } = batch;
  const hasEndedAs = (one: BatchView["status"]) => status === one ? secondsOf(endedAt) : null;
  const hasFiles = endedAt !== undefined;
  return {
    id: batch.id,
    object: "batch",
    endpoint: batch.endpoint,
    model: batch.model ?? null,
    errors: batch.faults.length === 0 ? null : { object: "list", data: [...batch.faults] },
    input_file_id: batch.inputFileId,
    completion_window: batch.completionWindow,
    status,
    output_file_id: hasFiles && batch.outputBytes > 0 ? batch.outputFileId : null,
    error_file_id: hasFiles && batch.errorBytes > 0 ? batch.errorFileId : null,
    created_at: secondsOf(batch.createdAt)!,
    in_progress_at: secondsOf(batch.inProgressAt),
    expires_at: secondsOf(batch.expiresAt),
    finalizing_at: secondsOf(batch.finalizingAt),
    completed_at: hasEndedAs("completed"),
    failed_at: hasEndedAs("failed"),
    expired_at: hasEndedAs("expired"),
    cancelling_at: secondsOf(batch.cancellingAt),
    cancelled_at: hasEndedAs("cancelled"),
    request_counts: { total: batch.total, completed, failed },
    usage: {
      input_tokens: usage.inputTokens,
      input_tokens_details: { cached_tokens: usage.cachedTokens },
      output_tokens: usage.outputTokens,
      output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
      total_tokens: usage.inputTokens + usage.outputTokens,
    },
    metadata: batch.metadata === undefined ? null : { ...batch.metadata },
    waiting: wait ?? null,
  };
}

function secondsOf(at: number | undefined): number | null {
  return at === undefined ? null : Math.floor(at / 1_000);
}
