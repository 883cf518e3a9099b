/**
 * Entries of a video task's life: created with its hold, changed and deleted with
 * what belongs to it, all or nothing.
 *
 * @module
 */

import type { OpenCall } from "../../domain/call.ts";
import { mayFollow, type VideoTask } from "../../domain/video_task.ts";
import type { Entry, EntryResult, Refusal } from "../ports/entry.ts";
import type { SqliteAnswerStore } from "./answer_store.ts";
import { refuseLiveAnswer } from "./apply_answer.ts";
import { applyClose, applyHold, applyRehold } from "./apply_call.ts";
import type { Batch } from "./batch.ts";
import { demand, EntryRefused } from "../entries/entry_refused.ts";
import { conflict, DONE, missing } from "../entries/entry_results.ts";
import type { SqliteVideoStore } from "./video_store.ts";
import type { SqliteWebhookStore } from "./webhook_store.ts";

/** The stores that entries about video tasks are written to. */
export interface VideoStores {
  readonly videos: SqliteVideoStore;
  readonly webhooks: SqliteWebhookStore;
  readonly answers: SqliteAnswerStore;
}

type VideoEntry<Kind extends Entry["kind"]> = Extract<Entry, { readonly kind: Kind }>;

/** Takes the call's hold and stores its task. Every check comes before anything is written. */
export function applyCreateVideo(
  batch: Batch,
  { task, call, idempotency }: VideoEntry<"create_video">,
  { videos, answers }: VideoStores,
): EntryResult {
  if (task.revision !== 1) return conflict(`Video task '${task.id}' does not begin at revision 1`);
  if (call.projectId !== task.projectId) return otherCall(task.id);
  const refusal = otherCallThan(task, call) ??
    (idempotency === undefined ? undefined : refuseLiveAnswer(idempotency, answers));
  if (refusal !== undefined) return refusal;
  const held = applyHold(batch, call);
  if (!held.ok) return held;
  videos.insert(task);
  if (idempotency !== undefined) answers.put(idempotency, task.id);
  return DONE;
}

/** Replaces what may change of a task, with its move, its close and its message. */
export function applyChangeVideo(
  batch: Batch,
  { task, move, close, webhook }: VideoEntry<"change_video">,
  { videos, webhooks }: VideoStores,
): EntryResult {
  const refusal = otherCallThan(task, move) ?? otherCallThan(task, close);
  if (refusal !== undefined) return refusal;
  if (!videos.replace(task)) return refuseChange(task, videos.find(task.id));
  if (move !== undefined) demand(applyRehold(batch, move));
  if (close !== undefined) demand(applyClose(batch, { call: close }));
  if (webhook !== undefined) webhooks.insert(webhook);
  return DONE;
}

/** Deletes a task with the answer that tells of it, and closes its call. */
export function applyDeleteVideo(
  batch: Batch,
  { taskId, revision, close }: VideoEntry<"delete_video">,
  { videos, answers }: VideoStores,
): EntryResult {
  const callId = videos.delete(taskId, revision);
  if (callId === undefined) {
    const stored = videos.find(taskId);
    return stored === undefined
      ? missing("video task", taskId)
      : otherRevision(stored, `deleted at revision ${revision}`);
  }
  answers.forgetOf(taskId);
  if (close === undefined) return DONE;
  if (close.callId !== callId) throw new EntryRefused(otherCall(taskId));
  demand(applyClose(batch, { call: close }));
  return DONE;
}

/** Why the statement that compares and sets has changed nothing. */
function refuseChange(task: VideoTask, stored: VideoTask | undefined): Refusal {
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

function inWords({ status, progress }: VideoTask): string {
  return `${status} at ${progress} %`;
}

function otherRevision({ id, revision }: VideoTask, wanted: string): Refusal {
  return conflict(`Video task '${id}' cannot be ${wanted}: it is at revision ${revision}`);
}

function otherCallThan(task: VideoTask, call: OpenCall | undefined): Refusal | undefined {
  return call === undefined || call.callId === task.callId ? undefined : otherCall(task.id);
}

function otherCall(taskId: string): Refusal {
  return conflict(`Video task '${taskId}' belongs to another call`);
}
