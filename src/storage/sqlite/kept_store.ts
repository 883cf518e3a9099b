/**
 * What projects keep, as sums that change together with what they count.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { DatedBytes, KeptBytes, KeptState } from "../../domain/kept_bytes.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";

/** What is more or, below 0, less than before. */
export interface KeptChange {
  readonly answers?: number;
  readonly responses?: number;
  readonly unfinished?: number;
}

/** Whose a row is, and how many bytes it counts for. */
export interface SizedRow {
  readonly project_id: string;
  readonly bytes: number;
}

interface KeptRow {
  readonly project_id: string;
  readonly answers: number;
  readonly responses: number;
  readonly unfinished: number;
}

interface DatedRow {
  readonly created_at: number;
  readonly bytes: number;
}

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class SqliteKeptStore implements Synchronous<typeof STORES.kept> {
  readonly #all: StatementSync;
  readonly #find: StatementSync;
  readonly #add: StatementSync;
  readonly #since: StatementSync;
  readonly #freePages: StatementSync;
  readonly #pageBytes: number;
  /** Sums that have changed since the entry began, by project. */
  readonly #changed = new Map<string, KeptBytes>();

  constructor(database: DatabaseSync) {
    const columns = "project_id, answers, responses, unfinished";
    this.#all = database.prepare(`SELECT ${columns} FROM kept_bytes`);
    this.#find = database.prepare(`SELECT ${columns} FROM kept_bytes WHERE project_id = ?`);
    // A sum below nothing would keep a call from being written: it cannot be worth that.
    this.#add = database.prepare(
      `INSERT INTO kept_bytes (project_id, answers, responses, unfinished)
       VALUES (?1, max(0, ?2), max(0, ?3), max(0, ?4))
       ON CONFLICT (project_id) DO UPDATE SET
         answers = max(0, answers + ?2),
         responses = max(0, responses + ?3),
         unfinished = max(0, unfinished + ?4)
       RETURNING ${columns}`,
    );
    this.#since = database.prepare(
      `SELECT created_at, octet_length(input) + octet_length(body) AS bytes
       FROM stored_responses INDEXED BY stored_responses_by_age
       WHERE project_id = ? AND created_at >= ?`,
    );
    this.#freePages = database.prepare("PRAGMA freelist_count");
    this.#pageBytes = database.prepare("PRAGMA page_size").get()!.page_size as number;
  }

  load(): KeptState {
    return this.#stateOf((this.#all.all() as unknown as KeptRow[]).map(keptFromRow));
  }

  since(timeMs: number): readonly DatedBytes[] {
    const keeping = (this.#all.all() as unknown as KeptRow[]).filter((row) => row.responses > 0);
    return keeping.flatMap(({ project_id: projectId }) =>
      (this.#since.all(projectId, timeMs) as unknown as DatedRow[]).map((
        { created_at: createdAt, bytes },
      ) => ({ projectId, createdAt, bytes }))
    );
  }

  /** Bytes of everything that a project keeps. */
  bytesOf(projectId: string): number {
    const row = this.#find.get(projectId) as unknown as KeptRow | undefined;
    return row === undefined ? 0 : row.answers + row.responses;
  }

  /** Changes the sums of a project. */
  add(projectId: string, { answers = 0, responses = 0, unfinished = 0 }: KeptChange): void {
    if (answers === 0 && responses === 0 && unfinished === 0) return;
    const row = this.#add.get(projectId, answers, responses, unfinished);
    this.#changed.set(projectId, keptFromRow(row as unknown as KeptRow));
  }

  /** Counts rows no more that were removed. */
  remove(rows: readonly SizedRow[], counted: "answers" | "responses"): void {
    const sums = new Map<string, number>();
    for (const { project_id: id, bytes } of rows) sums.set(id, (sums.get(id) ?? 0) + bytes);
    for (const [projectId, bytes] of sums) this.add(projectId, { [counted]: -bytes });
  }

  /** Forgets what an entry has changed that came to nothing. */
  begin(): void {
    this.#changed.clear();
  }

  /** The sums that the entry has changed; `undefined` for none. */
  get changes(): KeptState | undefined {
    return this.#changed.size === 0 ? undefined : this.#stateOf([...this.#changed.values()]);
  }

  #stateOf(projects: readonly KeptBytes[]): KeptState {
    const pages = this.#freePages.get()!.freelist_count as number;
    return { projects, reusableBytes: pages * this.#pageBytes };
  }
}

function keptFromRow(
  { project_id: projectId, answers, responses, unfinished }: KeptRow,
): KeptBytes {
  return { projectId, answers, responses, unfinished };
}
