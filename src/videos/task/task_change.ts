/**
 * Changes of a task, and which there may be.
 *
 * @module
 */

import type { CallOutcome } from "../../accounts/close_call.ts";
import type { AuditNote } from "../../domain/audit.ts";
import type { OpenCall } from "../../domain/call.ts";
import { isOpen, mayFollow, type VideoTask } from "../../domain/video_task.ts";
import type { WebhookMessage } from "../../domain/webhook.ts";

/** The next state of a task and what belongs to the change. */
export interface TaskChange {
  /** Fields that differ; the revision is the book's. */
  readonly set: Partial<Omit<VideoTask, "id" | "callId" | "projectId" | "revision">>;
  /** Closes the task's call: with a status that is final. */
  readonly close?: CallOutcome;
  /** Moves the task's hold to another route. */
  readonly move?: OpenCall;
  readonly webhook?: WebhookMessage | undefined;
  /** The row for the audit log, of a change that is an operator's: with neither `close` nor `move`. */
  readonly note?: AuditNote | undefined;
}

/** A change that the table of transitions does not have is a fault of the program. */
export function checkChange(
  before: VideoTask,
  { after, change }: { readonly after: VideoTask; readonly change: TaskChange },
): void {
  if (!mayFollow(before, after)) {
    throw new TypeError(
      `Cannot change task ${before.id} from ${before.status} at ${before.progress} % to ${after.status} at ${after.progress} %`,
    );
  }
  const ends = isOpen(before) && !isOpen(after);
  if (ends !== (change.close !== undefined)) {
    throw new TypeError(`Cannot change task ${before.id} as its call must end with it, not apart`);
  }
}
