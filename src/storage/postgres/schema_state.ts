/**
 * Which version the tables of a database have, and whether this program can work with them: nodes of
 * two versions work side by side, where the newer one has taken nothing that the older one asks for.
 *
 * @module
 */

import { StorageOpenError } from "../ports/storage_open_error.ts";
import { type Connection, isFromServer } from "./connection.ts";
import { SCHEMA_VERSION } from "./schema/versions.ts";

/** What a database says of its tables. */
export interface SchemaState {
  readonly version: number;
  /** The oldest version whose programs can work with them. */
  readonly least: number;
}

/** Under what name, among the facts of the database, the oldest version is. */
export const LEAST_FACT = "least_schema_version";

const STATE = `SELECT (SELECT value FROM cluster_meta WHERE name = 'schema_version') AS version,
  (SELECT value FROM cluster_meta WHERE name = '${LEAST_FACT}') AS least`;
const LOCK = "SELECT value FROM cluster_meta WHERE name = 'schema_version' FOR UPDATE";

/**
 * The state of the tables; `undefined` where there are none.
 *
 * @throws {StorageOpenError} If they are another program's.
 */
export async function readSchemaState(connection: Connection): Promise<SchemaState | undefined> {
  if (!(await tablesOf(connection)).includes("cluster_meta")) return undefined;
  try {
    const { rows } = await connection.run(STATE, []);
    const state = stateOf(rows[0]!);
    if (state !== undefined) return state;
  } catch (error) {
    // A table of that name with other columns.
    if (!isFromServer(error)) throw error;
  }
  throw new StorageOpenError("The database's table 'cluster_meta' is not this program's.");
}

/** Begins a transaction that locks out whoever else begins or ends sessions, or changes the tables. */
export async function lockSchema(
  connection: Connection,
  begin: readonly string[],
): Promise<SchemaState> {
  const answers = await connection.askEach(...begin, LOCK, STATE);
  return stateOf(answers.at(-1)!.rows[0]!)!;
}

/** Why a program that knows a version cannot work with the tables at all, and what to do. */
export function whyUnknown(
  { version, least }: SchemaState,
  known = SCHEMA_VERSION,
): string | undefined {
  if (version <= known || least <= known) return undefined;
  return `The database has schema version ${version}, and this program knows ${known}: ` +
    "a newer version has used it. Start that one, or a newer one still.";
}

/**
 * Whether a program that knows a version can work with the tables as they are, or has to bring them up to
 * its own first.
 *
 * @throws {StorageOpenError} If a newer version has changed what it uses.
 */
export function isWorkable(state: SchemaState, known = SCHEMA_VERSION): boolean {
  const why = whyUnknown(state, known);
  if (why !== undefined) throw new StorageOpenError(why);
  return state.version >= known;
}

/**
 * Requires that the tables have no more than this program knows of: all of it is to be copied.
 *
 * @throws {StorageOpenError} If a newer version has added to them.
 */
export async function requireOwnVersion(connection: Connection): Promise<void> {
  const { version } = (await readSchemaState(connection))!;
  if (version === SCHEMA_VERSION) return;
  throw new StorageOpenError(
    `The database has schema version ${version}, and this program knows all of ${SCHEMA_VERSION} only. ` +
      "Move it with the version that has changed it",
  );
}

/** Names of tables and views where this program's would be, whoever may read them, but for those of extensions. */
export async function tablesOf(connection: Connection): Promise<readonly string[]> {
  const { rows } = await connection.run(
    `SELECT relname FROM pg_catalog.pg_class AS found
     JOIN pg_catalog.pg_namespace AS place ON place.oid = found.relnamespace
     WHERE nspname = current_schema() AND relkind IN ('r', 'p', 'v', 'm', 'f')
       AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend
         WHERE objid = found.oid AND deptype = 'e')
     ORDER BY relname`,
    [],
  );
  return rows.map(({ relname }) => relname as string);
}

function stateOf(row: Readonly<Record<string, unknown>>): SchemaState | undefined {
  if (row.version === null) return undefined;
  const version = Number(row.version);
  // Until it was noted, every program wanted its own version.
  return { version, least: Number(row.least ?? version) };
}
