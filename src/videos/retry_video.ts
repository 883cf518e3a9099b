/**
 * Orders a film again that could not be made: a task of its own with a call of its own, so that what
 * the first one was told and charged stays as it is. While one of them is open or has its film,
 * there is no other: asked twice, it is made and charged once.
 *
 * @module
 */

import type { Caller } from "../accounts/key_directory.ts";
import type { AuditNote } from "../domain/audit.ts";
import type { Clock } from "../domain/clock.ts";
import type { RequestIdentity } from "../domain/ids.ts";
import type { VideoTask } from "../domain/video_task.ts";
import { GatewayError } from "../errors.ts";
import { fingerprint } from "../idempotency/fingerprint.ts";
import { UNLIMITED_PERMIT } from "../limits/permit.ts";
import type { VideoStore } from "../storage/ports/storage.ts";
import type { VideoQuery } from "../storage/ports/video_pages.ts";
import type { CreatedVideo, CreateVideoAnswer, CreateVideoRequest } from "./task/create_request.ts";

/** Makes tasks. */
export type CreateVideo = (
  request: CreateVideoRequest,
  answer: CreateVideoAnswer,
) => Promise<CreatedVideo>;

/** Who orders it again. */
export interface RetryOptions {
  /** Whose task it was: it pays again, for the one that is made. */
  readonly caller: Caller;
  readonly identity: RequestIdentity;
  readonly noteOf: (task: VideoTask) => AuditNote;
}

/** What came of it. */
export interface Retried {
  readonly task: VideoTask;
  /** Whether it had been ordered again before. */
  readonly isRepeated: boolean;
}

/** Tasks that are looked through at a time for an earlier order. */
const PAGE = 1_000;
/** Nobody is answered with a body. */
const NO_ANSWER: CreateVideoAnswer = { write: () => "", toRecord: undefined };

/**
 * Orders it.
 *
 * @throws {GatewayError} `conflict` where the task has not failed or came with an image, which is gone;
 * whatever creating one is refused for.
 */
export async function retryVideo(
  { videos, clock, create }: {
    readonly videos: Pick<VideoStore, "list">;
    readonly clock: Pick<Clock, "monotonic">;
    readonly create: CreateVideo;
  },
  task: VideoTask,
  { caller, identity, noteOf }: RetryOptions,
): Promise<Retried> {
  if (task.status !== "failed") {
    throw new GatewayError(
      "conflict",
      `Task ${task.id} is ${task.status}: only one that failed is ordered again`,
    );
  }
  if (task.referenceType !== undefined) {
    throw new GatewayError(
      "conflict",
      `Task ${task.id} came with an image, which is not kept: its caller has to send it again`,
    );
  }
  const order = await firstOrder(videos, task);
  const mark = markOf(order);
  const findEarlier = () => findMade(videos, order, mark);
  const earlier = await findEarlier();
  if (earlier !== undefined) return { task: earlier, isRepeated: true };
  const { model, prompt, size, seconds, wishes, fields, callbackUrl } = task;
  const made = await create({
    ...{ identity, caller, model, prompt, size, seconds, wishes, fields, callbackUrl, noteOf },
    permit: UNLIMITED_PERMIT,
    reference: undefined,
    // Two at one time are one, and one that has failed meanwhile is none.
    isRetry: true,
    findEarlier,
    fingerprint: mark,
    arrivedAt: clock.monotonic(),
  }, NO_ANSWER);
  return { task: made.task, isRepeated: made.task.callId !== identity.callId };
}

/** What all tasks have in common that order one again. */
function markOf({ id }: Pick<VideoTask, "id">): string {
  return fingerprint(["retry", id]);
}

/** The task that was ordered first, of one that was an order of it again; else the task itself. */
async function firstOrder(videos: Pick<VideoStore, "list">, task: VideoTask): Promise<VideoTask> {
  const isFirst = (one: VideoTask) => markOf(one) === task.fingerprint;
  return await findAmong(videos, task, { status: "failed", order: "desc" }, isFirst) ?? task;
}

/** The order of a task again that is open or has its film. */
function findMade(
  videos: Pick<VideoStore, "list">,
  first: VideoTask,
  mark: string,
): Promise<VideoTask | undefined> {
  const isMade = (one: VideoTask) => one.fingerprint === mark && one.status !== "failed";
  return findAmong(videos, first, { order: "asc" }, isMade);
}

/** The next task of a project behind one, or before it, that is as wanted. */
async function findAmong(
  videos: Pick<VideoStore, "list">,
  { projectId, callId }: VideoTask,
  query: Pick<VideoQuery, "status" | "order">,
  isWanted: (task: VideoTask) => boolean,
): Promise<VideoTask | undefined> {
  for (let afterCallId = callId;;) {
    const page = await videos.list({ ...query, projectId, afterCallId, limit: PAGE });
    const found = page.find(isWanted);
    if (found !== undefined || page.length < PAGE) return found;
    afterCallId = page.at(-1)!.callId;
  }
}
