/**
 * What speaks against an entry of a video task's life, given what is stored.
 *
 * @module
 */

import type { OpenCall } from "../../domain/call.ts";
import { mayFollow, type VideoTask } from "../../domain/video_task.ts";
import type { Entry, Refusal } from "../ports/entry.ts";
import { conflict, missing } from "./entry_results.ts";

type VideoEntry<Kind extends Entry["kind"]> = Extract<Entry, { readonly kind: Kind }>;

/** Why a task cannot be created, whatever is stored; `undefined` when it can. */
export function refuseCreate({ task, call }: VideoEntry<"create_video">): Refusal | undefined {
  if (task.revision !== 1) return conflict(`Video task '${task.id}' does not begin at revision 1`);
  if (call.projectId !== task.projectId) return otherCall(task.id);
  return otherCallThan(task, call);
}

/** Why a change names a call that is not the task's; `undefined` when it does not. */
export function refuseCalls(
  { task, move, close }: VideoEntry<"change_video">,
): Refusal | undefined {
  return otherCallThan(task, move) ?? otherCallThan(task, close);
}

/** Why nothing was changed by comparing and setting. */
export function refuseChange(task: VideoTask, stored: VideoTask | undefined): Refusal {
  if (stored === undefined) return missing("video task", task.id);
  if (stored.callId !== task.callId) return otherCall(task.id);
  if (stored.revision !== task.revision - 1) {
    return otherRevision(stored, `replaced by revision ${task.revision}`);
  }
  if (mayFollow(stored, task)) {
    throw new Error(`Cannot change video task '${task.id}' although it may follow what is stored`);
  }
  return conflict(
    `Video task '${task.id}' cannot go from ${inWords(stored)} to ${inWords(task)}`,
  );
}

/** Why nothing was deleted by comparing and deleting. */
export function refuseDelete(
  { taskId, revision }: VideoEntry<"delete_video">,
  stored: VideoTask | undefined,
): Refusal {
  return stored === undefined
    ? missing("video task", taskId)
    : otherRevision(stored, `deleted at revision ${revision}`);
}

/** The task is not of the call that an entry names. */
export function otherCall(taskId: string): Refusal {
  return conflict(`Video task '${taskId}' belongs to another call`);
}

function otherCallThan(task: VideoTask, call: OpenCall | undefined): Refusal | undefined {
  return call === undefined || call.callId === task.callId ? undefined : otherCall(task.id);
}

function inWords({ status, progress }: VideoTask): string {
  return `${status} at ${progress} %`;
}

function otherRevision({ id, revision }: VideoTask, wanted: string): Refusal {
  return conflict(`Video task '${id}' cannot be ${wanted}: it is at revision ${revision}`);
}
