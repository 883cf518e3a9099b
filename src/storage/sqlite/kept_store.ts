/**
 * What projects keep, as sums that change together with what they count.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { DatedBytes, KeptBytes, KeptState } from "../../domain/kept_bytes.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import { prepareAll } from "./statements.ts";
import { KEPT, type KeptChange, type SizedRow } from "../rows/kept_row.ts";

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class SqliteKeptStore implements Synchronous<typeof STORES.kept> {
  readonly #sql;
  readonly #pageBytes: number;
  /** Sums that have changed since the entry began, by project. */
  readonly #changed = new Map<string, KeptBytes>();

  constructor(database: DatabaseSync) {
    this.#sql = prepareAll(database, {
      all: `SELECT ${KEPT.names} FROM kept_bytes`,
      find: `SELECT ${KEPT.names} FROM kept_bytes WHERE project_id = ?`,
      // A sum below nothing would keep a call from being written: it cannot be worth that.
      add: `INSERT INTO kept_bytes (${KEPT.names})
        VALUES (?1, max(0, ?2), max(0, ?3), max(0, ?4))
        ON CONFLICT (project_id) DO UPDATE SET
          answers = max(0, answers + ?2),
          responses = max(0, responses + ?3),
          unfinished = max(0, unfinished + ?4)
        RETURNING ${KEPT.names}`,
      since: `SELECT created_at AS createdAt, octet_length(input) + octet_length(body) AS bytes
        FROM stored_responses INDEXED BY stored_responses_by_age
        WHERE project_id = ? AND created_at >= ?`,
      freePages: "PRAGMA freelist_count",
    });
    this.#pageBytes = database.prepare("PRAGMA page_size").get()!.page_size as number;
  }

  load(): KeptState {
    return this.#stateOf(this.#all());
  }

  since(timeMs: number): readonly DatedBytes[] {
    return this.#all().filter(({ responses }) => responses > 0).flatMap(({ projectId }) => {
      const rows = this.#sql.since.all(projectId, timeMs) as unknown as Omit<
        DatedBytes,
        "projectId"
      >[];
      return rows.map((row) => ({ projectId, ...row }));
    });
  }

  /** Bytes of everything that a project keeps. */
  bytesOf(projectId: string): number {
    const kept = KEPT.readIfAny(this.#sql.find.get(projectId));
    return kept === undefined ? 0 : kept.answers + kept.responses;
  }

  /** Changes the sums of a project. */
  add(projectId: string, { answers = 0, responses = 0, unfinished = 0 }: KeptChange): void {
    if (answers === 0 && responses === 0 && unfinished === 0) return;
    const row = this.#sql.add.get(projectId, answers, responses, unfinished);
    this.#changed.set(projectId, KEPT.read(row));
  }

  /** Counts rows no more that were removed. */
  remove(rows: readonly SizedRow[], counted: "answers" | "responses"): void {
    const sums = new Map<string, number>();
    for (const { project_id: id, bytes } of rows) sums.set(id, (sums.get(id) ?? 0) + bytes);
    for (const [projectId, bytes] of sums) this.add(projectId, { [counted]: -bytes });
  }

  /** Forgets what an entry has changed that came to nothing. */
  begin(): void {
    // Of nearly every entry there is nothing, and emptying a map makes a new one.
    if (this.#changed.size > 0) this.#changed.clear();
  }

  /** The sums that the entry has changed; `undefined` for none. */
  get changes(): KeptState | undefined {
    return this.#changed.size === 0 ? undefined : this.#stateOf([...this.#changed.values()]);
  }

  #all(): readonly KeptBytes[] {
    return this.#sql.all.all().map((row) => KEPT.read(row));
  }

  #stateOf(projects: readonly KeptBytes[]): KeptState {
    const pages = this.#sql.freePages.get()!.freelist_count as number;
    return { projects, reusableBytes: pages * this.#pageBytes };
  }
}
