/**
 * Who has used the tables for long: a change of them has to wait for the end of that.
 *
 * @module
 */

import { spanText } from "../../domain/span_text.ts";
import { type Connection, isFromServer } from "./connection.ts";

/** A process of the server that is in the middle of a transaction. */
export interface TableUser {
  /** The server's id of it, as in `pg_stat_activity`. */
  readonly pid: number;
  /** What its client calls itself; "" where it does not. */
  readonly name: string;
  /** Since when, in milliseconds; `undefined` where the server does not tell this user. */
  readonly ageMs: number | undefined;
}

const USERS = `SELECT pid, application_name AS name,
    round(extract(epoch FROM clock_timestamp() - xact_start) * 1000) AS age
  FROM pg_stat_activity
  WHERE pid <> pg_backend_pid() AND datname = current_database()
    AND (xact_start IS NULL OR clock_timestamp() - xact_start >= $1 * interval '1 millisecond')
    AND pid IN (SELECT pid FROM pg_locks
      JOIN pg_class ON pg_class.oid = pg_locks.relation
      JOIN pg_namespace ON pg_namespace.oid = pg_class.relnamespace
      WHERE granted AND relkind = 'r' AND nspname = current_schema())
  ORDER BY age DESC NULLS LAST, pid`;

/** Those that have for so long, longest first; none on engines that do not tell. */
export async function tableUsers(
  connection: Connection,
  forMs: number,
): Promise<readonly TableUser[]> {
  try {
    const { rows } = await connection.run(USERS, [forMs]);
    return rows.map(({ pid, name, age }) => ({
      pid: Number(pid),
      name: String(name ?? ""),
      ageMs: age === null ? undefined : Number(age),
    }));
  } catch (error) {
    if (!isFromServer(error)) throw error;
    return [];
  }
}

/** Such as `pg_dump (process 4711 of the server, for 5 min)`. */
export function tableUsersText(users: readonly TableUser[]): string {
  if (users.length === 0) return "nobody that the server names";
  return users.map(({ pid, name, ageMs }) => {
    const since = ageMs === undefined ? "" : `, for ${spanText(ageMs)}`;
    return `${
      name === "" ? "a client without a name" : name
    } (process ${pid} of the server${since})`;
  }).join("; ");
}
