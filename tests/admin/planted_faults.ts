/**
 * A history with every kind of call, and what a hand may do to it behind the program's back.
 *
 * @module
 */

import type { AdminDeps } from "../../src/admin/base/deps.ts";
import type { Difference } from "../../src/admin/base/findings.ts";
import { creditProject } from "../../src/admin/accounts/credit_project.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import type { OpenCall } from "../../src/domain/call.ts";
import { NO_WORK } from "../../src/domain/work.ts";
import { HOURLY_TABLES } from "../../src/storage/ports/sums.ts";
import { openCall, outcome } from "./ledger_calls.ts";

/** Ids of the calls below. */
export const SETTLED = 1, LOST = 3;
const EXCESS = 2, UNLIMITED = 4, ABANDONED = 5, OPEN = 6, NOTHING = 7;

/** One call of every kind, and two credits. */
export async function makeHistory(deps: AdminDeps): Promise<void> {
  await runOperation(creditProject, {
    deps,
    input: { project: "paying", amount: "10", reference: "first" },
  });
  const open = (parts: Partial<OpenCall>) => deps.ledger.hold(openCall(deps, parts))!;
  const settled = open({ callId: SETTLED });
  await deps.ledger.close(settled, outcome(deps, {}));
  const abandoned = open({ callId: ABANDONED, heldE8: 777n });
  open({ callId: OPEN });
  const calls = [
    [open({ callId: EXCESS, heldE8: 1000n }), {}],
    [open({ callId: LOST }), { billable: false }],
    [open({ callId: UNLIMITED, projectId: "free", unlimited: true, heldE8: 0n }), {}],
  ] as const;
  // Nothing is left to be charged beyond a hold.
  const { avail } = deps.ledger.balanceOf("paying");
  const released = open({ callId: NOTHING, heldE8: avail });
  for (const [hold, end] of calls) await deps.ledger.close(hold, outcome(deps, end));
  await deps.ledger.reap([abandoned.call]);
  await deps.ledger.close(
    released,
    outcome(deps, { work: NO_WORK, source: "none", billable: false }),
  );
  await runOperation(creditProject, { deps, input: { project: "paying", amount: "2.5" } });
  await deps.commits.flush();
}

/** One column of one row. */
export interface Alteration {
  readonly table: string;
  readonly column: string;
  readonly where: string;
  /** Whether rows are found by it, and it is a number. */
  readonly isKey: boolean;
}

/** A kind of row: of the ledger by its call, or as the first credit there was. */
const ROWS: readonly (readonly [table: string, key: string, wheres: readonly string[]])[] = [
  ["ledger", "seq", [
    "reference = 'first'",
    ...[SETTLED, EXCESS, LOST, UNLIMITED, ABANDONED].map((id) =>
      `call_id = ${id} AND kind <> 'loss'`
    ),
    `call_id = ${LOST} AND kind = 'loss'`,
    "kind = 'credit' AND reference IS NULL",
  ]],
  [
    "calls",
    "call_id",
    [SETTLED, EXCESS, LOST, UNLIMITED, ABANDONED, OPEN].map((id) => `call_id = ${id}`),
  ],
  ["price_versions", "version", ["version = 1"]],
  ["projects", "id", ["id = 'paying'"]],
];

/** The alterations to try: every column of one row of every kind, of those that a table has. */
export function listAlterations(
  columnsOf: (table: string) => readonly string[],
): readonly Alteration[] {
  return ROWS.flatMap(([table, key, wheres]) => {
    const columns = columnsOf(table)
      // Settings of projects have no second source to be compared with.
      .filter((name) => table !== "projects" || name.endsWith("_e8"))
      // Whose a call was while it was open says nothing about money.
      .filter((name) => name !== "session_id");
    return wheres.flatMap((where) =>
      columns.map((column) => ({ table, column, where, isKey: column === key }))
    );
  });
}

/** Changes one column by one unit (or one character). */
export function alteringSql({ table, column, where, isKey }: Alteration, isText: boolean): string {
  const value = column === "cost" || column === "sale"
    ? `replace(${column}, '00000000"', '00000001"')`
    : isText
    ? `coalesce(${column}, '') || 'x'`
    : `coalesce(${column}, 0) + ${isKey ? 1000 : 1}`;
  return `UPDATE ${table} SET ${column} = ${value} WHERE ${where}`;
}

/** Columns of which arithmetic alone names the altered one, by table and kind of row. */
const NAMED: readonly (readonly [table: string, where: RegExp, column: RegExp])[] = [
  ["ledger", /./, /^(seq|balance_after_e8)$/],
  ["ledger", /^call_id = [1-4] /, /^(amount_e8|at|kind|project_id)$/],
  ["ledger", /first/, /^amount_e8$/],
  ["calls", /^call_id = [1-4]$/, /^(cost_e8|charged_e8|loss_e8)$/],
  ["calls", /^call_id = [14]$/, /^sale_e8$/],
  ["projects", /./, /./],
];

/** Whether arithmetic alone tells the altered column. */
export function isNamed({ table, column, where }: Alteration): boolean {
  return NAMED.some(([named, row, columns]) =>
    named === table && row.test(where) && columns.test(column)
  );
}

/** Rows that are taken away or written twice, and what tells of each. */
export const ROW_FAULTS: readonly {
  readonly sql: string;
  readonly found: Pick<Difference, "table" | "column"> & { readonly id?: string };
  /** Where a seal says what was there. Default: the same. */
  readonly foundSealed?: Pick<Difference, "table" | "column">;
}[] = [
  {
    sql: `DELETE FROM ledger WHERE call_id = ${SETTLED}`,
    found: { table: "calls", id: String(SETTLED), column: "state" },
  },
  {
    sql: "DELETE FROM ledger WHERE kind = 'credit' AND reference IS NULL",
    found: { table: "projects", id: "paying", column: "avail_e8" },
    foundSealed: { table: "ledger", column: null },
  },
  {
    sql: `DELETE FROM ledger WHERE kind = 'loss' AND call_id = ${LOST}`,
    found: { table: "calls", id: String(LOST), column: "loss_e8" },
  },
  {
    sql: `DELETE FROM calls WHERE call_id = ${SETTLED}`,
    found: { table: "ledger", column: "call_id" },
  },
  {
    sql: "DELETE FROM price_versions",
    found: { table: "calls", id: String(SETTLED), column: "price_version" },
  },
  {
    sql: "DELETE FROM projects WHERE id = 'paying'",
    found: { table: "projects", id: "paying", column: "id" },
  },
];

/** What may be done to sums, and the table and column that it is found in. */
export const SUM_FAULTS: readonly (readonly [sql: string, table: string, column: string])[] = Object
  .entries(HOURLY_TABLES).flatMap(([table, { figures }]) =>
    figures.map((column) =>
      [
        `UPDATE ${table} SET ${column} = ${column} + 7 WHERE project_id = 'paying'`,
        table,
        column,
      ] as const
    )
  );

/** Whether a fault was found, as it may be found. */
export function isFound(
  differences: readonly Difference[],
  { table, id, column }: {
    readonly table: string;
    readonly id?: string;
    readonly column?: string | null;
  },
): boolean {
  return differences.some((found) =>
    found.table === table && (id === undefined || found.id === id) &&
    (column === undefined || found.column === column)
  );
}
