/**
 * What projects keep, as sums that change together with what they count.
 *
 * @module
 */

import type { DatedBytes, KeptBytes, KeptState } from "../../domain/kept_bytes.ts";
import type { Asynchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import { KEPT, type KeptChange, type SizedRow } from "../rows/kept_row.ts";
import type { Ask, AskedRow } from "./ask.ts";

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class PostgresKeptStore implements Asynchronous<typeof STORES.kept> {
  readonly #ask: Ask;
  /** Sums that have changed since the entry began, by project. */
  readonly #changed = new Map<string, KeptBytes>();

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async load(): Promise<KeptState> {
    const rows = await this.#ask.all(`SELECT ${KEPT.names} FROM kept_bytes ORDER BY project_id`);
    return stateOf(rows.map((row) => KEPT.read(row)));
  }

  async since(timeMs: number): Promise<readonly DatedBytes[]> {
    const rows = await this.#ask.all(
      `SELECT project_id AS "projectId", created_at AS "createdAt",
         octet_length(input) + octet_length(body) AS bytes
       FROM stored_responses WHERE created_at >= ?
         AND project_id IN (SELECT project_id FROM kept_bytes WHERE responses > 0)
       ORDER BY project_id, created_at`,
      timeMs,
    );
    return rows as unknown as readonly DatedBytes[];
  }

  /** Bytes of everything that a project keeps. */
  async bytesOf(projectId: string): Promise<number> {
    const sql = "SELECT answers + responses AS bytes FROM kept_bytes WHERE project_id = ?";
    return ((await this.#ask.get(sql, projectId))?.bytes ?? 0) as number;
  }

  /** Changes the sums of a project. */
  async add(
    projectId: string,
    { answers = 0, responses = 0, unfinished = 0 }: KeptChange,
  ): Promise<void> {
    if (answers === 0 && responses === 0 && unfinished === 0) return;
    // A sum below nothing would keep a call from being written: it cannot be worth that.
    const row = await this.#ask.get(
      `INSERT INTO kept_bytes AS kept (${KEPT.names})
       VALUES (?1, greatest(0, ?2::bigint), greatest(0, ?3::bigint), greatest(0, ?4::bigint))
       ON CONFLICT (project_id) DO UPDATE SET
         answers = greatest(0, kept.answers + ?2),
         responses = greatest(0, kept.responses + ?3),
         unfinished = greatest(0, kept.unfinished + ?4)
       RETURNING ${KEPT.names}`,
      projectId,
      answers,
      responses,
      unfinished,
    );
    this.#changed.set(projectId, KEPT.read(row));
  }

  /** Counts rows no more that were removed. */
  async remove(rows: readonly SizedRow[], counted: "answers" | "responses"): Promise<void> {
    const sums = new Map<string, number>();
    for (const { project_id: id, bytes } of rows) sums.set(id, (sums.get(id) ?? 0) + bytes);
    for (const [projectId, bytes] of sums) await this.add(projectId, { [counted]: -bytes });
  }

  /** Forgets what an entry has changed that came to nothing. */
  begin(): void {
    this.#changed.clear();
  }

  /** The sums that the entry has changed; `undefined` for none. */
  get changes(): KeptState | undefined {
    return this.#changed.size === 0 ? undefined : stateOf([...this.#changed.values()]);
  }
}

/** Rows with their sizes. */
export function sized(rows: readonly AskedRow[]): readonly SizedRow[] {
  return rows as unknown as readonly SizedRow[];
}

/** What a server has free in its files is its own. */
function stateOf(projects: readonly KeptBytes[]): KeptState {
  return { projects, reusableBytes: 0 };
}
