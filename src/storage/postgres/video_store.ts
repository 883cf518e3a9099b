/**
 * Video tasks.
 *
 * @module
 */

import { EARLIER_SESSION, type SessionId } from "../../domain/session.ts";
import type { VideoPause } from "../../domain/video_pause.ts";
import { VIDEO_TRANSITIONS, type VideoTask } from "../../domain/video_task.ts";
import type { Asynchronous } from "../ports/operations.ts";
import type { STORES, VideoStore } from "../ports/storage.ts";
import type { ContentPage, ProjectBytes, VideoQuery } from "../ports/video_pages.ts";
import { insertSql } from "../rows/row_of.ts";
import {
  TASK_COLUMNS,
  TASK_ORIGIN,
  TASK_SELECTION,
  TASK_STATE,
  taskFromRow,
} from "../rows/task_row.ts";
import type { Ask, AskedRow } from "./ask.ts";
import { given } from "./conditions.ts";

/** The conditions of the partial indexes, as the schema says them. */
const IS_OPEN = "(status = 'queued' OR status = 'in_progress')";
const HAS_CONTENT = "status = 'completed' AND file_removed_at IS NULL";

/** The entry of `cluster_meta` with the pauses of the queue, as JSON. */
const PAUSES = "video_pauses";

const TASKS = `SELECT ${TASK_SELECTION} FROM video_tasks`;

const SUM_OF_CONTENT =
  `SELECT project_id AS "projectId", sum(file_bytes) AS bytes FROM video_tasks`;

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class PostgresVideoStore implements Asynchronous<typeof STORES.videos> {
  readonly #ask: Ask;
  readonly #session: () => SessionId;

  /** @param session Whose is what is written, and who does not read what others work on. */
  constructor(ask: Ask, session: () => SessionId = () => EARLIER_SESSION) {
    this.#ask = ask;
    this.#session = session;
  }

  async find(taskId: string): Promise<VideoTask | undefined> {
    return toTasks(await this.#ask.all(`${TASKS} WHERE id = ?`, taskId))[0];
  }

  async list(
    { projectId, status, afterCallId, order, limit }: VideoQuery,
  ): Promise<readonly VideoTask[]> {
    const after = afterCallId ?? (order === "asc" ? 0 : Number.MAX_SAFE_INTEGER);
    const conditions = given(
      ["project_id = ?", projectId],
      ["status = ?", status],
      [order === "asc" ? "call_id > ?" : "call_id < ?", after],
    );
    return toTasks(
      await this.#ask.all(
        `${TASKS} WHERE ${conditions.sql}
         ORDER BY call_id ${order === "asc" ? "ASC" : "DESC"} LIMIT ?`,
        ...conditions.values,
        limit,
      ),
    );
  }

  /** Its own alone: what an ended session has left is nobody's before one goes on with it. */
  async open(afterCallId: number, limit: number): Promise<readonly VideoTask[]> {
    const sql = `${TASKS} WHERE ${IS_OPEN} AND call_id > ?1 AND session_id = ?2
      ORDER BY call_id LIMIT ?3`;
    return toTasks(await this.#ask.all(sql, afterCallId, this.#session(), limit));
  }

  /** How many unfinished tasks the project and the key of one have. */
  async countOpen(
    { projectId, keyId }: Pick<VideoTask, "projectId" | "keyId">,
  ): Promise<{ readonly project: number; readonly key: number }> {
    const row = await this.#ask.get(
      `SELECT count(*) AS of_project, coalesce(sum(CASE WHEN key_id = ? THEN 1 ELSE 0 END), 0) AS of_key
       FROM video_tasks WHERE ${IS_OPEN} AND project_id = ?`,
      keyId,
      projectId,
    );
    return { project: row!.of_project as number, key: row!.of_key as number };
  }

  async unusedRepeat(
    { projectId, fingerprint, sinceMs }: Parameters<VideoStore["unusedRepeat"]>[0],
  ): Promise<VideoTask | undefined> {
    const rows = await this.#ask.all(
      `${TASKS} WHERE is_id_used = 0 AND project_id = ? AND fingerprint = ? AND created_at >= ?
       ORDER BY created_at DESC, call_id DESC LIMIT 1`,
      projectId,
      fingerprint,
      sinceMs,
    );
    return toTasks(rows)[0];
  }

  async idsWithoutContent(taskIds: readonly string[]): Promise<readonly string[]> {
    const rows = await this.#ask.all(
      `SELECT id FROM video_tasks
       WHERE id = ANY(?) AND status <> 'failed' AND file_removed_at IS NULL`,
      taskIds,
    );
    const needed = new Set(rows.map(({ id }) => id));
    return taskIds.filter((id) => !needed.has(id));
  }

  async expired(page: ContentPage): Promise<readonly VideoTask[]> {
    return toTasks(
      await this.#ask.all(
        `${TASKS} WHERE ${HAS_CONTENT} AND expires_at <= ?
         AND (expires_at, call_id) > (?, ?) ORDER BY expires_at, call_id LIMIT ?`,
        ...pageValues(page),
      ),
    );
  }

  async removableVideos(projectId: string, page: ContentPage): Promise<readonly VideoTask[]> {
    return toTasks(
      await this.#ask.all(
        `${TASKS} WHERE project_id = ? AND ${HAS_CONTENT}
         AND fetched_at IS NOT NULL AND completed_at <= ?
         AND (completed_at, call_id) > (?, ?) ORDER BY completed_at, call_id LIMIT ?`,
        projectId,
        ...pageValues(page),
      ),
    );
  }

  async keptBytes(): Promise<readonly ProjectBytes[]> {
    const sql = `${SUM_OF_CONTENT} WHERE ${HAS_CONTENT} GROUP BY project_id ORDER BY project_id`;
    return await this.#ask.all(sql) as unknown as readonly ProjectBytes[];
  }

  async removableBytes(untilMs: number): Promise<readonly ProjectBytes[]> {
    const rows = await this.#ask.all(
      `${SUM_OF_CONTENT} WHERE ${HAS_CONTENT} AND fetched_at IS NOT NULL AND completed_at <= ?
       GROUP BY project_id ORDER BY project_id`,
      untilMs,
    );
    return rows as unknown as readonly ProjectBytes[];
  }

  async pauses(): Promise<readonly VideoPause[]> {
    const row = await this.#ask.get(`SELECT value FROM cluster_meta WHERE name = '${PAUSES}'`);
    const pauses = JSON.parse((row?.value as string | undefined) ?? "[]") as VideoPause[];
    // JSON has no undefined: the key is there all the same.
    return pauses.map((pause) => ({ ...pause, reason: pause.reason }));
  }

  /** Replaces all pauses of the queue. */
  async putPauses(pauses: readonly VideoPause[]): Promise<void> {
    await this.#ask.run(
      `INSERT INTO cluster_meta (name, value) VALUES ('${PAUSES}', ?)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      JSON.stringify(pauses),
    );
  }

  /** Adds a task. Rejects when its id or its call's task exists. */
  async insert(task: VideoTask): Promise<void> {
    await this.#ask.run(
      insertSql("video_tasks", [...TASK_COLUMNS, "session_id"]),
      ...TASK_ORIGIN.values(task),
      ...TASK_STATE.values(task),
      this.#session(),
    );
  }

  /** Replaces what may change; `false` unless the revision before is stored and the task may follow it. */
  async replace(task: VideoTask): Promise<boolean> {
    return await this.#ask.run(REPLACE, task.id, task.callId, ...TASK_STATE.values(task)) === 1;
  }

  /** Removes a task of this revision and gives its call's id; `undefined` if there is none. */
  async delete(taskId: string, revision: number): Promise<number | undefined> {
    const row = await this.#ask.get(
      "DELETE FROM video_tasks WHERE id = ? AND revision = ? RETURNING call_id",
      taskId,
      revision,
    );
    return row?.call_id as number | undefined;
  }
}

const REPLACE = replaceSql();

function pageValues({ untilMs, after, limit }: ContentPage): number[] {
  return [untilMs, after?.at ?? -1, after?.callId ?? 0, limit];
}

/** `mayFollow` of `domain/video_task.ts` and the revision, compared in the statement that writes. */
function replaceSql(): string {
  const { columns } = TASK_STATE;
  const parameter = (column: string) => `?${columns.indexOf(column) + 3}`;
  const assignments = columns.map((column) => `${column} = ${parameter(column)}`);
  const next = parameter("status");
  const transitions = Object.entries(VIDEO_TRANSITIONS).flatMap(([before, nexts]) =>
    nexts.map((status) => `(status = '${before}' AND ${next} = '${status}')`)
  );
  return `UPDATE video_tasks SET ${assignments.join(", ")}
    WHERE id = ?1 AND call_id = ?2 AND revision + 1 = ${parameter("revision")}
    AND progress <= ${parameter("progress")} AND attempt <= ${parameter("attempt")}
    AND (status = ${next} OR ${transitions.join(" OR ")})`;
}

function toTasks(rows: readonly AskedRow[]): VideoTask[] {
  return rows.map(taskFromRow);
}
