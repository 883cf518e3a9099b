/**
 * Batches and their lines as rows.
 *
 * @module
 */

import type { Batch, BatchCounts, BatchFault, BatchLine, BatchUsage } from "../../domain/batch.ts";
import { flag, freeText, group, integer, json, orNone, RowOf, text } from "./row_of.ts";

const usage = group<BatchUsage>({
  inputTokens: integer(),
  cachedTokens: integer(),
  outputTokens: integer(),
  reasoningTokens: integer(),
});

export const BATCH = new RowOf<Batch>({
  id: text(),
  projectId: text(),
  keyId: text(),
  endpoint: text(),
  inputFileId: text(),
  completionWindow: text(),
  metadata: orNone(json<{ readonly [name: string]: string }>()),
  outputSeconds: orNone(integer()),
  outputFileId: text(),
  errorFileId: text(),
  createdAt: integer(),
  expiresAt: integer(),
  status: text(),
  model: orNone(freeText()),
  total: integer(),
  counts: group<BatchCounts>({ completed: integer(), failed: integer(), usage }),
  outputBytes: integer(),
  errorBytes: integer(),
  faults: json<readonly BatchFault[]>(),
  inProgressAt: orNone(integer()),
  cancellingAt: orNone(integer()),
  finalizingAt: orNone(integer()),
  endedAt: orNone(integer()),
});

/** Has a batch (`?1`) that is open ask for nothing more from a time (`?2`) on, unless it does so already. */
export const CANCEL_BATCH = `UPDATE batches SET
    status = CASE WHEN status = 'validating' OR status = 'in_progress'
      THEN 'cancelling' ELSE status END,
    cancelling_at = CASE WHEN status = 'validating' OR status = 'in_progress'
      THEN ?2 ELSE cancelling_at END
  WHERE id = ?1 AND ended_at IS NULL`;

export const LINE = new RowOf<BatchLine>({
  batchId: text(),
  line: integer(),
  isFailed: flag(),
  text: freeText(),
  usage,
});

export const COUNTS = new RowOf<BatchCounts>({ completed: integer(), failed: integer(), usage });
