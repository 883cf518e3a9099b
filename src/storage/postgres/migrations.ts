/**
 * The schema of a database: made where there is none, brought up to date, and refused where it is not
 * this program's. Whoever changes it holds the row of its version.
 *
 * @module
 */

import { StorageOpenError } from "../ports/storage_open_error.ts";
import { type Connection, isFromServer } from "./connection.ts";
import { mayRunAgain } from "./postgres_error.ts";
import { SCHEMA_VERSION, VERSIONS } from "./schema/versions.ts";
import { isNewer, NOBODY } from "./session_register.ts";

const MOST_TRIES = 10;

/**
 * Makes the database this program's.
 *
 * @throws {StorageOpenError} If it is another program's, or a newer version's.
 */
export async function migrate(connection: Connection): Promise<void> {
  const stored = await storedVersion(connection);
  if (stored === SCHEMA_VERSION) return;
  if (stored !== undefined && stored > SCHEMA_VERSION) {
    throw isNewer(stored);
  }
  if (stored === undefined) {
    await refuseOthers(connection);
    await refuseEncoding(connection);
  }
  for (let tries = 1;; tries++) {
    try {
      return await bringUp(connection, stored ?? 0);
    } catch (error) {
      await connection.rollBack();
      if (connection.isLost) throw error;
      // Another process was first: then it is there.
      if (await storedVersion(connection) === SCHEMA_VERSION) return;
      // Nodes that are at work lock the same tables in an order of their own.
      if (!mayRunAgain(error) || tries === MOST_TRIES) throw error;
    }
  }
}

async function bringUp(connection: Connection, from: number): Promise<void> {
  await connection.runEach("BEGIN");
  if (from > 0) {
    await connection.runEach(
      "SELECT value FROM cluster_meta WHERE name = 'schema_version' FOR UPDATE",
    );
  }
  for (const statement of VERSIONS.slice(from).flat()) await connection.run(statement, []);
  if (from === 0) await writeFirstRows(connection);
  await connection.run(
    `INSERT INTO cluster_meta (name, value) VALUES ('schema_version', $1)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    [String(SCHEMA_VERSION)],
  );
  await connection.commit();
}

/** The session of what was written before any has begun, and what request ids hide call ids with. */
async function writeFirstRows(connection: Connection): Promise<void> {
  const key = crypto.getRandomValues(new Uint8Array(16)).toHex();
  await connection.run(
    "INSERT INTO cluster_meta (name, value) VALUES ('request_id_key', $1)",
    [key],
  );
  await connection.run(
    `INSERT INTO node_sessions (session_id, node, label, state, batch_no, slot)
     VALUES (0, '${NOBODY}', '', 'live', 0, 0)`,
    [],
  );
}

/**
 * The version of the tables; `undefined` where there are none.
 *
 * @throws {StorageOpenError} If they are another program's.
 */
export async function storedVersion(connection: Connection): Promise<number | undefined> {
  if (!(await tablesOf(connection)).includes("cluster_meta")) return undefined;
  try {
    const { rows } = await connection.run(
      "SELECT value FROM cluster_meta WHERE name = 'schema_version'",
      [],
    );
    if (rows[0] !== undefined) return Number(rows[0].value);
  } catch (error) {
    // A table of that name with other columns.
    if (!isFromServer(error)) throw error;
  }
  throw new StorageOpenError("The database's table 'cluster_meta' is not this program's.");
}

/** @throws {StorageOpenError} If a database without this program's tables has others. */
export async function refuseOthers(connection: Connection): Promise<void> {
  const [table] = await tablesOf(connection);
  if (table === undefined) return;
  throw new StorageOpenError(
    `The database has a table '${table}' and none of this program's: it is another program's. ` +
      "Make an empty database for this one.",
  );
}

/** @throws {StorageOpenError} If a database cannot hold every text that a caller may send. */
async function refuseEncoding(connection: Connection): Promise<void> {
  const { rows } = await connection.run(
    "SELECT setting FROM pg_settings WHERE name = 'server_encoding'",
    [],
  );
  const encoding = rows[0]?.setting;
  // Some engines do not tell it, and have but one.
  if (encoding === undefined || /^utf-?8$/i.test(String(encoding))) return;
  throw new StorageOpenError(
    `The database has the encoding ${String(encoding)}, which cannot hold every text. ` +
      "Make an empty one with ENCODING 'UTF8' TEMPLATE template0 for this program.",
  );
}

async function tablesOf(connection: Connection): Promise<readonly string[]> {
  const { rows } = await connection.run(
    `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()
     ORDER BY table_name`,
    [],
  );
  return rows.map((row) => row.table_name as string);
}
