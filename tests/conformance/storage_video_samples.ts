/**
 * Video tasks, their calls, messages and answers to store in tests.
 *
 * @module
 */

import { workOfTokens } from "../../src/domain/work.ts";
import type { ClosedCall, OpenCall } from "../../src/domain/call.ts";
import type { IdempotencyRecord } from "../../src/domain/idempotency.ts";
import { NEW_TASK, type VideoTask } from "../../src/domain/video_task.ts";
import type { WebhookMessage } from "../../src/domain/webhook.ts";
import type { Entry } from "../../src/storage/ports/entry.ts";
import { NO_WISHES } from "../support/no_wishes.ts";
import { NOON_ISH, sampleClosedCall, sampleOpenCall } from "./storage_samples.ts";

const DIGITS = "abcdefghij";

/** `prefix` and 26 characters of base32 that end in a number. */
export function numberedId(prefix: "video_" | "evt_", number: number): string {
  const digits = [...`${number}`].map((digit) => DIGITS[Number(digit)]).join("");
  return `${prefix}${digits.padStart(26, "z")}`;
}

/** A queued task; its id follows from its call's. */
export function sampleTask(changes: Partial<VideoTask> = {}): VideoTask {
  const callId = changes.callId ?? 1;
  return {
    id: numberedId("video_", callId),
    callId,
    requestId: `req_${callId}`,
    projectId: "acme",
    keyId: "key_1",
    model: "video-2",
    prompt: "a red kite over a snowy harbour",
    size: "1280x720",
    seconds: 4,
    wishes: NO_WISHES,
    fields: {},
    referenceType: undefined,
    callbackUrl: undefined,
    fingerprint: "f".repeat(64),
    createdAt: NOON_ISH + callId,
    provider: "builtin",
    route: "builtin/video-2",
    ...NEW_TASK,
    ...changes,
  };
}

/** The task after its next change. */
export function nextTask(task: VideoTask, changes: Partial<VideoTask>): VideoTask {
  return { ...task, revision: task.revision + 1, ...changes };
}

/** The task at work, at its first attempt. */
export function claimedTask(task: VideoTask, changes: Partial<VideoTask> = {}): VideoTask {
  return nextTask(task, {
    status: "in_progress",
    attempt: task.attempt + 1,
    lease: { session: 1, until: NOON_ISH + 30_000 },
    startedAt: NOON_ISH + 1_000,
    ...changes,
  });
}

/** The task with its film. */
export function completedTask(task: VideoTask, changes: Partial<VideoTask> = {}): VideoTask {
  return nextTask(task, {
    status: "completed",
    progress: 100,
    lease: undefined,
    completedAt: NOON_ISH + 60_000,
    file: { bytes: 1_000, sha256: "a".repeat(64), hasThumbnail: true, key: undefined },
    costE8: 20n,
    saleE8: 30n,
    ...changes,
  });
}

/** The task given up. */
export function failedTask(task: VideoTask, changes: Partial<VideoTask> = {}): VideoTask {
  return nextTask(task, {
    status: "failed",
    lease: undefined,
    error: { code: "video_failed", message: "the engine gave up" },
    ...changes,
  });
}

/** The open call of a task: a hold of 100. */
export function taskCall(task: VideoTask, changes: Partial<OpenCall> = {}): OpenCall {
  const { callId, requestId, projectId, keyId, model, provider, route, size, seconds } = task;
  return sampleOpenCall({
    callId,
    requestId,
    projectId,
    keyId,
    capability: "videos",
    model,
    provider,
    route,
    openedAt: task.createdAt,
    video: { size, seconds },
    ...changes,
  });
}

/** The settled call of a task: 30 of its hold are charged. */
export function closedTaskCall(task: VideoTask, changes: Partial<ClosedCall> = {}): ClosedCall {
  return sampleClosedCall({
    ...taskCall(task),
    work: workOfTokens({ promptTokens: 0, completionTokens: 0 }),
    ...changes,
  });
}

/** The released call of a task. */
export function releasedTaskCall(task: VideoTask, changes: Partial<ClosedCall> = {}): ClosedCall {
  return closedTaskCall(task, {
    state: "released",
    result: "upstream_failed",
    firstByteMs: undefined,
    usageSource: "none",
    costE8: 0n,
    saleE8: 0n,
    chargedE8: 0n,
    errorCode: "video_failed",
    ...changes,
  });
}

/** The entry that stores a task with its hold. */
export function createEntry(task: VideoTask, changes: Partial<OpenCall> = {}): Entry {
  return { kind: "create_video", task, call: taskCall(task, changes) };
}

/** The entry that stores a task's next revision. */
export function changeEntry(task: VideoTask): Entry {
  return { kind: "change_video", task };
}

/** A message that waits for its first try. */
export function sampleMessage(changes: Partial<WebhookMessage> = {}): WebhookMessage {
  return {
    id: numberedId("evt_", 1),
    projectId: "acme",
    event: "video.completed",
    videoId: numberedId("video_", 1),
    url: "https://example.com/hook?a=1&b=2",
    createdAt: NOON_ISH,
    tries: 0,
    state: "waiting",
    nextAt: NOON_ISH,
    lastError: undefined,
    roundFrom: 0,
    lastTries: [],
    ...changes,
  };
}

/** An answer that is live for a day. */
export function sampleAnswer(changes: Partial<IdempotencyRecord> = {}): IdempotencyRecord {
  return {
    projectId: "acme",
    path: "/videos",
    key: "order-1",
    fingerprint: "f".repeat(64),
    requestId: "req_1",
    status: 200,
    stream: undefined,
    body: `{"id":"${numberedId("video_", 1)}"}`,
    createdAt: NOON_ISH,
    expiresAt: NOON_ISH + 86_400_000,
    ...changes,
  };
}
