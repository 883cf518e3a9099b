/**
 * Projects and keys as rows.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Balance, Project, ProjectKey, Quotas } from "../../domain/account.ts";
import type { Budgets } from "../../domain/budgets.ts";
import type { Limits } from "../../domain/catalogue.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { LastBalance } from "../ports/books.ts";
import type { KeyQuery, STORES } from "../ports/storage.ts";
import { lastBalances } from "./last_balances.ts";
import { formatAmount, parseAmount } from "../../domain/money.ts";

const PROJECT_COLUMNS = "id, unlimited, disabled, models, limits, budgets, quotas, created_at";
const KEY_COLUMNS =
  "id, project_id, name, prefix, hash, models, limits, budgets, expires_at, disabled, created_at";

/** Most projects and keys share them. */
const NO_BUDGETS: Budgets = Object.freeze({});
const NO_QUOTAS: Quotas = Object.freeze({});

/** Rows per statement when everything is loaded: no statement runs long. */
const PAGE = 20_000;

interface ProjectRow {
  readonly id: string;
  readonly unlimited: number;
  readonly disabled: number;
  readonly models: string;
  readonly limits: string;
  readonly budgets: string;
  readonly quotas: string;
  readonly created_at: number;
}

interface KeyRow {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  readonly prefix: string;
  readonly hash: string;
  readonly models: string | null;
  readonly limits: string;
  readonly budgets: string;
  readonly expires_at: number | null;
  readonly disabled: number;
  readonly created_at: number;
}

interface BalanceRow {
  readonly id: string;
  readonly avail_e8: bigint;
  readonly held_e8: bigint;
}

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class SqliteAccountStore implements Synchronous<typeof STORES.accounts> {
  readonly #database: DatabaseSync;
  readonly #projects: StatementSync;
  readonly #keys: StatementSync;
  readonly #balances: StatementSync;
  readonly #projectIds: StatementSync;
  readonly #keyIds: StatementSync;
  readonly #keyIdsOfProject: StatementSync;
  readonly #insertProject: StatementSync;
  readonly #updateProject: StatementSync;
  readonly #insertKey: StatementSync;
  readonly #updateKey: StatementSync;
  readonly #deleteKey: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#projects = database.prepare(
      `SELECT ${PROJECT_COLUMNS} FROM projects WHERE id > ? ORDER BY id LIMIT ${PAGE}`,
    );
    this.#keys = database.prepare(
      `SELECT ${KEY_COLUMNS} FROM keys WHERE id > ? ORDER BY id LIMIT ${PAGE}`,
    );
    this.#balances = database.prepare(
      `SELECT id, avail_e8, held_e8 FROM projects WHERE id > ? ORDER BY id LIMIT ${PAGE}`,
    );
    this.#balances.setReadBigInts(true);
    this.#projectIds = database.prepare(
      "SELECT id FROM projects WHERE id > ? ORDER BY id LIMIT ?",
    );
    this.#keyIds = database.prepare(
      `SELECT id FROM keys INDEXED BY keys_by_creation
       WHERE (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?`,
    );
    this.#keyIdsOfProject = database.prepare(
      `SELECT id FROM keys INDEXED BY keys_by_project
       WHERE project_id = ? AND (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?`,
    );
    this.#insertProject = database.prepare(
      `INSERT INTO projects (unlimited, disabled, models, limits, budgets, quotas, created_at, id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#updateProject = database.prepare(
      `UPDATE projects SET unlimited = ?, disabled = ?, models = ?, limits = ?, budgets = ?,
       quotas = ?, created_at = ? WHERE id = ?`,
    );
    this.#insertKey = database.prepare(
      `INSERT INTO keys (project_id, name, prefix, hash, models, limits, budgets, expires_at, disabled,
         created_at, id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#updateKey = database.prepare(
      `UPDATE keys SET project_id = ?, name = ?, prefix = ?, hash = ?, models = ?, limits = ?, budgets = ?,
       expires_at = ?, disabled = ?, created_at = ? WHERE id = ?`,
    );
    this.#deleteKey = database.prepare("DELETE FROM keys WHERE id = ?");
  }

  loadProjects(): readonly Project[] {
    return this.#page<ProjectRow>(this.#projects).map(projectFromRow);
  }

  loadKeys(): readonly ProjectKey[] {
    const limits = new Map<string, Limits>();
    const rows = this.#page<KeyRow>(this.#keys);
    return rows.map((row) => keyFromRow(row, limits));
  }

  loadBalances(): readonly Balance[] {
    return this.#page<BalanceRow>(this.#balances).map((row) => ({
      projectId: row.id,
      avail: row.avail_e8,
      held: row.held_e8,
    }));
  }

  lastBalances(): readonly LastBalance[] {
    return lastBalances(this.#database);
  }

  projectIds(after: string | undefined, limit: number): readonly string[] {
    return idsOf(this.#projectIds.all(after ?? "", limit));
  }

  keyIds({ projectId, after, limit }: KeyQuery): readonly string[] {
    const { createdAt, id } = after ?? { createdAt: -1, id: "" };
    return idsOf(
      projectId === undefined
        ? this.#keyIds.all(createdAt, id, limit)
        : this.#keyIdsOfProject.all(projectId, createdAt, id, limit),
    );
  }

  /** Adds a project without balance. Throws when it exists. */
  insertProject(project: Project): void {
    this.#insertProject.run(...projectValues(project));
  }

  /** Replaces a project's settings; `false` if there is none. The balance stays. */
  updateProject(project: Project): boolean {
    return this.#updateProject.run(...projectValues(project)).changes === 1;
  }

  /** Throws when the id or hash exists, or the project does not. */
  insertKey(key: ProjectKey): void {
    this.#insertKey.run(...keyValues(key));
  }

  /** Replaces a key's settings; `false` if there is none. */
  updateKey(key: ProjectKey): boolean {
    return this.#updateKey.run(...keyValues(key)).changes === 1;
  }

  /** Removes a key; `false` if there is none. */
  deleteKey(keyId: string): boolean {
    return this.#deleteKey.run(keyId).changes === 1;
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

function projectValues(project: Project): (string | number)[] {
  return [
    project.unlimited ? 1 : 0,
    project.disabled ? 1 : 0,
    JSON.stringify(project.models),
    JSON.stringify(project.limits),
    budgetsToText(project.budgets),
    JSON.stringify(project.quotas),
    project.createdAt,
    project.id,
  ];
}

function projectFromRow(row: ProjectRow): Project {
  return {
    id: row.id,
    unlimited: row.unlimited === 1,
    disabled: row.disabled === 1,
    models: JSON.parse(row.models),
    limits: JSON.parse(row.limits),
    budgets: budgetsFromText(row.budgets),
    quotas: row.quotas === "{}" ? NO_QUOTAS : JSON.parse(row.quotas),
    createdAt: row.created_at,
  };
}

function keyValues(key: ProjectKey): (string | number | null)[] {
  return [
    key.projectId,
    key.name,
    key.prefix,
    key.hash,
    key.models === undefined ? null : JSON.stringify(key.models),
    JSON.stringify(key.limits),
    budgetsToText(key.budgets),
    key.expiresAt ?? null,
    key.disabled ? 1 : 0,
    key.createdAt,
    key.id,
  ];
}

/** Many keys have the same limits: they share one parsed object. */
function keyFromRow(row: KeyRow, parsedLimits: Map<string, Limits>): ProjectKey {
  let limits = parsedLimits.get(row.limits);
  if (limits === undefined) {
    limits = JSON.parse(row.limits) as Limits;
    parsedLimits.set(row.limits, limits);
  }
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    prefix: row.prefix,
    hash: row.hash,
    models: row.models === null ? undefined : JSON.parse(row.models),
    limits,
    budgets: budgetsFromText(row.budgets),
    expiresAt: row.expires_at ?? undefined,
    disabled: row.disabled === 1,
    createdAt: row.created_at,
  };
}

/** Amounts are decimal strings, as everywhere outside the program. */
function budgetsToText(budgets: Budgets): string {
  const amount = (value: bigint | undefined) =>
    value === undefined ? undefined : formatAmount(value);
  return JSON.stringify({
    daily: amount(budgets.dailyE8),
    monthly: amount(budgets.monthlyE8),
    brake_times: budgets.brakeTimes,
    brake_floor: amount(budgets.brakeFloorE8),
  });
}

function budgetsFromText(text: string): Budgets {
  if (text === "{}") return NO_BUDGETS;
  const { daily, monthly, brake_times: brakeTimes, brake_floor: brakeFloor } = JSON.parse(text);
  return {
    ...(daily !== undefined && { dailyE8: parseAmount(daily) }),
    ...(monthly !== undefined && { monthlyE8: parseAmount(monthly) }),
    ...(brakeTimes !== undefined && { brakeTimes }),
    ...(brakeFloor !== undefined && { brakeFloorE8: parseAmount(brakeFloor) }),
  };
}
