/**
 * Entries of a video task's life: created with its hold, changed and deleted with
 * what belongs to it, all or nothing.
 *
 * @module
 */

import type { Entry, EntryResult } from "../ports/entry.ts";
import type { SqliteAnswerStore } from "./answer_store.ts";
import { refuseLiveAnswer } from "./apply_answer.ts";
import { applyClose, applyHold, applyRehold } from "./apply_call.ts";
import type { Batch } from "./batch.ts";
import { demand, EntryRefused } from "../entries/entry_refused.ts";
import { DONE } from "../entries/entry_results.ts";
import {
  otherCall,
  refuseCalls,
  refuseChange,
  refuseCreate,
  refuseDelete,
} from "../entries/video_steps.ts";
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
  entry: VideoEntry<"create_video">,
  { videos, answers }: VideoStores,
): EntryResult {
  const { task, call, idempotency } = entry;
  const refusal = refuseCreate(entry) ??
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
  entry: VideoEntry<"change_video">,
  { videos, webhooks }: VideoStores,
): EntryResult {
  const { task, move, close, webhook } = entry;
  const refusal = refuseCalls(entry);
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
  entry: VideoEntry<"delete_video">,
  { videos, answers }: VideoStores,
): EntryResult {
  const { taskId, revision, close } = entry;
  const callId = videos.delete(taskId, revision);
  if (callId === undefined) return refuseDelete(entry, videos.find(taskId));
  answers.forgetOf(taskId);
  if (close === undefined) return DONE;
  if (close.callId !== callId) throw new EntryRefused(otherCall(taskId));
  demand(applyClose(batch, { call: close }));
  return DONE;
}
