/**
 * Video tasks as rows.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { VideoPause } from "../../domain/video_pause.ts";
import { VIDEO_TRANSITIONS, type VideoTask } from "../../domain/video_task.ts";
import type { ContentPage, ProjectBytes, VideoQuery } from "../ports/video_pages.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { STORES, VideoStore } from "../ports/storage.ts";
import { insertSql } from "../rows/row_of.ts";
import { prepareAll } from "./statements.ts";
import {
  TASK_COLUMNS,
  TASK_ORIGIN,
  TASK_SELECTION,
  TASK_STATE,
  taskFromRow,
} from "../rows/task_row.ts";

/** The conditions of the partial indexes, in the words of the schema: SQLite compares the text. */
const IS_OPEN = "(status = 'queued' OR status = 'in_progress')";
const HAS_CONTENT = "status = 'completed' AND file_removed_at IS NULL";

/** The entry of `meta` with the pauses of the queue, as JSON: an operator makes a few, and none is there for long. */
const PAUSES = "video_pauses";

const SUM_OF_CONTENT = `SELECT project_id AS "projectId", sum(file_bytes) AS bytes FROM video_tasks
  INDEXED BY video_tasks_films`;

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class SqliteVideoStore implements Synchronous<typeof STORES.videos> {
  readonly #database: DatabaseSync;
  /** By their SQL: one for each shape of a query. */
  readonly #lists: Map<string, StatementSync> = new Map();
  readonly #sql;

  constructor(database: DatabaseSync) {
    this.#database = database;
    const select = `SELECT ${TASK_SELECTION} FROM video_tasks`;
    this.#sql = prepareAll(database, {
      find: `${select} WHERE id = ?`,
      open: `${select} INDEXED BY video_tasks_open
        WHERE ${IS_OPEN} AND call_id > ? ORDER BY call_id LIMIT ?`,
      unusedRepeat: `${select} INDEXED BY video_tasks_unused_ids
        WHERE is_id_used = 0 AND project_id = ? AND fingerprint = ? AND created_at >= ?
        ORDER BY created_at DESC, call_id DESC LIMIT 1`,
      mayHaveContent: `SELECT 1 FROM video_tasks
        WHERE id = ? AND status <> 'failed' AND file_removed_at IS NULL`,
      expired: `${select} INDEXED BY video_tasks_expiry WHERE ${HAS_CONTENT} AND expires_at <= ?
        AND (expires_at, call_id) > (?, ?) ORDER BY expires_at, call_id LIMIT ?`,
      removableVideos:
        `${select} INDEXED BY video_tasks_films WHERE project_id = ? AND ${HAS_CONTENT}
        AND fetched_at IS NOT NULL AND completed_at <= ?
        AND (completed_at, call_id) > (?, ?) ORDER BY completed_at, call_id LIMIT ?`,
      // They add up an index of the films that are kept, so that no task is read.
      keptBytes: `${SUM_OF_CONTENT} WHERE ${HAS_CONTENT} GROUP BY project_id`,
      removableBytes: `${SUM_OF_CONTENT} WHERE ${HAS_CONTENT} AND fetched_at IS NOT NULL
        AND completed_at <= ? GROUP BY project_id`,
      pauses: `SELECT value FROM meta WHERE name = '${PAUSES}'`,
      putPauses: `INSERT INTO meta (name, value) VALUES ('${PAUSES}', ?)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      insert: insertSql("video_tasks", TASK_COLUMNS),
      replace: replaceSql(),
      delete: "DELETE FROM video_tasks WHERE id = ? AND revision = ? RETURNING call_id",
    });
  }

  find(taskId: string): VideoTask | undefined {
    return toTask(this.#sql.find.get(taskId));
  }

  list(query: VideoQuery): readonly VideoTask[] {
    const { projectId, status, order, limit } = query;
    const after = query.afterCallId ?? (order === "asc" ? 0 : Number.MAX_SAFE_INTEGER);
    const values = [projectId, status].filter((value) => value !== undefined);
    return toTasks(this.#list(query).all(...values, after, limit));
  }

  open(afterCallId: number, limit: number): readonly VideoTask[] {
    return toTasks(this.#sql.open.all(afterCallId, limit));
  }

  unusedRepeat(
    { projectId, fingerprint, sinceMs }: Parameters<VideoStore["unusedRepeat"]>[0],
  ): VideoTask | undefined {
    return toTask(this.#sql.unusedRepeat.get(projectId, fingerprint, sinceMs));
  }

  idsWithoutContent(taskIds: readonly string[]): readonly string[] {
    return taskIds.filter((id) => this.#sql.mayHaveContent.get(id) === undefined);
  }

  expired(page: ContentPage): readonly VideoTask[] {
    return toTasks(this.#sql.expired.all(...pageValues(page)));
  }

  removableVideos(projectId: string, page: ContentPage): readonly VideoTask[] {
    return toTasks(this.#sql.removableVideos.all(projectId, ...pageValues(page)));
  }

  keptBytes(): readonly ProjectBytes[] {
    return toProjectBytes(this.#sql.keptBytes.all());
  }

  removableBytes(untilMs: number): readonly ProjectBytes[] {
    return toProjectBytes(this.#sql.removableBytes.all(untilMs));
  }

  pauses(): readonly VideoPause[] {
    const stored = this.#sql.pauses.get()?.value as string | undefined;
    const pauses = JSON.parse(stored ?? "[]") as VideoPause[];
    // JSON has no undefined: the key is there all the same.
    return pauses.map((pause) => ({ ...pause, reason: pause.reason }));
  }

  /** Replaces all pauses of the queue. */
  putPauses(pauses: readonly VideoPause[]): void {
    this.#sql.putPauses.run(JSON.stringify(pauses));
  }

  /** Adds a task. Throws when its id or its call's task exists. */
  insert(task: VideoTask): void {
    this.#sql.insert.run(...TASK_ORIGIN.values(task), ...TASK_STATE.values(task));
  }

  /** Replaces what may change; `false` unless the revision before is stored and the task may follow it. */
  replace(task: VideoTask): boolean {
    return this.#sql.replace.run(task.id, task.callId, ...TASK_STATE.values(task)).changes === 1;
  }

  /** Removes a task of this revision and gives its call's id; `undefined` if there is none. */
  delete(taskId: string, revision: number): number | undefined {
    return this.#sql.delete.get(taskId, revision)?.call_id as number | undefined;
  }

  #list(query: VideoQuery): StatementSync {
    const sql = listSql(query);
    let statement = this.#lists.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#lists.set(sql, statement);
    }
    return statement;
  }
}

/** Names the index: SQLite would rather look for a project's task among all of a status. */
function listSql({ projectId, status, order }: VideoQuery): string {
  const index = projectId !== undefined
    ? "INDEXED BY video_tasks_by_project"
    : status !== undefined
    ? "INDEXED BY video_tasks_by_status"
    : "NOT INDEXED";
  const conditions = [
    ...(projectId === undefined ? [] : ["project_id = ?"]),
    ...(status === undefined ? [] : ["status = ?"]),
    order === "asc" ? "call_id > ?" : "call_id < ?",
  ].join(" AND ");
  return `SELECT ${TASK_SELECTION} FROM video_tasks ${index}
    WHERE ${conditions} ORDER BY call_id ${order === "asc" ? "ASC" : "DESC"} LIMIT ?`;
}

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
    WHERE id = ?1 AND call_id = ?2 AND revision = ${parameter("revision")} - 1
    AND progress <= ${parameter("progress")}
    AND (status = ${next} OR ${transitions.join(" OR ")})`;
}

function toTask(row: unknown): VideoTask | undefined {
  return row === undefined ? undefined : taskFromRow(row);
}

function toProjectBytes(rows: unknown[]): ProjectBytes[] {
  return (rows as ProjectBytes[]).map(({ projectId, bytes }) => ({ projectId, bytes }));
}

function toTasks(rows: unknown[]): VideoTask[] {
  return rows.map(taskFromRow);
}
