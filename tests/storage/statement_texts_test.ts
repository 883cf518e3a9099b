/**
 * No statement is made of values: every text given to a database is constant, or is put
 * together from the constants named here (LiteLLM CVE-2026-42208). Whoever adds one
 * looks whether anything from outside can get into it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { ROOT } from "../../build/paths.ts";

const FOLDER = `${ROOT}/src/storage`;
/** Where there is SQL. */
const FOLDERS = ["postgres/", "rows/", "sqlite/"];
const SQL = /\b(?:SELECT|INSERT|UPDATE|DELETE|PRAGMA|CREATE|ALTER|DROP|WHERE|VALUES|ORDER BY)\b/;
/** Constants, and the columns of a row that is one. */
const CONSTANT_NAME = /^[A-Z][A-Z0-9_]*(?:\.(?:names|assignments|replacements))?$/;

/** What templates of SQL contain besides constants in capitals: lists of columns and conditions. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  "postgres/answer_store.ts": ["numberedInsert()"],
  "postgres/batch_writer.ts": ["columns"],
  "postgres/cached_answer_store.ts": ['CACHED_ANSWER.insertInto("cached_answers", "bytes")'],
  // Conditions without their values.
  "postgres/call_page.ts": ['CALL_COLUMNS.join(", ")', "conditions"],
  // A column by the group that can be asked for.
  "postgres/call_store.ts": ["LATENCY_COLUMNS[query.by]"],
  "postgres/ledger_store.ts": ['columns.join(", ")', "key", "place", "table", "values"],
  // What is moved: tables of the program's own list, and columns that the database has.
  "postgres/move_mark.ts": [
    "lock",
  ],
  "postgres/move_source.ts": [
    'behind.map(() => "?").join(", ")',
    "column",
    "order",
    'selected.join(", ")',
    "table",
    "table.name",
    "this.#selectFrom(CALLS)",
    "this.#selectFrom(table)",
    "where",
  ],
  "postgres/move_tables.ts": [
    "name",
  ],
  "postgres/move_target.ts": [
    'NUMBERED.includes(table.name) ? "OVERRIDING SYSTEM VALUE" : ""',
    "column",
    'isLedger ? ", 0" : ""',
    "last!.place as number + 1",
    "names",
    "table",
    'table === CALLS ? "ON CONFLICT (call_id) DO NOTHING" : ""',
    "table.name",
  ],
  // Advice, which is told and not run.
  "postgres/open_error.ts": ["address.user"],
  "postgres/refusal_store.ts": ["conditions.sql", "groups", "named"],
  // Numbers that the database has counted, or this program.
  "postgres/session_beat.ts": ["session", "this.#facts()"],
  // A column by the scope that can be asked for.
  "postgres/spend_store.ts": ["column"],
  // Names of tables and columns: the program's own, of `HOURLY_TABLES`.
  "postgres/sum_store.ts": [
    '[...key, ...figures].join(", ")',
    'added.join(", ")',
    'columns.join(", ")',
    "key",
    'key.join(", ")',
    'key.map(() => "?").join(", ")',
    "table",
  ],
  // Units by the program's names.
  "postgres/tagged_usage.ts": [
    "conditions",
    "lines.grouping",
    "lines.selection(true)",
    'unit("audioSecond")',
    'unit("character")',
    'unit("imageOut")',
    'unit("search")',
    'unit("searchUnit")',
  ],
  "postgres/upload_store.ts": ["conditions.sql", 'order === "asc" ? "ASC" : "DESC"'],
  "postgres/usage_report.ts": ["conditions", "lines.grouping", "lines.selection(true)", "table"],
  "postgres/video_store.ts": [
    'assignments.join(", ")',
    "conditions.sql",
    "next",
    'order === "asc" ? "ASC" : "DESC"',
    'parameter("attempt")',
    'parameter("progress")',
    'parameter("revision")',
    'transitions.join(" OR ")',
  ],
  "postgres/webhook_store.ts": ['SECRET.insertInto("webhook_secrets")', "conditions.sql"],
  // Numbers that the program counts itself.
  "postgres/write_turns.ts": ["batchNo", "batchNo - 1", "this.#session"],
  "sqlite/account_store.ts": ["page"],
  "sqlite/answer_store.ts": [
    'ANSWER.insertInto("stored_answers", "tells_of")',
    "expired",
    "ofSubject",
    "sameKey",
  ],
  // Names of tables and columns: the program's own, of `CHECKED_TABLES`; types as declared.
  "sqlite/maintenance/archive_file.ts": [
    "CHECKED_TABLES[table][0]",
    'columns.join(", ")',
    "rowTextSql(table, this.#columnsOf(table))",
    'selected.join(", ")',
    "table",
  ],
  "sqlite/maintenance/archive_source.ts": [
    'archivedColumns(table).join(", ")',
    "key",
    "rowTextSql(table)",
    "table",
    "where",
  ],
  "sqlite/maintenance/archive_writer.ts": ['declared.join(", ")', "table"],
  "sqlite/maintenance/run_archive_writer.ts": ["declared", "key", "table"],
  // Likewise.
  "sqlite/maintenance/move_source.ts": [
    'FIGURES.join(", ")',
    "column",
    "from",
    'selected.join(", ")',
    "table",
    'table.key.join(", ")',
    "table.key[0]",
    "this.#selectFrom(CALLS, columns)",
    "this.#selectFrom(table, columns)",
    "where",
  ],
  "sqlite/maintenance/move_target.ts": [
    'columns.map(() => "?").join(", ")',
    "name",
    'names.join(", ")',
    "table.name",
    'table.name === "calls" ? "ON CONFLICT (call_id) DO NOTHING" : ""',
  ],
  "sqlite/audit_store.ts": ["condition", "from", "order", "shown"],
  "sqlite/cached_answer_store.ts": ['ANSWER.insertInto("cached_answers", "bytes")', "sameKey"],
  // Conditions without their values.
  "sqlite/call_page.ts": ['CALL_COLUMNS.join(", ")', "conditions"],
  "sqlite/detailed_usage.ts": ["conditions", "lines.grouping", "lines.selection(isWide)"],
  "sqlite/call_store.ts": ["SCAN_ROWS - 1", "open"],
  // Columns, and for each a parameter or one of the file's constants.
  "sqlite/call_statements.ts": [
    'COLUMNS.join(", ")',
    'assignments.join(", ")',
    'values.join(", ")',
  ],
  "sqlite/catalogue_store.ts": ["prices"],
  "sqlite/database_file.ts": ["name"],
  // A column by the group that can be asked for.
  "sqlite/latency_report.ts": ["LATENCY_COLUMNS[query.by]"],
  "sqlite/ledger_store.ts": ["columns", "key", "table"],
  "sqlite/migrations.ts": ["migrations.length"],
  // Columns of sums, and the two tables that have them.
  "sqlite/old_details.ts": ['PLACE.join(", ")', "hour", "old", "rest", "upTo"],
  "sqlite/old_sums.ts": [
    'added.join(", ")',
    "columns",
    'exists("spend_hourly")',
    'exists("usage_hourly")',
    "oldest",
    "table",
    "upTo",
  ],
  "sqlite/response_store.ts": ["ofProject"],
  // The one INSERT of all columns of a table.
  "rows/row_of.ts": ["all", 'columns.join(", ")', "table"],
  "sqlite/spend_store.ts": [
    "column",
    'wideSumSql("CASE WHEN hour >= ?2 THEN spent_e8 ELSE 0 END", "day")',
    'wideSumSql("CASE WHEN hour >= ?3 THEN spent_e8 ELSE 0 END", "hour")',
    'wideSumSql("spent_e8", "month")',
    'wideSumSql("spent_e8", "spent")',
  ],
  // Names of tables and columns: the program's own, of `HOURLY_TABLES`.
  "sqlite/stores.ts": ['database.prepare("SELECT sqlite_version() AS v").get()!.v'],
  // Conditions without their values, and columns by the groups that can be asked for.
  "sqlite/refusal_store.ts": ["conditions.sql", "group", "groups", "index", "named"],
  "sqlite/sum_store.ts": [
    'USAGE.figures.map((name) => wideSumSql(name, name)).join(", ")',
    '[...key, ...figures].join(", ")',
    "columns",
    'key.join(", ")',
    'place.join(", ")',
    "table",
  ],
  // Conditions without their values, and the columns of a report.
  "sqlite/tagged_usage.ts": ["conditions", "lines.grouping", "lines.selection(isWide)"],
  "sqlite/usage_slices.ts": [
    "behind",
    "grouping",
    "inRange",
    "ofModel",
    "ordered",
    "period",
    "rows",
    "selection",
    "table",
  ],
  "sqlite/usage_sums.ts": ["columns"],
  "sqlite/video_store.ts": [
    'assignments.join(", ")',
    "conditions",
    "index",
    "next",
    'order === "asc" ? "ASC" : "DESC"',
    'parameter("progress")',
    'parameter("revision")',
    "select",
    'transitions.join(" OR ")',
  ],
  "sqlite/batch_store.ts": ["ofLines", "select"],
  // Names of indexes and what is looked for by them: constants of the file.
  "sqlite/upload_store.ts": ["index", "order", 'order === "asc" ? ">" : "<"', "select", "wanted"],
  // Likewise, of the lists.
  "sqlite/webhook_store.ts": ['SECRET.insertInto("webhook_secrets")', "index", "wanted"],
  "sqlite/write_statements.ts": [
    'addAmounts(["cost_e8", "sale_e8", "charged_e8", "loss_e8"])',
    'addAmounts(["spent_e8"])',
    "sameHold",
    "setCall",
  ],
};

/** Their files; those of migrations are left out. */
async function* sources(): AsyncGenerator<{ readonly name: string; readonly text: string }> {
  for (const folder of FOLDERS) yield* sourcesBelow(folder);
}

async function* sourcesBelow(
  below: string,
): AsyncGenerator<{ readonly name: string; readonly text: string }> {
  for await (const { name, isDirectory } of Deno.readDir(`${FOLDER}/${below}`)) {
    if (name === "migrations") continue;
    const path = `${below}${name}`;
    if (isDirectory) yield* sourcesBelow(`${path}/`);
    else yield { name: path, text: await Deno.readTextFile(`${FOLDER}/${path}`) };
  }
}

/** Expressions in templates of SQL, by file; those of migrations are constants, written once. */
async function expressions(): Promise<Readonly<Record<string, readonly string[]>>> {
  const found: Record<string, string[]> = {};
  for await (const { name, text } of sources()) {
    const inFile = [...text.matchAll(/`(?:[^`\\]|\\[^])*`/g)].map(([template]) => template)
      .filter((template) => SQL.test(template))
      .flatMap((template) => [...template.matchAll(/\$\{([^}]*)\}/g)].map(([, one]) => one!.trim()))
      .filter((one) => !CONSTANT_NAME.test(one));
    if (inFile.length > 0) found[name] = [...new Set(inFile)].sort();
  }
  return found;
}

Deno.test("templates of SQL contain lists of the program's own and no values", async () => {
  const found = await expressions();
  assert.deepEqual(found, KNOWN);
});

Deno.test("no statement is put together with a plus", async () => {
  for await (const { name, text } of sources()) {
    for (const [joined] of text.matchAll(/(["'`])(?:(?!\1)[^\n\\])*\1\s*\+\s*[a-z]\w*/g)) {
      assert.doesNotMatch(joined, SQL, `${name}: ${joined}`);
    }
  }
});
