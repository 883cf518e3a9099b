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

/** Tasks behind the failed one that are looked through for an earlier retry. */
const MOST_LATER = 1_000;
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
  const mark = fingerprint(["retry", task.id]);
  const later = await videos.list({
    projectId: task.projectId,
    afterCallId: task.callId,
    order: "asc",
    limit: MOST_LATER,
  });
  const earlier = later.find((one) => one.fingerprint === mark && one.status !== "failed");
  if (earlier !== undefined) return { task: earlier, isRepeated: true };
  const { model, prompt, size, seconds, wishes, fields, callbackUrl } = task;
  const made = await create({
    ...{ identity, caller, model, prompt, size, seconds, wishes, fields, callbackUrl, noteOf },
    permit: UNLIMITED_PERMIT,
    reference: undefined,
    // Two at one time are one.
    isRetry: true,
    fingerprint: mark,
    arrivedAt: clock.monotonic(),
  }, NO_ANSWER);
  return { task: made.task, isRepeated: made.task.callId !== identity.callId };
}
