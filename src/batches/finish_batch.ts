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
import type { BatchPlace } from "./batch_sharing.ts";
import { type BatchState, WRITE_LINES } from "./batch_state.ts";
import { inputLines } from "./input_lines.ts";
import { unaskedLine } from "./line_calls.ts";
import { type LineBounds, readRequest } from "./read_request.ts";

/** What it works with. */
export interface FinishOptions {
  readonly clock: Pick<Clock, "now">;
  readonly folder: string;
  /** How files come here and go elsewhere, where they may be elsewhere. */
  readonly place?: BatchPlace | undefined;
  /** Whether the disk has room for so many bytes more. */
  readonly hasDiskFor: (bytes: number) => boolean;
  readonly lineBounds: LineBounds;
  /** Told of the files that are there now. */
  readonly onFiles: (files: readonly UploadedFile[]) => void;
}

/**
 * Ends a batch of which nothing is asked any more.
 *
 * @param fault Why not all was asked, where that is known.
 * @param signal Fires when nobody waits for its files any more.
 */
export async function finishBatch(
  state: BatchState,
  fault: BatchFault | undefined,
  { signal, ...options }: FinishOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const { folder, place, clock, hasDiskFor, onFiles } = options;
  await state.settled();
  if (await state.hasEnded()) return;
  const done = await state.load();
  let written = await state.write(hasDiskFor);
  const { batch } = state;
  const { cancellingAt, total, counts: { completed, failed } } = batch;
  const isWhole = completed + failed >= total;
  const isExpired = !isWhole && cancellingAt === undefined && clock.now() >= batch.expiresAt;
  if (isExpired) {
    try {
      written = await expireRest({ ...batch, ...written }, { ...options, done, signal });
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
  const files = place === undefined ? made : await place.keep(made, signal);
  await state.commit(() => ({ kind: "finish_batch", batch: ended, files }));
  onFiles(files);
  if (files.length === 0) await removeFiles(folder, ended);
}

/** Tells of every line that was not asked in time; nobody pays for them. */
async function expireRest(
  batch: Batch,
  { folder, place, lineBounds: bounds, hasDiskFor, done, signal }: FinishOptions & {
    readonly done: ReadonlySet<number>;
    readonly signal: AbortSignal;
  },
): Promise<WrittenBytes> {
  const { id: batchId, endpoint, inputFileId } = batch;
  let written = batch;
  await place?.bring(batch, { signal, hasDiskFor });
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
