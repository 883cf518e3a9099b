/**
 * The schema of a database: made where there is none, brought up to date, and refused where it is not
 * this program's. Whoever changes it holds the row of its version.
 *
 * @module
 */

import { spanText } from "../../domain/span_text.ts";
import { StorageOpenError } from "../ports/storage_open_error.ts";
import type { Connection } from "./connection.ts";
import { isLocked, mayRunAgain } from "./postgres_error.ts";
import { KNOWN_SCHEMA } from "./schema/known_schema.ts";
import { LEAST_VERSION, VERSIONS } from "./schema/versions.ts";
import {
  isWorkable,
  LEAST_FACT,
  lockSchema,
  readSchemaState,
  type SchemaState,
  tablesOf,
} from "./schema_state.ts";
import {
  BEGIN,
  endSessions,
  isOutdated,
  NOBODY,
  Observation,
  olderSessions,
  REAP_MS,
} from "./session_register.ts";
import { tableUsers, tableUsersText } from "./table_users.ts";

/** What tables are brought up to. */
export interface Schema {
  /** See {@linkcode VERSIONS}. */
  readonly versions: readonly (readonly string[])[];
  /** See {@linkcode LEAST_VERSION}. */
  readonly least: number;
}

/** Who brings them up. */
export interface MigrateOptions {
  /** Default: this program's. */
  readonly schema?: Schema | undefined;
  /** The node whose earlier session has ended, whatever it says. Default: nobody's. */
  readonly node?: string | undefined;
  /** Milliseconds after which a session that is silent has ended. */
  readonly reapMs?: number | undefined;
  /** Milliseconds for which it is tried to change tables that others use. Default: half an hour. */
  readonly patienceMs?: number | undefined;
  /** Hears, of a wait that goes on, for whom it is: after some seconds, then about once a minute. */
  readonly onWait?: ((why: string) => void) | undefined;
  /** Resolves when it is to be tried again, so many milliseconds later. */
  readonly rest?: ((ms: number) => Promise<void>) | undefined;
}

const OWN: Schema = { versions: VERSIONS, least: LEAST_VERSION };
const LOOK_EVERY_MS = 250;
const PATIENCE_MS = 30 * 60_000;

/**
 * How long one try waits for a table. Behind whoever waits for one alone, everybody waits who comes
 * after. Less than what the server lets pass (1 s) before it looks for two that wait for each other: it is
 * this one then that steps back, and no node's transaction.
 */
const LOCK_MS = 750;
/** The rest behind the first try; behind each further one it is twice as long, up to the other. */
const FIRST_REST_MS = 250;
const LONGEST_REST_MS = 4_000;
const TELLS_AFTER_TRIES = 5;
const TELLS_EVERY_TRIES = 12;

/**
 * Makes the database this program's. Where its tables are in use for long (a copy is taken of them, say),
 * it tries again and again: nodes that are at work go on between.
 *
 * @throws {StorageOpenError} If it is another program's, or a newer version's, if nodes are at work
 * whose version cannot work with it afterwards, or if others use the tables all the time.
 */
export async function migrate(
  connection: Connection,
  options: MigrateOptions = {},
): Promise<void> {
  const { schema = OWN, node = NOBODY, reapMs = REAP_MS, rest = restFor } = options;
  const known = schema.versions.length;
  const state = await readSchemaState(connection);
  if (state === undefined) {
    await refuseOthers(connection);
    await refuseEncoding(connection);
  } else if (isWorkable(state, known)) return;
  const observation = new Observation(reapMs, (label) => {
    throw isOutdated(label);
  });
  const begunAt = performance.now();
  for (let tries = 0;;) {
    try {
      if (await bringUp(connection, schema, { node, observation })) return;
      await rest(LOOK_EVERY_MS);
    } catch (error) {
      await connection.rollBack();
      if (connection.isLost || error instanceof StorageOpenError) throw error;
      // Another process was first: then it is there.
      const now = await readSchemaState(connection);
      if (now !== undefined && isWorkable(now, known)) return;
      // Nodes that are at work lock the same tables in an order of their own, and others read them for long.
      if (!isLocked(error) && !mayRunAgain(error)) throw error;
      tries++;
      await tellOfUsers(connection, { ...options, known, tries, begunAt, error });
      await rest(Math.min(FIRST_REST_MS * 2 ** (tries - 1), LONGEST_REST_MS));
    }
  }
}

/** @throws {StorageOpenError} If it has been tried for too long. */
async function tellOfUsers(
  connection: Connection,
  { known, tries, begunAt, error, patienceMs = PATIENCE_MS, onWait }:
    & Pick<MigrateOptions, "patienceMs" | "onWait">
    & {
      readonly known: number;
      readonly tries: number;
      readonly begunAt: number;
      readonly error: unknown;
    },
): Promise<void> {
  const pastMs = performance.now() - begunAt;
  const isOver = pastMs >= patienceMs;
  const tells = tries >= TELLS_AFTER_TRIES && (tries - TELLS_AFTER_TRIES) % TELLS_EVERY_TRIES === 0;
  if (!isOver && !(tells && onWait !== undefined)) return;
  const users = tableUsersText(await tableUsers(connection, LOCK_MS));
  if (isOver) {
    throw new StorageOpenError(
      `The database's tables could not be brought up to version ${known} in ${
        spanText(pastMs)
      }, as ` +
        `others use them without an end: ${users}. Start this again once that has ended, or end it`,
      { cause: error },
    );
  }
  onWait?.(
    `The database's tables are in use, and are brought up to version ${known} once that has ended: ` +
      `${users}. Nodes that are at work go on meanwhile`,
  );
}

function restFor(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Says whether it is done; not while it is not known whether some have ended that cannot go on with it. */
async function bringUp(
  connection: Connection,
  { versions, least }: Schema,
  { node, observation }: { readonly node: string; readonly observation: Observation },
): Promise<boolean> {
  const from = await begin(connection);
  if (from !== undefined && isWorkable(from, versions.length)) {
    await connection.rollBack();
    return true;
  }
  const version = from?.version ?? 0;
  if (least > version && version >= VERSIONS.indexOf(KNOWN_SCHEMA) + 1) {
    const older = await olderSessions(connection, { least, node });
    const silent = observation.silent(older);
    if (silent.length < older.length) {
      await connection.rollBack();
      return false;
    }
    await endSessions(connection, silent);
  }
  for (const statement of versions.slice(version).flat()) await connection.run(statement, []);
  if (version === 0) await writeFirstRows(connection);
  const facts = [["schema_version", versions.length], [LEAST_FACT, least]] as const;
  for (const [name, value] of facts) {
    await connection.run(
      `INSERT INTO cluster_meta (name, value) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [name, String(value)],
    );
  }
  await connection.commit();
  return true;
}

/**
 * Begins a transaction that nobody else begins who changes the tables; gives how they are. Whatever becomes of
 * this process, the server waits for nothing of it, and works on nothing, that nobody waits for any more.
 */
async function begin(connection: Connection): Promise<SchemaState | undefined> {
  const state = await readSchemaState(connection);
  const texts = [
    ...BEGIN,
    `SET LOCAL lock_timeout = ${LOCK_MS}`,
    `SET LOCAL statement_timeout = ${connection.deadlineMs}`,
  ];
  if (state !== undefined) return await lockSchema(connection, texts);
  await connection.runEach(...texts);
  return undefined;
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

/** @throws {StorageOpenError} If a database without this program's tables has others. */
export async function refuseOthers(connection: Connection): Promise<void> {
  const [table] = await tablesOf(connection);
  if (table === undefined) return;
  const { rows } = await connection.run("SELECT current_database() AS name", []);
  throw new StorageOpenError(
    `The database '${rows[0]!.name}' has a table '${table}' and none of this program's: it is ` +
      "another program's. Make an empty database for this one.",
  );
}

/** @throws {StorageOpenError} If a database cannot hold every text that a caller may send. */
async function refuseEncoding(connection: Connection): Promise<void> {
  const { rows } = await connection.run(
    `SELECT setting, current_database() AS name FROM pg_settings WHERE name = 'server_encoding'`,
    [],
  );
  const encoding = rows[0]?.setting;
  // Some engines do not tell it, and have but one.
  if (encoding === undefined || /^utf-?8$/i.test(String(encoding))) return;
  const name = String(rows[0]!.name);
  // Any encoding goes with the locale C, and with few others.
  throw new StorageOpenError(
    `The database '${name}' has the encoding ${String(encoding)}, which cannot hold every text. ` +
      "Make an empty one for this program, such as with `createdb --template template0 --encoding UTF8 " +
      `--locale C "${name}_utf8"\`, and name that in database_url.`,
  );
}
