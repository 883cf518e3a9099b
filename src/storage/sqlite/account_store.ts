/**
 * Projects and keys as rows.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Balance, Project, ProjectKey } from "../../domain/account.ts";
import type { Limits } from "../../domain/catalogue.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { LastBalance } from "../ports/books.ts";
import type { KeyQuery, STORES } from "../ports/storage.ts";
import { single } from "../rows/row_of.ts";
import { prepareAll, prepareBigInts } from "./statements.ts";
import { KEY, keyRow, PROJECT } from "../rows/account_rows.ts";

/** Rows per statement when everything is loaded: no statement runs long. */
const PAGE = 20_000;

interface BalanceRow {
  readonly id: string;
  readonly avail_e8: bigint;
  readonly held_e8: bigint;
}

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class SqliteAccountStore implements Synchronous<typeof STORES.accounts> {
  readonly #sql;
  /** Those that read amounts. */
  readonly #wide;

  constructor(database: DatabaseSync) {
    const page = `WHERE id > ? ORDER BY id LIMIT ${PAGE}`;
    this.#sql = prepareAll(database, {
      projects: `SELECT ${PROJECT.names} FROM projects ${page}`,
      keys: `SELECT ${KEY.names} FROM keys ${page}`,
      projectIds: "SELECT id FROM projects WHERE id > ? ORDER BY id LIMIT ?",
      keyIds: `SELECT id FROM keys INDEXED BY keys_by_creation
        WHERE (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?`,
      keyIdsOfProject: `SELECT id FROM keys INDEXED BY keys_by_project
        WHERE project_id = ? AND (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?`,
      insertProject: PROJECT.insertInto("projects"),
      updateProject: `UPDATE projects SET ${PROJECT.assignments} WHERE id = ?1`,
      insertKey: KEY.insertInto("keys"),
      updateKey: `UPDATE keys SET ${KEY.assignments} WHERE id = ?1`,
      deleteKey: "DELETE FROM keys WHERE id = ?",
    });
    this.#wide = prepareBigInts(database, {
      balances: `SELECT id, avail_e8, held_e8 FROM projects ${page}`,
      balance: "SELECT avail_e8, held_e8 FROM projects WHERE id = ?",
      // With max(), SQLite takes the other columns from the row that has the maximum. Rows that are
      // archived and not dropped yet say the same as their checkpoint, or something older.
      lastBalances: `SELECT project_id, max(seq), balance_after_e8 FROM (
          SELECT project_id, seq, balance_after_e8 FROM ledger
          WHERE seq > coalesce((SELECT max(last_seq) FROM checkpoints), 0)
          UNION ALL
          SELECT closing.key, 0, CAST(closing.value ->> 'closing_e8' AS INTEGER)
          FROM checkpoints, json_each(document, '$.projects') AS closing
          WHERE number = (SELECT max(number) FROM checkpoints))
        GROUP BY project_id`,
    });
  }

  loadProjects(): readonly Project[] {
    return this.#page(this.#sql.projects).map((row) => PROJECT.read(row));
  }

  loadKeys(): readonly ProjectKey[] {
    // Many keys have the same limits: they share one parsed object.
    const parsed = new Map<string, Limits>();
    const shared = keyRow(single(() => null, (stored) => {
      const known = parsed.get(stored as string);
      if (known !== undefined) return known;
      const limits = JSON.parse(stored as string) as Limits;
      parsed.set(stored as string, limits);
      return limits;
    }));
    return this.#page(this.#sql.keys).map((row) => shared.read(row));
  }

  loadBalances(): readonly Balance[] {
    return this.#page<BalanceRow>(this.#wide.balances).map((row) => ({
      projectId: row.id,
      avail: row.avail_e8,
      held: row.held_e8,
    }));
  }

  balances(projectIds: readonly string[]): readonly Balance[] {
    return projectIds.toSorted().flatMap((id) => {
      const row = this.#wide.balance.get(id);
      if (row === undefined) return [];
      return [{ projectId: id, avail: row.avail_e8 as bigint, held: row.held_e8 as bigint }];
    });
  }

  lastBalances(): readonly LastBalance[] {
    return this.#wide.lastBalances.all().map((row) => ({
      projectId: row.project_id as string,
      totalE8: row.balance_after_e8 as bigint,
    }));
  }

  projectIds(after: string | undefined, limit: number): readonly string[] {
    return idsOf(this.#sql.projectIds.all(after ?? "", limit));
  }

  keyIds({ projectId, after, limit }: KeyQuery): readonly string[] {
    const { createdAt, id } = after ?? { createdAt: -1, id: "" };
    return idsOf(
      projectId === undefined
        ? this.#sql.keyIds.all(createdAt, id, limit)
        : this.#sql.keyIdsOfProject.all(projectId, createdAt, id, limit),
    );
  }

  /** Adds a project without balance. Throws when it exists. */
  insertProject(project: Project): void {
    this.#sql.insertProject.run(...PROJECT.values(project));
  }

  /** Replaces a project's settings; `false` if there is none. The balance stays. */
  updateProject(project: Project): boolean {
    return this.#sql.updateProject.run(...PROJECT.values(project)).changes === 1;
  }

  /** Throws when the id or hash exists, or the project does not. */
  insertKey(key: ProjectKey): void {
    this.#sql.insertKey.run(...KEY.values(key));
  }

  /** Replaces a key's settings; `false` if there is none. */
  updateKey(key: ProjectKey): boolean {
    return this.#sql.updateKey.run(...KEY.values(key)).changes === 1;
  }

  /** Removes a key; `false` if there is none. */
  deleteKey(keyId: string): boolean {
    return this.#sql.deleteKey.run(keyId).changes === 1;
  }

  #page<Row extends { readonly id: string }>(statement: StatementSync): Row[] {
    const rows: Row[] = [];
    for (let after = "";;) {
      const page = statement.all(after) as unknown as Row[];
      for (const row of page) rows.push(row);
      if (page.length < PAGE) return rows;
      after = page[page.length - 1]!.id;
    }
  }
}

function idsOf(rows: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  return rows.map(({ id }) => id as string);
}
