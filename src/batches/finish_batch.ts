/**
 * The end of a batch: the rest of its answers goes to its files, which are there to be asked for
 * from then on.
 *
 * @module
 */

import type { Batch, BatchFault, BatchLine } from "../domain/batch.ts";
import type { Clock } from "../domain/clock.ts";
import type { UploadedFile } from "../domain/uploaded_file.ts";
import { appendLines, finishedFiles, removeFiles, type WrittenBytes } from "./batch_files.ts";
import type { BatchSharing } from "./batch_sharing.ts";
import { type BatchState, WRITE_LINES } from "./batch_state.ts";
import { inputLines } from "./input_lines.ts";
import { unaskedLine } from "./line_calls.ts";
import { type LineBounds, readRequest } from "./read_request.ts";

/** What it works with. */
export interface FinishOptions {
  readonly clock: Pick<Clock, "now">;
  readonly folder: string;
  readonly shared?: BatchSharing | undefined;
  readonly lineBounds: LineBounds;
  /** Told of the files that are there now. */
  readonly onFiles: (files: readonly UploadedFile[]) => void;
}

/**
 * Ends a batch of which nothing is asked any more.
 *
 * @param fault Why not all was asked, where that is known.
 */
export async function finishBatch(
  state: BatchState,
  fault: BatchFault | undefined,
  options: FinishOptions,
): Promise<void> {
  const { folder, shared, clock, onFiles } = options;
  await state.settled();
  const done = await state.load();
  let written = await state.write();
  const { batch } = state;
  const { cancellingAt, total, counts: { completed, failed } } = batch;
  const isWhole = completed + failed >= total;
  const isExpired = !isWhole && cancellingAt === undefined && clock.now() >= batch.expiresAt;
  if (isExpired) {
    try {
      written = await expireRest({ ...batch, ...written }, done, options);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      fault = INPUT_GONE;
    }
  }
  const now = clock.now();
  const status = isExpired
    ? "expired"
    : cancellingAt !== undefined
    ? "cancelled"
    : isWhole
    ? "completed"
    : "failed";
  if (status === "failed") fault ??= INPUT_GONE;
  const ended: Batch = {
    ...batch,
    outputBytes: written.outputBytes,
    errorBytes: written.errorBytes,
    counts: { ...batch.counts, failed: isExpired ? total - completed : failed },
    status,
    faults: fault === undefined ? batch.faults : [fault],
    endedAt: now,
  };
  const made = await finishedFiles(folder, ended, now);
  const files = shared === undefined ? made : await shared.place.keep(made);
  await state.commit(() => ({ kind: "finish_batch", batch: ended, files }));
  onFiles(files);
  if (files.length === 0) await removeFiles(folder, ended);
  await shared?.place.clear(ended);
}

/** Tells of every line that was not asked in time; nobody pays for them. */
async function expireRest(
  batch: Batch,
  done: ReadonlySet<number>,
  { folder, shared, lineBounds: bounds }: FinishOptions,
): Promise<WrittenBytes> {
  const { id: batchId, endpoint, inputFileId } = batch;
  let written = batch;
  await shared?.place.bring(batch);
  let lines: BatchLine[] = [];
  const flush = async () => {
    written = { ...written, ...await appendLines(folder, written, lines) };
    lines = [];
  };
  for await (const input of inputLines(`${folder}/${inputFileId}`, bounds.mostBytes)) {
    if (done.has(input.line)) continue;
    const request = readRequest(input, { endpoint, bounds });
    if ("fault" in request) continue;
    const { line, customId } = request;
    lines.push(unaskedLine({ batchId, line, customId }, EXPIRED));
    if (lines.length >= WRITE_LINES) await flush();
  }
  await flush();
  return written;
}

const EXPIRED = {
  code: "batch_expired",
  message: "This request was not made before the completion window of its batch was over",
};

/** The input file was deleted before all of it was asked. */
export const INPUT_GONE: BatchFault = {
  code: "input_file_gone",
  message:
    "The input file is no longer there: what was answered is in the output file; upload the rest again",
  param: "input_file_id",
  line: null,
};
