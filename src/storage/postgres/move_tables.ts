/**
 * What both directions of a move need to know of a server's tables.
 *
 * @module
 */

import type { Balance } from "../../domain/account.ts";
import { MOVED_TABLES, type MovedCounts } from "../ports/moving.ts";
import type { Ask } from "./ask.ts";
import { Connection, type PostgresPlace } from "./connection.ts";

/** Long statements are few, and wait for nobody. */
const DEADLINE_MS = 30 * 60_000;

/** Column of a table that no other database has: whose rows they are. */
export const BOOK = "book";

/** The fact that is a row of a table here: how far sums cover the main book. */
export const COVERED_FACT = "usage_covers_ledger_seq";

/** Columns that only nodes of one database need, with what a new row has in them. */
const OF_NODES: ReadonlySet<string> = new Set([
  "batches.session_id",
  "projects.wanted_until",
  "stored_responses.cancel_wanted",
  "video_tasks.session_id",
  "webhook_messages.sender",
]);

/** A connection that may be asked for long, whatever the place's deadline. */
export function openForMoving({ url, ca }: PostgresPlace): Promise<Connection> {
  return Connection.open({ url, ca, deadlineMs: DEADLINE_MS });
}

/** Columns of the moved tables by their names, without those that no other database has. */
export async function movedColumns(ask: Ask): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await ask.all(
    `SELECT table_name, column_name FROM information_schema.columns
     WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position`,
  );
  return new Map(MOVED_TABLES.map(({ name }) => [
    name,
    rows.filter((row) =>
      row.table_name === name && row.column_name !== BOOK &&
      !OF_NODES.has(`${name}.${String(row.column_name)}`)
    ).map((row) => row.column_name as string),
  ]));
}

/** Rows of each moved table. */
export async function countRows(ask: Ask): Promise<MovedCounts> {
  const counts = new Map<string, bigint>();
  for (const { name } of MOVED_TABLES) {
    counts.set(name, (await ask.getWide(`SELECT count(*) AS n FROM ${name}`))!.n as bigint);
  }
  return counts;
}

/** Balances of all projects, in order of their ids. */
export async function movedBalances(ask: Ask): Promise<readonly Balance[]> {
  const rows = await ask.allWide("SELECT id, avail_e8, held_e8 FROM projects ORDER BY id");
  return rows.map(({ id, avail_e8, held_e8 }) => ({
    projectId: id as string,
    avail: avail_e8 as bigint,
    held: held_e8 as bigint,
  }));
}
