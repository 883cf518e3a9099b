/**
 * The statements of the writer, prepared once.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { CALL_COLUMNS } from "./call_row.ts";
import { LEDGER_COLUMNS } from "./ledger_row.ts";
import { cappedAddSql } from "./wide_sum.ts";

/** Every statement that entries about money need. Amounts are read as BigInt. */
export interface WriteStatements {
  readonly readBalance: StatementSync;
  readonly writeBalance: StatementSync;
  readonly readCall: StatementSync;
  /** Takes the row's values and its session; changes nothing if there is such a call. */
  readonly insertCall: StatementSync;
  /** Takes the row's values; changes nothing unless the same hold is open. */
  readonly closeCall: StatementSync;
  /** Takes the row's values; changes nothing unless the call is open. */
  readonly reopenCall: StatementSync;
  readonly insertLedger: StatementSync;
  readonly lastSeq: StatementSync;
  readonly findReference: StatementSync;
  readonly addUsage: StatementSync;
  readonly addSpend: StatementSync;
  readonly coverUsage: StatementSync;
}

/** The entry of `meta` with the last ledger row whose call is in the hourly sums. */
export const COVERED = "usage_covers_ledger_seq";

/** Prepares the writer's statements on its connection. */
export function prepareWriteStatements(database: DatabaseSync): WriteStatements {
  const callColumns = [...CALL_COLUMNS, "checksum"];
  const ledgerColumns = [...LEDGER_COLUMNS, "checksum"];
  const numbered = callColumns.map((column, index) => `${column} = ?${index + 1}`);
  const setCall = numbered.slice(1).join(", ");
  const sameHold = ["call_id", "project_id", "held_e8", "unlimited"]
    .map((column) => numbered[callColumns.indexOf(column)]).join(" AND ");
  return {
    readBalance: bigints(
      database.prepare("SELECT avail_e8, held_e8 FROM projects WHERE id = ?"),
    ),
    writeBalance: database.prepare("UPDATE projects SET avail_e8 = ?, held_e8 = ? WHERE id = ?"),
    readCall: bigints(
      database.prepare(
        "SELECT state, project_id, held_e8, unlimited FROM calls WHERE call_id = ?",
      ),
    ),
    insertCall: database.prepare(
      `${insertSql("calls", [...callColumns, "session_id"])} ON CONFLICT (call_id) DO NOTHING`,
    ),
    closeCall: database.prepare(
      `UPDATE calls SET ${setCall} WHERE ${sameHold} AND state = 'open'`,
    ),
    reopenCall: database.prepare(
      `UPDATE calls SET ${setCall} WHERE call_id = ?1 AND state = 'open'`,
    ),
    insertLedger: database.prepare(insertSql("ledger", ledgerColumns)),
    lastSeq: database.prepare(
      `SELECT coalesce(max(seq), (SELECT max(last_seq) FROM checkpoints), 0) AS seq FROM ledger`,
    ),
    findReference: bigints(
      database.prepare(
        `SELECT amount_e8 FROM ledger WHERE project_id = ?1 AND reference = ?2
         UNION ALL
         SELECT amount_e8 FROM kept_references WHERE project_id = ?1 AND reference = ?2 LIMIT 1`,
      ),
    ),
    addUsage: database.prepare(`
      INSERT INTO usage_hourly (hour, project_id, model, provider, route, calls, prompt_tokens,
        completion_tokens, cost_e8, sale_e8, charged_e8, loss_e8)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (hour, project_id, model, provider, route) DO UPDATE SET
        calls = calls + excluded.calls,
        prompt_tokens = prompt_tokens + excluded.prompt_tokens,
        completion_tokens = completion_tokens + excluded.completion_tokens,
        ${addAmounts(["cost_e8", "sale_e8", "charged_e8", "loss_e8"])}`),
    addSpend: database.prepare(`
      INSERT INTO spend_hourly (hour, project_id, key_id, spent_e8) VALUES (?, ?, ?, ?)
      ON CONFLICT (hour, project_id, key_id) DO UPDATE SET
        ${addAmounts(["spent_e8"])}`),
    coverUsage: database.prepare(`
      INSERT INTO meta (name, value) VALUES ('${COVERED}', ?)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`),
  };
}

function addAmounts(columns: readonly string[]): string {
  return columns.map((column) => `${column} = ${cappedAddSql(column, `excluded.${column}`)}`)
    .join(", ");
}

function insertSql(table: string, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${
    columns.map(() => "?").join(", ")
  })`;
}

function bigints(statement: StatementSync): StatementSync {
  statement.setReadBigInts(true);
  return statement;
}
