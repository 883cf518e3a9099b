/**
 * Video tasks as rows: columns to bind and to read back. What never changes of a
 * task and what each change replaces are apart, so that a change binds no prompt.
 *
 * @module
 */

import type { SourceWishes } from "../../domain/source_wishes.ts";
import { EARLIER_SESSION, type SessionId } from "../../domain/session.ts";
import type { VideoStatus, VideoTask } from "../../domain/video_task.ts";
import { storableText } from "./storable_text.ts";

/** The columns that a task is created with for good. */
export const TASK_ORIGIN_COLUMNS = [
  "id",
  "call_id",
  "request_id",
  "project_id",
  "key_id",
  "model",
  "prompt",
  "size",
  "seconds",
  "wishes",
  "fields",
  "reference_type",
  "callback_url",
  "fingerprint",
  "created_at",
] as const;

/** The columns that every change of a task replaces. */
export const TASK_STATE_COLUMNS = [
  "revision",
  "provider",
  "route",
  "status",
  "progress",
  "attempt",
  "failures",
  "restarts",
  "lease_boot_id",
  "lease_until",
  "not_before",
  "started_at",
  "job_id",
  "job_key_reference",
  "job_started_at",
  "may_have_begun",
  "is_id_used",
  "completed_at",
  "expires_at",
  "file_bytes",
  "file_sha256",
  "file_has_thumbnail",
  "fetched_at",
  "file_removed_at",
  "error_code",
  "error_message",
  "cost_e8",
  "sale_e8",
] as const;

type Column = typeof TASK_ORIGIN_COLUMNS[number] | typeof TASK_STATE_COLUMNS[number];

/** A column as it is bound. */
export type TaskValue = string | number | bigint | null;

/** What a SELECT of a task names: amounts as digits, as so few of the columns need big integers. */
export const TASK_SELECTION = [...TASK_ORIGIN_COLUMNS, ...TASK_STATE_COLUMNS]
  .map((column) => column.endsWith("_e8") ? `CAST(${column} AS TEXT) AS ${column}` : column)
  .join(", ");

/** A row read with {@linkcode TASK_SELECTION}. */
export type TaskRow = { readonly [column in Column]: string | number | null };

/** Values for {@linkcode TASK_ORIGIN_COLUMNS}. */
export function taskOriginValues(task: VideoTask): TaskValue[] {
  return [
    task.id,
    task.callId,
    task.requestId,
    task.projectId,
    task.keyId,
    task.model,
    storableText(task.prompt),
    task.size,
    task.seconds,
    JSON.stringify(task.wishes),
    JSON.stringify(task.fields),
    task.referenceType ?? null,
    task.callbackUrl ?? null,
    task.fingerprint,
    task.createdAt,
  ];
}

/** Values for {@linkcode TASK_STATE_COLUMNS}. */
export function taskStateValues(task: VideoTask): TaskValue[] {
  const { lease, job, file, error } = task;
  return [
    task.revision,
    task.provider,
    task.route,
    task.status,
    task.progress,
    task.attempt,
    task.failures,
    task.restarts,
    lease === undefined ? null : String(lease.session),
    lease?.until ?? null,
    task.notBefore,
    task.startedAt ?? null,
    job === undefined ? null : storableText(job.id),
    job?.keyReference ?? null,
    job?.startedAt ?? null,
    task.mayHaveBegun ? 1 : 0,
    task.isIdUsed ? 1 : 0,
    task.completedAt ?? null,
    task.expiresAt ?? null,
    file?.bytes ?? null,
    file?.sha256 ?? null,
    file === undefined ? null : file.hasThumbnail ? 1 : 0,
    task.fetchedAt ?? null,
    task.fileRemovedAt ?? null,
    error === undefined ? null : storableText(error.code),
    error === undefined ? null : storableText(error.message),
    task.costE8 ?? null,
    task.saleE8 ?? null,
  ];
}

/** The task that a row stores. */
export function taskFromRow(row: TaskRow): VideoTask {
  return {
    id: row.id as string,
    callId: row.call_id as number,
    requestId: row.request_id as string,
    projectId: row.project_id as string,
    keyId: row.key_id as string,
    model: row.model as string,
    prompt: row.prompt as string,
    size: row.size as string,
    seconds: row.seconds as number,
    wishes: wishesFromText(row.wishes as string),
    fields: JSON.parse(row.fields as string),
    referenceType: optional(row.reference_type),
    callbackUrl: optional(row.callback_url),
    fingerprint: row.fingerprint as string,
    createdAt: row.created_at as number,
    revision: row.revision as number,
    provider: row.provider as string,
    route: row.route as string,
    status: row.status as VideoStatus,
    progress: row.progress as number,
    attempt: row.attempt as number,
    failures: row.failures as number,
    restarts: row.restarts as number,
    lease: row.lease_boot_id === null
      ? undefined
      : { session: sessionOf(row.lease_boot_id as string), until: row.lease_until as number },
    notBefore: row.not_before as number,
    startedAt: optional(row.started_at),
    job: row.job_id === null ? undefined : {
      id: row.job_id as string,
      keyReference: optional(row.job_key_reference),
      startedAt: row.job_started_at as number,
    },
    mayHaveBegun: row.may_have_begun === 1,
    isIdUsed: row.is_id_used === 1,
    completedAt: optional(row.completed_at),
    expiresAt: optional(row.expires_at),
    file: row.file_bytes === null ? undefined : {
      bytes: row.file_bytes as number,
      sha256: row.file_sha256 as string,
      hasThumbnail: row.file_has_thumbnail === 1,
    },
    fetchedAt: optional(row.fetched_at),
    fileRemovedAt: optional(row.file_removed_at),
    error: row.error_code === null
      ? undefined
      : { code: row.error_code as string, message: row.error_message as string },
    costE8: row.cost_e8 === null ? undefined : BigInt(row.cost_e8),
    saleE8: row.sale_e8 === null ? undefined : BigInt(row.sale_e8),
  };
}

/** JSON leaves out what is undefined; a task names it. */
function wishesFromText(text: string): SourceWishes {
  const { provider, route, preference, excludeRiskLevels } = JSON.parse(text) as SourceWishes;
  return { provider, route, preference, excludeRiskLevels };
}

function optional<Value>(value: string | number | null): Value | undefined {
  return (value ?? undefined) as Value | undefined;
}

/** Before sessions were counted, each start had a name of its own. */
function sessionOf(text: string): SessionId {
  return /^\d+$/.test(text) ? Number(text) : EARLIER_SESSION;
}
