/**
 * Brings every row of one database into another, and compares the two.
 *
 * @module
 */

import type { WorkWatcher } from "../../admin/base/work_progress.ts";
import {
  FIRST_TABLES,
  FOLLOWED,
  LAST_TABLES,
  MOVED_TABLES,
  type MovedRows,
  type MovedTable,
  type MoveSource,
  type MoveTarget,
} from "../../storage/ports/moving.ts";

/** What was brought. */
export interface CopiedRows {
  /** What is said of an earlier move; `undefined` where there was none. */
  readonly earlier: string | undefined;
  /** Rows that were written, of all tables. */
  readonly rows: number;
}

/** Copies until the target has what the source has. Ends with the signal's reason when that is aborted. */
export async function copyRows(
  source: MoveSource,
  target: MoveTarget,
  { onProgress, signal }: WorkWatcher,
): Promise<CopiedRows> {
  const counts = await source.counts();
  const total = Number([...counts.values()].reduce((sum, count) => sum + count, 0n));
  const { after, earlier } = await target.begin(source);
  let rows = 0;
  const put = async (...slices: readonly MovedRows[]) => {
    signal.throwIfAborted();
    await target.put(slices);
    for (const slice of slices) rows += slice.rows.length;
    onProgress({ step: "moving", done: Math.min(rows, total), total });
  };
  const copy = async (table: MovedTable, behind?: bigint) => {
    for await (const slice of source.rows(table, behind)) await put(slice);
  };
  // Routes refer to prices.
  await copy(FOLLOWED.prices, after.prices);
  for (const table of FIRST_TABLES) await copy(table);
  for await (const slice of source.rows(FOLLOWED.ledger, after.ledger)) {
    await put(await source.callsOf(callIdsOf(slice)), slice);
  }
  for await (const slice of source.callsWithoutRows()) await put(slice);
  await copy(FOLLOWED.audit, after.audit);
  for (const table of LAST_TABLES) await copy(table);
  await target.settle(await source.facts());
  return { earlier, rows };
}

function callIdsOf({ columns, rows }: MovedRows): readonly bigint[] {
  const index = columns.indexOf("call_id");
  return [...new Set(rows.map((values) => values[index] as bigint | null))]
    .filter((id) => id !== null);
}

/** A table on both sides. */
export interface ComparedTable {
  readonly table: string;
  readonly from: number;
  readonly to: number;
}

/** Both sides of a move. */
export interface ComparedSides {
  readonly tables: readonly ComparedTable[];
  /** Of all projects together, in units of 1e-8. */
  readonly balances: { readonly from: bigint; readonly to: bigint };
  /** Tables and projects that are not the same. */
  readonly unequal: readonly string[];
}

/** Counts rows, and compares the balance of each project. */
export async function compareSides(source: MoveSource, target: MoveTarget): Promise<ComparedSides> {
  const [from, to] = [await source.counts(), await target.counts()];
  const tables = MOVED_TABLES.map(({ name: table }) => ({
    table,
    from: Number(from.get(table)!),
    to: Number(to.get(table)!),
  }));
  const [there, here] = [await source.balances(), await target.balances()];
  const known = new Map(here.map((balance) => [balance.projectId, balance]));
  const projects = there.filter(({ projectId, avail, held }) => {
    const balance = known.get(projectId);
    return balance === undefined || balance.avail !== avail || balance.held !== held;
  });
  const sum = (balances: typeof there) =>
    balances.reduce((all, { avail, held }) => all + avail + held, 0n);
  return {
    tables,
    balances: { from: sum(there), to: sum(here) },
    unequal: [
      ...tables.filter((one) => one.from !== one.to).map(({ table }) => `table ${table}`),
      ...projects.map(({ projectId }) => `balance of ${projectId}`),
    ],
  };
}
