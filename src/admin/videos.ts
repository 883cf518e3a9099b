/**
 * Video tasks of all projects, as an operator sees them.
 *
 * @module
 */

import * as z from "zod";
import type { AuditFields } from "../domain/audit.ts";
import { formatAmount } from "../domain/money.ts";
import { isOpen, type VideoStatus, type VideoTask } from "../domain/video_task.ts";
import { GatewayError } from "../errors.ts";
import { noteOf } from "./audit_note.ts";
import type { AdminDeps } from "./deps.ts";
import { timeToJson } from "./input_fields.ts";
import { defineOperation } from "./operation.ts";
import { goneCursor, type Page, pageFields, pageOf } from "./page.ts";
import { requireProject } from "./projects.ts";

/** The states of a task. */
export const VIDEO_STATUSES = [
  "queued",
  "in_progress",
  "completed",
  "failed",
] as const satisfies readonly VideoStatus[];

/** A task as shown. Amounts are decimal strings with 8 fractional digits. */
export interface VideoRow {
  readonly id: string;
  readonly project: string;
  readonly key: string;
  /** The create request's: `calls.show` tells what was held and charged. */
  readonly request_id: string;
  readonly model: string;
  readonly provider: string;
  readonly route: string;
  readonly status: VideoStatus;
  readonly progress: number;
  readonly size: string;
  readonly seconds: number;
  readonly prompt: string;
  readonly created_at: string;
  /** First attempt. */
  readonly started_at: string | null;
  readonly completed_at: string | null;
  /** When the film is, or was, removed; `null` for never. */
  readonly expires_at: string | null;
  /** Attempts begun. */
  readonly attempts: number;
  /** Attempts whose work failed. */
  readonly failures: number;
  /** Attempts that ended with the server. */
  readonly restarts: number;
  /** What its caller is told. */
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly file: VideoFileRow | null;
  readonly currency: string;
  /** `null` until the task has ended. */
  readonly cost: string | null;
  readonly sale: string | null;
}

/** A task with what its runner knows besides. */
export interface VideoDetails extends VideoRow {
  /**
   * What went wrong last, also when it was tried again since; `null` for nothing since the
   * server began: it is in memory alone.
   */
  readonly last_error: {
    readonly at: string;
    readonly route: string;
    readonly message: string;
  } | null;
  /** When the task is tried again; `null` while it is worked on, could be at once, or has ended. */
  readonly next_try_at: string | null;
}

/** The film of a task. */
export interface VideoFileRow {
  /** Where it is; `null` once it is removed. */
  readonly path: string | null;
  readonly bytes: number;
  readonly sha256: string;
  readonly removed_at: string | null;
}

const videoId = z.string().min(1).max(100);

export const listVideos = defineOperation({
  name: "videos.list",
  method: "GET",
  path: "/videos",
  summary: "Lists video tasks, newest first.",
  input: z.strictObject({
    project: z.string().min(1).optional(),
    status: z.enum(VIDEO_STATUSES).optional(),
    ...pageFields,
  }),
  async run(deps, { project, status, limit, after }): Promise<Page<VideoRow>> {
    if (project !== undefined) requireProject(deps, project);
    const last = after === undefined ? undefined : await deps.videos.find(after);
    if (after !== undefined && last === undefined) throw goneCursor("video", after);
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
  summary: "Shows a video task.",
  input: z.strictObject({ video_id: videoId }),
  async run(deps, { video_id }): Promise<VideoDetails> {
    const task = await requireVideo(deps, video_id);
    const failure = deps.videos.lastFailure(task.id);
    return {
      ...videoRow(deps, task),
      last_error: failure === undefined ? null : { ...failure, at: timeToJson(failure.at) },
      next_try_at: timeToJson(nextTryAt(deps, task)),
    };
  },
});

export const deleteVideo = defineOperation({
  name: "videos.delete",
  method: "DELETE",
  path: "/videos/{video_id}",
  summary: "Deletes a video task with its film; one under way is stopped and not charged.",
  input: z.strictObject({ video_id: videoId }),
  async run(deps, { video_id }): Promise<{ readonly id: string; readonly deleted: true }> {
    const removed = await deps.videos.removeNoted(
      video_id,
      (task) =>
        noteOf(deps, {
          operation: "videos.delete",
          subject: `video:${task.id}`,
          before: auditedVideo(deps, task),
        }),
    );
    if (removed === "missing") throw noVideo(video_id);
    return { id: video_id, deleted: true };
  },
});

async function requireVideo({ videos }: AdminDeps, id: string): Promise<VideoTask> {
  const task = await videos.find(id);
  if (task === undefined) throw noVideo(id);
  return task;
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

/** A task for the audit log: without its prompt, which goes with it. */
function auditedVideo(deps: AdminDeps, task: VideoTask): AuditFields {
  const { id: _id, prompt: _prompt, currency: _currency, ...fields } = videoRow(deps, task);
  return fields;
}

function noVideo(id: string): GatewayError {
  return new GatewayError(
    "not_found",
    `There is no video task '${id}': see \`tollgate videos list\``,
  );
}

function videoRow({ videos, catalogue }: AdminDeps, task: VideoTask): VideoRow {
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
      path: fileRemovedAt === undefined ? videos.filmPath(task.id) : null,
      bytes: file.bytes,
      sha256: file.sha256,
      removed_at: timeToJson(fileRemovedAt),
    },
    currency: catalogue.current.catalogue.currency,
    cost: task.costE8 === undefined ? null : formatAmount(task.costE8),
    sale: task.saleE8 === undefined ? null : formatAmount(task.saleE8),
  };
}
