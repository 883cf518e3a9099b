/**
 * What a database says of being moved: that it is not whole yet, or that its content has gone elsewhere.
 * Nobody serves from it then.
 *
 * @module
 */

import { StorageOpenError } from "../ports/storage_open_error.ts";
import type { Connection } from "./connection.ts";

/** What is written of a move. */
export interface MoveMark {
  /**
   * - `unfinished`: its rows are on their way, or not checked yet.
   * - `whole`: all came. Whether it was served since, its sessions tell.
   * - `left`: all of it was moved into a data dir.
   */
  readonly state: "unfinished" | "whole" | "left";
  /** The other side, for people. */
  readonly other: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The run that writes, in whose place another one may have come. */
  readonly run: string;
  /** The last session before it: later ones have served. */
  readonly lastSession: number;
}

/** The entry of `cluster_meta`. */
const MARK = "move";

/** What is written there. @param lock Whether nobody else writes until the transaction's end. */
export async function readMark(
  connection: Connection,
  lock: "" | "FOR UPDATE" = "",
): Promise<MoveMark | undefined> {
  const sql = `SELECT value FROM cluster_meta WHERE name = '${MARK}' ${lock}`;
  const { rows } = await connection.run(sql, []);
  return rows[0] && JSON.parse(rows[0].value as string) as MoveMark;
}

/** Writes it, over another one. */
export async function writeMark(connection: Connection, mark: MoveMark): Promise<void> {
  await connection.run(
    `INSERT INTO cluster_meta (name, value) VALUES ('${MARK}', $1)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    [JSON.stringify(mark)],
  );
}

/**
 * @param leftByRuns Of moves by which its content may have gone, all the same.
 * @throws {StorageOpenError} If it is not whole, or its content is elsewhere now.
 */
export async function refuseMoved(
  connection: Connection,
  leftByRuns: readonly string[] = [],
): Promise<void> {
  const mark = await readMark(connection);
  if (mark?.state === "left" && leftByRuns.includes(mark.run)) return;
  const why = whyNotServed(mark);
  if (why !== undefined) throw new StorageOpenError(`Cannot use the database: ${why}`);
}

/** Why nobody may serve from it, and what to do. */
export function whyNotServed(mark: MoveMark | undefined): string | undefined {
  if (mark === undefined || mark.state === "whole") return undefined;
  const at = new Date(mark.at).toISOString();
  return mark.state === "unfinished"
    ? `what is moved there from ${mark.other}, since ${at}, is not whole. Run \`tollgate move --to\` again, which goes on`
    : `all of it was moved to ${mark.other} at ${at}. Serve from that data dir; to serve from here ` +
      `all the same, without what happened there since: DELETE FROM cluster_meta WHERE name = '${MARK}'`;
}
