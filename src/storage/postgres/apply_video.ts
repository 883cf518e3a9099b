/**
 * Entries of a video task's life, created with its hold, changed and deleted with what belongs to it,
 * all or nothing; and of the messages that tell of it.
 *
 * @module
 */

import { EARLIER_SESSION } from "../../domain/session.ts";
import { conflict, demand, DONE, EntryRefused, missing } from "../entries/entry_results.ts";
import type { Refusal } from "../ports/entry.ts";
import {
  otherCall,
  refuseCalls,
  refuseChange,
  refuseCreate,
  refuseDelete,
} from "../entries/video_steps.ts";
import type { Appliers, EntryOf } from "./applier.ts";
import { applyClose, applyHold, applyRehold } from "./apply_call.ts";
import { refuseLiveAnswer } from "./apply_kept.ts";
import type { Batch } from "./batch.ts";
import type { PostgresVideoStore } from "./video_store.ts";

export const VIDEO_APPLIERS: Appliers<
  | "create_video"
  | "change_video"
  | "delete_video"
  | "put_video_pauses"
  | "change_webhook"
  | "resend_webhook"
  | "put_webhook_secret"
> = {
  // Every check comes before anything is written.
  async create_video(batch, entry, { videos, answers }) {
    const { task, call, idempotency } = entry;
    const refusal = refuseCreate(entry) ?? await refuseLiveAnswer(idempotency, answers) ??
      await refuseOpenTasks(batch, entry, videos);
    if (refusal !== undefined) return refusal;
    const held = await applyHold(batch, call, batch.isNode ? EARLIER_SESSION : batch.session);
    if (!held.ok) return held;
    // The task refers to its call.
    await batch.flush();
    await videos.insert(task);
    if (idempotency !== undefined) await answers.put(idempotency, task.id);
    return DONE;
  },
  async change_video(batch, entry, { videos, webhooks }) {
    const { task, move, close, webhook } = entry;
    const refusal = refuseCalls(entry);
    if (refusal !== undefined) return refusal;
    if (!await videos.replace(task)) return refuseChange(task, await videos.find(task.id));
    if (move !== undefined) demand(await applyRehold(batch, move));
    if (close !== undefined) demand(await applyClose(batch, close));
    if (webhook !== undefined) await webhooks.insert(webhook);
    return DONE;
  },
  async delete_video(batch, entry, { videos, answers }) {
    const { taskId, revision, close } = entry;
    const callId = await videos.delete(taskId, revision);
    if (callId === undefined) return refuseDelete(entry, await videos.find(taskId));
    await answers.forgetOf(taskId);
    if (close === undefined) return DONE;
    if (close.callId !== callId) throw new EntryRefused(otherCall(taskId));
    demand(await applyClose(batch, close));
    return DONE;
  },
  async put_video_pauses(_batch, { pauses }, { videos }) {
    await videos.putPauses(pauses);
    return DONE;
  },
  async change_webhook(_batch, { message }, { webhooks }) {
    if (await webhooks.noteTry(message)) return DONE;
    const stored = await webhooks.find(message.id);
    if (stored === undefined) return missing("webhook message", message.id);
    return conflict(
      `Message '${message.id}' cannot be ${message.state} after ${message.tries} tries: it is ${stored.state} after ${stored.tries}`,
    );
  },
  resend_webhook: async (_batch, { messageId, at }, { webhooks }) =>
    await webhooks.resend(messageId, at) ? DONE : missing("webhook message", messageId),
  async put_webhook_secret(batch, { secret }, { webhooks }) {
    if (await batch.balance(secret.projectId) === undefined) {
      return missing("project", secret.projectId);
    }
    await webhooks.putSecret(secret);
    return DONE;
  },
};

/** Whoever creates a task of the project holds its row, so that no other node's is counted too late. */
async function refuseOpenTasks(
  batch: Batch,
  { task, mostOpen = {} }: EntryOf<"create_video">,
  videos: PostgresVideoStore,
): Promise<Refusal | undefined> {
  if (mostOpen.project === undefined && mostOpen.key === undefined) return undefined;
  await batch.pool(task.projectId);
  const open = await videos.countOpen(task);
  for (const owner of ["project", "key"] as const) {
    const most = mostOpen[owner];
    if (most === undefined || open[owner] < most) continue;
    return {
      ...conflict(
        `The ${owner} has ${open[owner]} unfinished video tasks, and ${most} are allowed`,
      ),
      openTasksOf: owner,
    };
  }
  return undefined;
}
