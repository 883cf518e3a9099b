/**
 * Deletes a task: its call ends, its row and its files go. Whoever works on it
 * hears of that from the book and stops.
 *
 * @module
 */

import type { CallOutcome } from "../accounts/close_call.ts";
import type { AuditNote } from "../domain/audit.ts";
import { NO_USAGE } from "../domain/usage.ts";
import { isOpen, type VideoTask } from "../domain/video_task.ts";
import type { CatalogueStore } from "../storage/ports/storage.ts";
import type { ContentFiles } from "./files/content_files.ts";
import type { TaskBook } from "./task_book.ts";
import { imagesOf, priceTask } from "./task_price.ts";

/** What deleting needs. */
export interface DeleteVideoDeps {
  readonly book: TaskBook;
  readonly files: ContentFiles;
  readonly prices: Pick<CatalogueStore, "priceVersions">;
}

/** Which task is deleted, and how. */
export interface DeleteVideoOptions {
  /** Whether the task may be deleted. Default: any. */
  readonly isWanted?: (task: VideoTask) => boolean;
  /** The row for the audit log, of what an operator deletes. Default: none. */
  readonly noteOf?: (task: VideoTask) => AuditNote | undefined;
}

/**
 * Deletes a task. Nobody pays for an open one; what its upstream has begun is the
 * operator's loss.
 *
 * @returns The task as it was; `undefined` when there was none of this id, or none that `isWanted`.
 * @throws {GatewayError} `storage_full`; nothing has changed.
 */
export async function deleteVideo(
  deps: DeleteVideoDeps,
  taskId: string,
  { isWanted = () => true, noteOf = () => undefined }: DeleteVideoOptions = {},
): Promise<VideoTask | undefined> {
  for (;;) {
    const call = deps.book.callOf(taskId);
    const task = await deps.book.find(taskId);
    const price = call && task
      ? await priceTask(deps.prices, { call, images: imagesOf(task) })
      : undefined;
    let isPriceOld = false;
    const removed = await deps.book.remove(taskId, (newest) => {
      // Meanwhile it may have moved to another route, at another price.
      isPriceOld = isOpen(newest) && deps.book.callOf(taskId) !== call;
      if (isPriceOld || !isWanted(newest)) return undefined;
      const close = isOpen(newest) ? withdrawn(newest, price) : undefined;
      return { close, note: noteOf(newest) };
    });
    if (isPriceOld) continue;
    if (removed !== undefined) await deps.files.removeAll(taskId);
    return removed;
  }
}

/** How the call of a task ends whose caller no longer wants it. */
function withdrawn(
  task: VideoTask,
  price: { readonly costE8: bigint; readonly saleE8: bigint } | undefined,
): CallOutcome {
  const isBilled = task.job !== undefined && price !== undefined;
  return {
    result: "client_aborted",
    billable: false,
    usage: NO_USAGE,
    usageSource: isBilled ? "estimated" : "none",
    images: isBilled ? imagesOf(task) : 0,
    costE8: isBilled ? price.costE8 : 0n,
    saleE8: isBilled ? price.saleE8 : 0n,
    firstByteMs: undefined,
    attempts: task.attempt,
    errorCode: undefined,
  };
}
