/**
 * The rows about money of a database on a PostgreSQL server, read as the server has them: nothing of
 * the program's own code takes part.
 *
 * @module
 */

import type { PostgresServer } from "../../support/postgres_server.ts";
import { type BookRows, bookRowsOf, type Row } from "./book_rows.ts";

/** One statement: all of it is of one moment. Leases are what nodes have of a balance. */
const READ = `SELECT json_build_object(
  'projects', (SELECT coalesce(json_agg(one), '[]') FROM (
    SELECT id, unlimited,
      avail_e8 + (SELECT coalesce(sum(left_e8), 0)::bigint FROM leases WHERE project_id = id) AS avail_e8,
      held_e8 + (SELECT coalesce(sum(held_e8), 0)::bigint FROM leases WHERE project_id = id) AS held_e8
    FROM projects) AS one),
  'calls', (SELECT coalesce(json_agg(one ORDER BY call_id), '[]') FROM calls AS one),
  'ledger', (SELECT coalesce(json_agg(one ORDER BY book, seq), '[]') FROM ledger AS one),
  'prices', (SELECT coalesce(json_agg(one), '[]') FROM price_versions AS one),
  'reals', (SELECT coalesce(json_agg(table_name || '.' || column_name), '[]')
    FROM information_schema.columns WHERE table_schema = current_schema()
      AND column_name LIKE '%\\_e8' AND data_type <> 'bigint'))`;

/** Reads them in one moment, whoever writes there. */
export async function readServerBooks(server: PostgresServer, database: string): Promise<BookRows> {
  const text = await server.ask(database, READ);
  // Amounts are larger than what a number tells exactly.
  const { reals, ...tables } = JSON.parse(
    text,
    ((_key: string, value: unknown, { source }: { readonly source: string }) =>
      typeof value === "number" ? BigInt(source) : value) as (
        key: string,
        value: unknown,
      ) => unknown,
  ) as Record<"projects" | "calls" | "ledger" | "prices", readonly Row[]> & {
    readonly reals: readonly string[];
  };
  return bookRowsOf(tables, reals);
}
