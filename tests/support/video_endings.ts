/**
 * How a task's call ends when its caller deletes it.
 *
 * @module
 */

import type { CallOutcome } from "../../src/accounts/close_call.ts";
import { NO_WORK } from "../../src/domain/work.ts";
import { isOpen, type VideoTask } from "../../src/domain/video_task.ts";

/** The decision of `TaskBook.remove`: nobody pays. */
export function withdrawn(task: VideoTask): { readonly close: CallOutcome | undefined } {
  if (!isOpen(task)) return { close: undefined };
  return {
    close: {
      result: "client_aborted",
      billable: false,
      work: NO_WORK,
      usageSource: "none",
      costE8: 0n,
      saleE8: 0n,
      firstByteMs: undefined,
      attempts: task.attempt,
      errorCode: undefined,
    },
  };
}
