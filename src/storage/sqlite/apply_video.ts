/**
 * Entries of a video task's life: created with its hold, changed and deleted with
 * what belongs to it, all or nothing.
 *
 * @module
 */

import type { Appliers } from "./applier.ts";
import { refuseLiveAnswer } from "./apply_answer.ts";
import { applyClose, applyHold, applyRehold } from "./apply_call.ts";
import { demand, DONE, EntryRefused } from "../entries/entry_results.ts";
import {
  otherCall,
  refuseCalls,
  refuseChange,
  refuseCreate,
  refuseDelete,
} from "../entries/video_steps.ts";

export const VIDEO_APPLIERS: Appliers<
  "create_video" | "change_video" | "delete_video" | "put_video_pauses"
> = {
  // Every check comes before anything is written.
  create_video(batch, entry, { videos, answers }) {
    const { task, call, idempotency } = entry;
    const refusal = refuseCreate(entry) ?? refuseLiveAnswer(idempotency, answers);
    if (refusal !== undefined) return refusal;
    const held = applyHold(batch, call);
    if (!held.ok) return held;
    videos.insert(task);
    if (idempotency !== undefined) answers.put(idempotency, task.id);
    return DONE;
  },
  change_video(batch, entry, { videos, webhooks }) {
    const { task, move, close, webhook } = entry;
    const refusal = refuseCalls(entry);
    if (refusal !== undefined) return refusal;
    if (!videos.replace(task)) return refuseChange(task, videos.find(task.id));
    if (move !== undefined) demand(applyRehold(batch, move));
    if (close !== undefined) demand(applyClose(batch, close));
    if (webhook !== undefined) webhooks.insert(webhook);
    return DONE;
  },
  delete_video(batch, entry, { videos, answers }) {
    const { taskId, revision, close } = entry;
    const callId = videos.delete(taskId, revision);
    if (callId === undefined) return refuseDelete(entry, videos.find(taskId));
    answers.forgetOf(taskId);
    if (close === undefined) return DONE;
    if (close.callId !== callId) throw new EntryRefused(otherCall(taskId));
    demand(applyClose(batch, close));
    return DONE;
  },
  put_video_pauses(_batch, { pauses }, { videos }) {
    videos.putPauses(pauses);
    return DONE;
  },
};
