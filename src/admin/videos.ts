/**
 * Video tasks of all projects, as an operator sees them.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../documents/shown.ts";
import type { AuditFields } from "../domain/audit.ts";
import { formatAmount } from "../domain/money.ts";
import { isOpen, type VideoStatus, type VideoTask } from "../domain/video_task.ts";
import { GatewayError } from "../errors.ts";
import { deletedAnswer, shownAmount, shownCount, shownTime, timeToJson } from "./base/fields.ts";
import { noteOf } from "./base/commit_change.ts";
import type { AdminDeps } from "./base/deps.ts";
import { defineOperation } from "./base/operation.ts";
import { goneCursor, pageAnswer, pageFields, pageOf } from "./base/page.ts";
import { shownPause, shownPauseOf } from "./base/shown_pause.ts";
import { shownCallback, shownWebhook, shownWebhookOf } from "./base/shown_webhook.ts";
import { shownPath } from "./base/shown_path.ts";
import { heldToOwn, heldToProject } from "./accounts/own_project.ts";
import { projectField, requireProject } from "./accounts/projects.ts";

/** The states of a task. */
const VIDEO_STATUSES = [
  "queued",
  "in_progress",
  "completed",
  "failed",
] as const satisfies readonly VideoStatus[];

const shownVideo = z.object({
  id: z.string(),
  project: z.string(),
  key: z.string(),
  request_id: z.string().describe("The create request's: calls.show tells what was held"),
  model: z.string(),
  provider: z.string(),
  route: z.string(),
  status: z.enum(VIDEO_STATUSES),
  progress: z.number(),
  size: z.string(),
  seconds: z.number(),
  prompt: z.string(),
  created_at: shownTime,
  started_at: shownTime.nullable().describe("First attempt"),
  completed_at: shownTime.nullable(),
  expires_at: shownTime.nullable().describe("When the film is, or was, removed; null for never"),
  attempts: shownCount.describe("Attempts begun"),
  failures: shownCount.describe("Attempts whose work failed"),
  restarts: shownCount.describe("Attempts that ended with the server"),
  error: z.object({ code: z.string(), message: z.string() }).nullable()
    .describe("What its caller is told"),
  file: z.object({
    path: z.string().nullable().describe(
      "Where it is, to viewers and members its name alone; null once it is removed",
    ),
    bytes: shownCount,
    sha256: z.string(),
    removed_at: shownTime.nullable(),
  }).nullable(),
  currency: z.string(),
  cost: shownAmount.nullable().describe("null until the task has ended"),
  sale: shownAmount.nullable(),
});

export type VideoRow = Shown<typeof shownVideo>;

/** A task with what its runner knows besides. */
const videoDetails = shownVideo.extend({
  last_error: z.object({ at: shownTime, route: z.string(), message: z.string() }).nullable()
    .describe("What went wrong last, also when it was tried again since; in memory alone"),
  next_try_at: shownTime.nullable().describe(
    "null while it is worked on, could be at once, or has ended",
  ),
  wishes: z.record(z.string(), z.unknown()).optional().describe(
    "What its caller wished of its source; servers of earlier versions leave it out",
  ),
  fields: z.record(z.string(), z.unknown()).optional().describe("Further fields of its create"),
  has_reference: z.boolean().optional().describe("Whether it came with an image"),
  has_thumbnail: z.boolean().optional(),
  callback_url: z.string().nullable().optional().describe(
    "Who is told when it ends; to viewers and members without path and query, which may hold a secret",
  ),
  webhook: shownWebhook.nullable().optional().describe(
    "What they are told, and whether it arrived; null before it ends, for nobody, and a week after it was done",
  ),
  queue: z.object({
    position: shownCount.describe("1 for the next one of its route; projects take turns"),
    waiting: shownCount.describe("Tasks that wait for its route"),
    starts_at: shownTime.nullable().describe(
      "About when it begins, by how long its route took lately; null where it made nothing of late, or is paused",
    ),
  }).nullable().optional().describe(
    "null once it was begun; servers of earlier versions leave it out",
  ),
  paused: shownPause.nullable().optional().describe(
    "Why it does not begin, or go on, before an operator resumes the queue; servers of earlier versions leave it out",
  ),
});

export type VideoDetails = Shown<typeof videoDetails>;

/** A task by its id. */
export const byVideo = z.strictObject({
  video_id: z.string().min(1).max(100).describe("id of the task"),
});

export const listVideos = defineOperation({
  name: "videos.list",
  method: "GET",
  path: "/videos",
  role: "viewer",
  summary: "List video tasks, newest first.",
  input: z.strictObject({
    ...pageFields,
    project: projectField.optional().describe("only this project's"),
    status: z.enum(VIDEO_STATUSES).optional().describe("only tasks in it"),
  }),
  output: pageAnswer(shownVideo),
  errors: ["not_found"],
  heldTo: heldToProject,
  async run(deps, { project, status, limit, after }) {
    if (project !== undefined) requireProject(deps, project);
    const last = after === undefined ? undefined : await deps.videos.find(after);
    const isThere = last !== undefined && (project === undefined || last.projectId === project);
    if (after !== undefined && !isThere) throw goneCursor("video", after);
    const tasks = await deps.storage.videos.list({
      projectId: project,
      status,
      afterCallId: last?.callId,
      order: "desc",
      limit: limit + 1,
    });
    return pageOf(tasks.map((task) => videoRow(deps, task)), { limit, idOf: ({ id }) => id });
  },
});

export const showVideo = defineOperation({
  name: "videos.show",
  method: "GET",
  path: "/videos/{video_id}",
  role: "viewer",
  summary: "Show a video task.",
  input: byVideo,
  output: videoDetails,
  errors: ["not_found"],
  heldTo: heldToOwnVideo,
  async run(deps, { video_id }) {
    const task = await requireVideo(deps, video_id);
    const failure = deps.videos.lastFailure(task.id);
    return {
      ...videoRow(deps, task),
      last_error: failure === undefined ? null : { ...failure, at: timeToJson(failure.at) },
      next_try_at: timeToJson(nextTryAt(deps, task)),
      wishes: spoken(task.wishes),
      fields: task.fields,
      has_reference: task.referenceType !== undefined,
      has_thumbnail: task.file?.hasThumbnail === true && task.fileRemovedAt === undefined,
      callback_url: task.callbackUrl === undefined
        ? null
        : shownCallback(deps.origin, task.callbackUrl),
      webhook: await webhookOf(deps, task),
      queue: await queueOf(deps, task),
      paused: pausedOf(deps, task),
    };
  },
});

export const deleteVideo = defineOperation({
  name: "videos.delete",
  method: "DELETE",
  path: "/videos/{video_id}",
  role: "operator",
  changes: "video",
  summary: "Delete a video task with its film; one under way is stopped and not charged.",
  input: byVideo,
  output: deletedAnswer,
  errors: ["not_found"],
  heldTo: heldToOwnVideo,
  async run(deps, { video_id }) {
    const removed = await deps.videos.removeNoted(
      video_id,
      (task) => noteOf(deps, { id: task.id, before: auditedVideo(deps, task) }),
    );
    if (removed === "missing") throw noVideo(video_id);
    return { id: video_id, deleted: true as const };
  },
});

export const retryVideo = defineOperation({
  name: "videos.retry",
  method: "POST",
  path: "/videos/{video_id}/retry",
  role: "operator",
  changes: "video",
  summary:
    "Order a film again that could not be made, as its own key: a task of its own, paid if it is made. Asked again, it answers with that one.",
  input: byVideo,
  output: z.object({
    id: z.string().describe("Of the new task"),
    retry_of: z.string(),
    repeated: z.boolean().describe("Whether it had been ordered again before"),
  }),
  errors: [
    "not_found",
    "conflict",
    "insufficient_balance",
    "model_not_found",
    "model_not_allowed",
    "route_not_selectable",
    "request_over_limit",
    "no_such_route",
    "no_route_now",
    "pool_limit_exceeded",
  ],
  heldTo: heldToOwnVideo,
  async run(deps, { video_id }) {
    const failed = await requireVideo(deps, video_id);
    const resolution = deps.directory.resolveId(failed.keyId, deps.clock.now());
    if (resolution.kind !== "caller") {
      throw new GatewayError(
        "conflict",
        `The key of task ${failed.id} is ${resolution.kind}: it can order nothing again`,
      );
    }
    const { task, isRepeated } = await deps.videos.retry(failed, {
      caller: resolution.caller,
      identity: deps.requestIds.next(),
      noteOf: ({ id, projectId }) =>
        noteOf(deps, { id, after: { project: projectId, retry_of: failed.id } }),
    });
    return { id: task.id, retry_of: failed.id, repeated: isRepeated };
  },
});

/**
 * The task of an id.
 *
 * @throws {GatewayError} `not_found`
 */
export async function requireVideo({ videos }: AdminDeps, id: string): Promise<VideoTask> {
  const task = await videos.find(id);
  if (task === undefined) throw noVideo(id);
  return task;
}

async function heldToOwnVideo<Input extends z.output<typeof byVideo>>(
  project: string,
  input: Input,
  { videos }: AdminDeps,
): Promise<Input> {
  const { video_id: id } = input;
  const of = (await videos.find(id))?.projectId;
  return heldToOwn(input, { of, project, missing: () => noVideo(id) });
}

/** Its own wait, or its route's if that is longer. */
function nextTryAt({ clock, health }: AdminDeps, task: VideoTask): number | undefined {
  if (!isOpen(task) || task.lease !== undefined) return undefined;
  const now = clock.now();
  const coolingMs = Math.max(
    0,
    health.coolingUntil(task.route, task.projectId) - clock.monotonic(),
  );
  const at = Math.max(task.notBefore, Math.ceil(now + coolingMs));
  return at > now ? at : undefined;
}

/** Wishes that say something. */
function spoken(wishes: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(wishes).filter(([, wish]) =>
      wish !== undefined && !(Array.isArray(wish) && wish.length === 0)
    ),
  );
}

async function queueOf(deps: AdminDeps, task: VideoTask): Promise<VideoDetails["queue"]> {
  const place = await deps.videos.placeOf(task);
  if (place === undefined) return null;
  const { position, waiting, waitMs } = place;
  const at = waitMs === undefined
    ? undefined
    : Math.max(deps.clock.now() + waitMs, nextTryAt(deps, task) ?? 0);
  return { position, waiting, starts_at: timeToJson(at) };
}

async function webhookOf(deps: AdminDeps, task: VideoTask): Promise<VideoDetails["webhook"]> {
  if (task.callbackUrl === undefined || isOpen(task)) return null;
  const message = await deps.storage.webhooks.ofVideo(task.id);
  return message === undefined ? null : shownWebhookOf(deps, message);
}

function pausedOf(deps: AdminDeps, task: VideoTask): VideoDetails["paused"] {
  const pause = deps.videos.pauseOf(task);
  return pause === undefined ? null : shownPauseOf(deps, pause);
}

/** A task for the audit log: without its prompt, which goes with it. */
function auditedVideo(deps: AdminDeps, task: VideoTask): AuditFields {
  const { id: _id, prompt: _prompt, currency: _currency, ...fields } = videoRow(deps, task);
  return fields;
}

/** What says that there is no task of an id. */
export function noVideo(id: string): GatewayError {
  return new GatewayError(
    "not_found",
    `There is no video task '${id}': see \`tollgate videos list\``,
  );
}

function videoRow({ videos, catalogue, origin }: AdminDeps, task: VideoTask): VideoRow {
  const { file, fileRemovedAt } = task;
  return {
    id: task.id,
    project: task.projectId,
    key: task.keyId,
    request_id: task.requestId,
    model: task.model,
    provider: task.provider,
    route: task.route,
    status: task.status,
    progress: task.progress,
    size: task.size,
    seconds: task.seconds,
    prompt: task.prompt,
    created_at: timeToJson(task.createdAt),
    started_at: timeToJson(task.startedAt),
    completed_at: timeToJson(task.completedAt),
    expires_at: timeToJson(task.expiresAt),
    attempts: task.attempt,
    failures: task.failures,
    restarts: task.restarts,
    error: task.error ?? null,
    file: file === undefined ? null : {
      path: fileRemovedAt === undefined ? shownPath(origin, videos.placeOfFilm(task)) : null,
      bytes: file.bytes,
      sha256: file.sha256,
      removed_at: timeToJson(fileRemovedAt),
    },
    currency: catalogue.current.catalogue.currency,
    cost: task.costE8 === undefined ? null : formatAmount(task.costE8),
    sale: task.saleE8 === undefined ? null : formatAmount(task.saleE8),
  };
}
