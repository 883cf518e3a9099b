/**
 * The statements by which a batch writes its rows, each with rows of every table as JSON.
 *
 * @module
 */

import { CALL_COLUMNS } from "../rows/call_row.ts";
import { LEDGER_COLUMNS } from "../rows/ledger_row.ts";
import { SOUND_CALL, SOUND_ROW } from "./sound_rows.ts";

/** Milliseconds that a statement may take, or wait for another: before the program gives up itself. */
export const STATEMENT_MS = 10_000;

const CALL_VALUES = [...CALL_COLUMNS, "checksum"];
const CALL_INSERT = [...CALL_VALUES, "session_id"];
const LEDGER_INSERT = ["book", ...LEDGER_COLUMNS, "checksum"];
const LEASE_COLUMNS = ["session_id", "project_id", "left_e8", "held_e8", "booked_e8"];
const POOL_COLUMNS = ["id", "avail_e8", "held_e8", "wanted_until"];

const SET_CALL = CALL_VALUES.slice(1).map((column) => `${column} = excluded.${column}`).join(", ");
const CALL_NAMES = CALL_INSERT.join(", ");
const LEDGER_NAMES = LEDGER_INSERT.join(", ");
const LEASE_NAMES = LEASE_COLUMNS.join(", ");

/** The columns of each table's rows, in the order in which the statements take the tables. */
export const GATHERED = {
  calls: CALL_INSERT,
  rows: LEDGER_INSERT,
  leases: LEASE_COLUMNS,
  pools: POOL_COLUMNS,
} as const;

/** Whose a call is stays as it was; one that has ended is never written again. */
const WRITTEN_CALLS = `INSERT INTO calls (${CALL_NAMES})
    SELECT ${CALL_NAMES} FROM json_populate_recordset(NULL::calls, ?1::text::json) ORDER BY call_id
    ON CONFLICT (call_id) DO UPDATE SET ${SET_CALL} WHERE calls.state = 'open'`;

const RETURNING_CALLS = `RETURNING ${SOUND_CALL} AS is_sound`;

const OTHER_ROWS = `written_rows AS (
    INSERT INTO ledger (${LEDGER_NAMES})
    SELECT ${LEDGER_NAMES} FROM json_populate_recordset(NULL::ledger, ?2::text::json)
    RETURNING ${SOUND_ROW} AS is_sound),
  leased AS (
    INSERT INTO leases (${LEASE_NAMES})
    SELECT ${LEASE_NAMES} FROM json_populate_recordset(NULL::leases, ?3::text::json)
    ON CONFLICT (session_id, project_id) DO UPDATE SET left_e8 = excluded.left_e8,
      held_e8 = excluded.held_e8, booked_e8 = excluded.booked_e8
    RETURNING 1 AS one)`;

const WRITE = `WITH written_calls AS (${WRITTEN_CALLS} ${RETURNING_CALLS}),
  ${OTHER_ROWS},
  moved AS (
    UPDATE projects SET avail_e8 = pool.avail_e8, held_e8 = pool.held_e8,
      wanted_until = pool.wanted_until
    FROM json_populate_recordset(NULL::projects, ?4::text::json) AS pool
    WHERE projects.id = pool.id
    RETURNING 1 AS one)`;

const CALL_COUNT = "(SELECT count(*) FROM written_calls WHERE is_sound)";
const ROW_COUNT = "(SELECT count(*) FROM written_rows WHERE is_sound)";
const LEASE_COUNT = "(SELECT count(*) FROM leased)";
const POOL_COUNT = "(SELECT count(*) FROM moved)";

/** Takes the rows of each table; says how many of each were written, and are what they may be. */
export const COUNTED = `${WRITE} SELECT ${CALL_COUNT} AS calls, ${ROW_COUNT} AS rows,
  ${LEASE_COUNT} AS leases, ${POOL_COUNT} AS pools`;

/**
 * Takes the rows of each table, then their numbers. Fails where a row was not written, or is none that may be:
 * nothing that is sent behind it then comes to an end.
 */
export const REQUIRED = `${WRITE} SELECT 1 / CASE WHEN ${CALL_COUNT} = ?5::bigint
    AND ${ROW_COUNT} = ?6::bigint AND ${LEASE_COUNT} = ?7::bigint AND ${POOL_COUNT} = ?8::bigint
  THEN 1 ELSE 0 END AS one`;

/**
 * A transaction by itself: takes the rows of a node's own tables (all but `pools`), their numbers, the ids of
 * calls that are new, the count that the session comes to and the session. Nothing is waited for longer than
 * other transactions do. It counts on first: where that cannot be it fails on a text that is no number. It
 * fails on a division where a row was not written, such as that of a new call which is stored already, or
 * is none that may be.
 *
 * No table that grows is looked into but by its key, on a conflict: the plan may be as old as the connection.
 */
export const ALONE = `WITH fence AS (
    UPDATE node_sessions SET batch_no = ?8::bigint WHERE session_id = ?9::bigint
      AND batch_no = ?8::bigint - 1 AND state = 'live'
    RETURNING 1 AS one),
  written_calls AS (${WRITTEN_CALLS} AND calls.call_id <> ALL(?7::bigint[])
    ${RETURNING_CALLS}),
  ${OTHER_ROWS} SELECT CASE
    WHEN set_config('lock_timeout', '${STATEMENT_MS}', true) IS NULL THEN 0
    WHEN (SELECT count(*) FROM fence) <> 1
      THEN CAST('fenced by ' || (SELECT count(*) FROM fence)::text AS integer)
    ELSE 1 / CASE WHEN ${CALL_COUNT} = ?4::bigint AND ${ROW_COUNT} = ?5::bigint
      AND ${LEASE_COUNT} = ?6::bigint
    THEN 1 ELSE 0 END END AS one`;
