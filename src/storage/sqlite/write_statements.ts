/**
 * The statements of the writer, prepared once.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import { HOURLY_TABLES } from "../ports/sums.ts";
import { ANY_CALL, OPENED_CALL, USUAL_CALL, USUAL_CLOSE } from "./call_statements.ts";
import { CALL_COLUMNS } from "../rows/call_row.ts";
import { LEDGER_COLUMNS } from "../rows/ledger_row.ts";
import { insertSql } from "../rows/row_of.ts";
import { Changes, prepareAll, prepareBigInts } from "./statements.ts";
import { cappedAddSql } from "../rows/wide_sum.ts";

/** Every statement that entries about money need, and what they have changed. */
export type WriteStatements = ReturnType<typeof prepareWriteStatements>;

/** The entry of `meta` with the last ledger row whose call is in the hourly sums. */
export const COVERED = "usage_covers_ledger_seq";

/** Columns of a row of detailed sums: whom it is about, counts, and amounts. */
const DETAIL_SUBJECT = HOURLY_TABLES.detail_hourly.subject;
const DETAIL_FIGURES = HOURLY_TABLES.detail_hourly.figures;
const DETAIL_COLUMNS = ["hour", ...DETAIL_SUBJECT, ...DETAIL_FIGURES].join(", ");
const DETAIL_PLACES = ["hour", ...DETAIL_SUBJECT, ...DETAIL_FIGURES].map(() => "?").join(", ");
/** What a row of detailed sums is found by. */
export const DETAIL_KEY = ["hour", ...DETAIL_SUBJECT].join(", ");
/** SQL that adds another row of detailed sums to one that is there. */
export const DETAIL_SUMS = DETAIL_FIGURES.map((column) =>
  column.endsWith("_e8")
    ? `${column} = ${cappedAddSql(column, `excluded.${column}`)}`
    : `${column} = ${column} + excluded.${column}`
).join(", ");

/** Adds to a row of detailed sums. */
export const ADD_DETAIL = `INSERT INTO detail_hourly (${DETAIL_COLUMNS}) VALUES (${DETAIL_PLACES})
  ON CONFLICT (${DETAIL_KEY}) DO UPDATE SET ${DETAIL_SUMS}`;

const LEDGER_VALUES = [...LEDGER_COLUMNS, "checksum"];
/** Values of a row of the ledger. */
export const LEDGER_ROW_VALUES = LEDGER_VALUES.length;

/** Prepares the writer's statements on its connection. Amounts are read as BigInts. */
export function prepareWriteStatements(database: DatabaseSync) {
  const callColumns = [...CALL_COLUMNS, "checksum"];
  const numbered = callColumns.map((column, index) => `${column} = ?${index + 1}`);
  const setCall = numbered.slice(1).join(", ");
  const sameHold = ["call_id", "project_id", "held_e8", "unlimited"]
    .map((column) => numbered[callColumns.indexOf(column)]).join(" AND ");
  return {
    changes: new Changes(database),
    ...prepareBigInts(database, {
      readBalance: "SELECT avail_e8, held_e8 FROM projects WHERE id = ?",
      readCall: "SELECT state, project_id, held_e8, unlimited FROM calls WHERE call_id = ?",
      findReference: `SELECT amount_e8 FROM ledger WHERE project_id = ?1 AND reference = ?2
        UNION ALL
        SELECT amount_e8 FROM kept_references WHERE project_id = ?1 AND reference = ?2 LIMIT 1`,
    }),
    ...prepareAll(database, {
      writeBalance: "UPDATE projects SET avail_e8 = ?, held_e8 = ? WHERE id = ?",
      // Change nothing if there is such a call.
      insertCall: ANY_CALL.sql,
      insertOpened: OPENED_CALL.sql,
      insertUsual: USUAL_CALL.sql,
      // Takes the row's values; changes nothing unless the same hold is open.
      closeCall: `UPDATE calls SET ${setCall} WHERE ${sameHold} AND state = 'open'`,
      closeUsual: USUAL_CLOSE.sql,
      // Takes the row's values; changes nothing unless the call is open.
      reopenCall: `UPDATE calls SET ${setCall} WHERE call_id = ?1 AND state = 'open'`,
      // Each takes the values of so many rows.
      insertLedger: insertSql("ledger", LEDGER_VALUES),
      insertLedger4: insertSql("ledger", LEDGER_VALUES, 4),
      insertLedger16: insertSql("ledger", LEDGER_VALUES, 16),
      dataVersion: "PRAGMA data_version",
      lastSeq:
        `SELECT coalesce(max(seq), (SELECT max(last_seq) FROM checkpoints), 0) AS seq FROM ledger`,
      addUsage: `INSERT INTO usage_hourly (hour, project_id, model, provider, route, calls,
          prompt_tokens, completion_tokens, cost_e8, sale_e8, charged_e8, loss_e8)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (hour, project_id, model, provider, route) DO UPDATE SET
          calls = calls + excluded.calls,
          prompt_tokens = prompt_tokens + excluded.prompt_tokens,
          completion_tokens = completion_tokens + excluded.completion_tokens,
          ${addAmounts(["cost_e8", "sale_e8", "charged_e8", "loss_e8"])}`,
      addSpend: `INSERT INTO spend_hourly (hour, project_id, key_id, spent_e8) VALUES (?, ?, ?, ?)
        ON CONFLICT (hour, project_id, key_id) DO UPDATE SET ${addAmounts(["spent_e8"])}`,
      addDetail: ADD_DETAIL,
      coverUsage: `INSERT INTO meta (name, value) VALUES ('${COVERED}', ?)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    }),
  };
}

function addAmounts(columns: readonly string[]): string {
  return columns.map((column) => `${column} = ${cappedAddSql(column, `excluded.${column}`)}`)
    .join(", ");
}
