/**
 * Deletes a task: its call ends, its row and its files go. Whoever works on it
 * hears of that from the book and stops.
 *
 * @module
 */

import type { CallOutcome } from "../accounts/close_call.ts";
import type { AuditNote } from "../domain/audit.ts";
import type { DeletedVideoCharge, OpenCall } from "../domain/call.ts";
import type { PriceVersion } from "../domain/price.ts";
import { NO_WORK } from "../domain/work.ts";
import { isOpen, type VideoTask } from "../domain/video_task.ts";
import type { CatalogueStore } from "../storage/ports/storage.ts";
import type { Leftovers } from "./files/leftovers.ts";
import type { TaskBook } from "./task/task_book.ts";
import { pricesOf, priceVideo, workBeside } from "./task/task_price.ts";

/** What deleting needs. */
export interface DeleteVideoDeps {
  readonly book: TaskBook;
  readonly leftovers: Pick<Leftovers, "remove">;
  readonly prices: Pick<CatalogueStore, "priceVersions">;
}

/** Which task is deleted, and how. */
export interface DeleteVideoOptions {
  /** What it costs if it is being made. */
  readonly charge: DeletedVideoCharge;
  /** Whether the task may be deleted. Default: any. */
  readonly isWanted?: (task: VideoTask) => boolean;
  /** The row for the audit log, of what an operator deletes. Default: none. */
  readonly noteOf?: (task: VideoTask) => AuditNote | undefined;
}

/** The call of an open task and what it is priced with. */
interface OpenBill {
  readonly call: OpenCall;
  readonly version: PriceVersion;
}

/**
 * Deletes a task. Nobody pays for one that waits; what its upstream has begun of it and
 * nobody pays for is the operator's loss.
 *
 * @returns The task as it was; `undefined` when there was none of this id, or none that `isWanted`.
 * @throws {GatewayError} `storage_full`; nothing has changed.
 */
export async function deleteVideo(
  deps: DeleteVideoDeps,
  taskId: string,
  { charge, isWanted = () => true, noteOf = () => undefined }: DeleteVideoOptions,
): Promise<VideoTask | undefined> {
  for (;;) {
    const own = deps.book.callOf(taskId);
    const elsewhere = own === undefined ? await deps.book.readOpen(taskId) : undefined;
    const call = own ?? elsewhere?.call;
    const bill = call && { call, version: await pricesOf(deps.prices, call) };
    let isBillOld = false;
    const removed = await deps.book.remove(taskId, (newest) => {
      // Meanwhile it may have moved to another route, at another price.
      isBillOld = isOpen(newest) &&
        (deps.book.callOf(taskId) !== own ||
          (elsewhere !== undefined && elsewhere.revision !== newest.revision));
      if (isBillOld || !isWanted(newest)) return undefined;
      const close = isOpen(newest) ? withdrawn(newest, { bill, charge }) : undefined;
      return { close, note: noteOf(newest) };
    });
    if (isBillOld) continue;
    if (removed !== undefined) await deps.leftovers.remove(taskId);
    return removed;
  }
}

/** How the call of a task ends whose caller no longer wants it. */
function withdrawn(
  task: VideoTask,
  { bill, charge }: { readonly bill: OpenBill | undefined; readonly charge: DeletedVideoCharge },
): CallOutcome {
  const percent = percentOf(task, charge);
  const isBegun = task.job !== undefined || task.mayHaveBegun;
  const isUsed = bill !== undefined && (percent > 0 || isBegun);
  const work = isUsed ? workBeside(task) : NO_WORK;
  const videoPercent = percent > 0 && percent < 100 ? percent : undefined;
  const price = isUsed ? priceVideo(bill.version, { ...bill, work, percent: videoPercent }) : FREE;
  return {
    result: "client_aborted",
    billable: isUsed && percent > 0,
    work,
    usageSource: isUsed ? "estimated" : "none",
    videoPercent,
    ...price,
    firstByteMs: undefined,
    attempts: task.attempt,
    errorCode: undefined,
  };
}

const FREE = Object.freeze({ costE8: 0n, saleE8: 0n });

/**
 * How much of a film is to be paid. Only of one that somebody works on now: one that waits
 * for another attempt has failed so far.
 */
function percentOf(
  { status, lease, job, progress }: VideoTask,
  charge: DeletedVideoCharge,
): number {
  const isMade = status === "in_progress" && (lease !== undefined || job !== undefined);
  if (!isMade || charge === "free") return 0;
  return charge === "full" ? 100 : progress;
}
