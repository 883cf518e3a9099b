/**
 * Projects and keys.
 *
 * @module
 */

import type { Balance, Project, ProjectKey } from "../../domain/account.ts";
import type { LastBalance } from "../ports/books.ts";
import type { Asynchronous } from "../ports/operations.ts";
import type { KeyQuery, STORES } from "../ports/storage.ts";
import { KEY, PROJECT } from "../rows/account_rows.ts";
import type { Ask, AskedRow } from "./ask.ts";

/** Rows per statement when everything is loaded: no statement runs long. */
const PAGE = 20_000;

const PAGED = `WHERE id > ? ORDER BY id LIMIT ${PAGE}`;

/** With what nodes have leased of them. */
const BALANCES = `SELECT id,
    avail_e8 + coalesce((SELECT sum(left_e8) FROM leases WHERE project_id = id), 0)::bigint AS avail_e8,
    held_e8 + coalesce((SELECT sum(held_e8) FROM leases WHERE project_id = id), 0)::bigint AS held_e8
  FROM projects`;

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class PostgresAccountStore implements Asynchronous<typeof STORES.accounts> {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async loadProjects(): Promise<readonly Project[]> {
    const sql = `SELECT ${PROJECT.names} FROM projects ${PAGED}`;
    const rows = await pages((after) => this.#ask.all(sql, after));
    return rows.map((row) => PROJECT.read(row));
  }

  async loadKeys(): Promise<readonly ProjectKey[]> {
    const sql = `SELECT ${KEY.names} FROM keys ${PAGED}`;
    return (await pages((after) => this.#ask.all(sql, after))).map((row) => KEY.read(row));
  }

  async loadBalances(): Promise<readonly Balance[]> {
    const sql = `${BALANCES} ${PAGED}`;
    const rows = await pages((after) => this.#ask.allWide(sql, after));
    return rows.map(balanceFrom);
  }

  async balances(projectIds: readonly string[]): Promise<readonly Balance[]> {
    const rows = await this.#ask.allWide(`${BALANCES} WHERE id = ANY(?) ORDER BY id`, projectIds);
    return rows.map(balanceFrom);
  }

  async lastBalances(): Promise<readonly LastBalance[]> {
    const rows = await this.#ask.allWide(
      `SELECT project_id, sum(balance_after_e8) AS total_e8 FROM ledger
       WHERE (book, project_id, seq) IN (
         SELECT book, project_id, max(seq) FROM ledger GROUP BY book, project_id)
       GROUP BY project_id`,
    );
    return rows.map((row) => ({
      projectId: row.project_id as string,
      totalE8: row.total_e8 as bigint,
    }));
  }

  async projectIds(after: string | undefined, limit: number): Promise<readonly string[]> {
    return idsOf(
      await this.#ask.all(
        "SELECT id FROM projects WHERE id > ? ORDER BY id LIMIT ?",
        after ?? "",
        limit,
      ),
    );
  }

  async keyIds({ projectId, after, limit }: KeyQuery): Promise<readonly string[]> {
    const { createdAt, id } = after ?? { createdAt: -1, id: "" };
    return idsOf(
      projectId === undefined
        ? await this.#ask.all(
          `SELECT id FROM keys WHERE (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?`,
          createdAt,
          id,
          limit,
        )
        : await this.#ask.all(
          `SELECT id FROM keys WHERE project_id = ? AND (created_at, id) > (?, ?)
           ORDER BY created_at, id LIMIT ?`,
          projectId,
          createdAt,
          id,
          limit,
        ),
    );
  }

  /** Adds a project without balance. Rejects when it exists. */
  async insertProject(project: Project): Promise<void> {
    await this.#ask.run(PROJECT.insertInto("projects"), ...PROJECT.values(project));
  }

  /** Replaces a project's settings; `false` if there is none. The balance stays. */
  async updateProject(project: Project): Promise<boolean> {
    const sql = `UPDATE projects SET ${PROJECT.assignments} WHERE id = ?1`;
    return await this.#ask.run(sql, ...PROJECT.values(project)) === 1;
  }

  /** Rejects when the id or hash exists, or the project does not. */
  async insertKey(key: ProjectKey): Promise<void> {
    await this.#ask.run(KEY.insertInto("keys"), ...KEY.values(key));
  }

  /** Replaces a key's settings; `false` if there is none. */
  async updateKey(key: ProjectKey): Promise<boolean> {
    const sql = `UPDATE keys SET ${KEY.assignments} WHERE id = ?1`;
    return await this.#ask.run(sql, ...KEY.values(key)) === 1;
  }

  /** Removes a key; `false` if there is none. */
  async deleteKey(keyId: string): Promise<boolean> {
    return await this.#ask.run("DELETE FROM keys WHERE id = ?", keyId) === 1;
  }
}

function balanceFrom(row: AskedRow): Balance {
  return {
    projectId: row.id as string,
    avail: row.avail_e8 as bigint,
    held: row.held_e8 as bigint,
  };
}

async function pages(read: (after: string) => Promise<readonly AskedRow[]>): Promise<AskedRow[]> {
  const rows: AskedRow[] = [];
  for (let after = "";;) {
    const page = await read(after);
    for (const row of page) rows.push(row);
    if (page.length < PAGE) return rows;
    after = page[page.length - 1]!.id as string;
  }
}

function idsOf(rows: readonly AskedRow[]): readonly string[] {
  return rows.map(({ id }) => id as string);
}
