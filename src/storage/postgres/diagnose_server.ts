/**
 * What there is to say of a server's database, without changing anything.
 *
 * @module
 */

import {
  formatPostgresAddress,
  isOwnMachine,
  type PostgresAddress,
  readPostgresAddress,
} from "../../domain/postgres_address.ts";
import type { DatabaseDiagnosis, DatabaseRemark } from "../ports/maintenance.ts";
import { StorageOpenError } from "../ports/storage_open_error.ts";
import type { AskedRow } from "./ask.ts";
import { Connection, isFromServer, type PostgresPlace } from "./connection.ts";
import { refuseOthers, SCHEMA_VERSION, storedVersion } from "./migrations.ts";
import { readMark, whyNotServed } from "./move_mark.ts";
import { explainOpening } from "./open_error.ts";

const MIB = 1024 ** 2;
const APART_MS = 5_000;

/** Asks it a few things; what it does not tell its user is left out. */
export async function diagnoseServer(place: PostgresPlace): Promise<DatabaseDiagnosis> {
  let connection: Connection | undefined;
  try {
    connection = await Connection.open(place);
    const read = readPostgresAddress(place.url);
    if (!read.ok) throw new StorageOpenError(read.message);
    const schema = await ofSchema(connection, formatPostgresAddress(read.address));
    return {
      isReadable: schema.isReadable,
      remarks: [
        schema.remark,
        ...ofLine(read.address),
        ...await ofClock(connection),
        ...await ofSettings(connection),
        ...await ofStandbys(connection),
        ...schema.isReadable ? await ofSessions(connection) : [],
      ],
    };
  } catch (error) {
    const { message } = explainOpening(error, place);
    return {
      isReadable: false,
      remarks: [remark("problem", message, "Nothing can be served until it answers")],
    };
  } finally {
    await connection?.close();
  }
}

async function ofSchema(
  connection: Connection,
  name: string,
): Promise<{ readonly isReadable: boolean; readonly remark: DatabaseRemark }> {
  const begun = performance.now();
  const stored = await storedVersion(connection);
  const answerMs = (performance.now() - begun).toFixed(1);
  if (stored === undefined) {
    await refuseOthers(connection);
    const empty = `${name} answers in ${answerMs} ms and is empty`;
    return {
      isReadable: false,
      remark: remark("ok", `${empty}: the first start makes its tables`),
    };
  }
  if (stored > SCHEMA_VERSION) {
    const newer = `${name} has schema version ${stored}, and this program knows ${SCHEMA_VERSION}`;
    return {
      isReadable: false,
      remark: remark("problem", newer, "Use the version that wrote it, or a newer one"),
    };
  }
  const [version, bytes] = [
    await told(connection, "SELECT version() AS value"),
    await told(connection, "SELECT pg_database_size(current_database()) AS value"),
  ].map((rows) => rows[0]?.value);
  const size = bytes === undefined ? "" : `, ${Math.ceil(Number(bytes) / MIB)} MiB`;
  const whyNot = whyNotServed(await readMark(connection));
  if (whyNot !== undefined) {
    const [why, ...remedy] = whyNot.split(". ");
    return { isReadable: false, remark: remark("problem", `${name}: ${why}`, remedy.join(". ")) };
  }
  const detail = `${String(version).split(" (")[0]}: ${name} answers in ${answerMs} ms, ` +
    `schema version ${stored}${size}`;
  return stored === SCHEMA_VERSION
    ? { isReadable: true, remark: remark("ok", detail) }
    : { isReadable: false, remark: remark("ok", `${detail}; the next start brings it up to date`) };
}

function ofLine({ isVerified, host }: PostgresAddress): DatabaseRemark[] {
  if (isVerified || isOwnMachine(host)) return [];
  return [
    remark(
      "warning",
      `Whoever is between here and ${host} reads all that is stored, and may answer in its place`,
      "Turn TLS on there, and leave sslmode=disable out of database_url",
    ),
  ];
}

async function ofClock(connection: Connection): Promise<DatabaseRemark[]> {
  const rows = await told(
    connection,
    "SELECT extract(epoch FROM clock_timestamp()) * 1000 AS value",
  );
  const aheadMs = Date.now() - Number(rows[0]!.value);
  if (Math.abs(aheadMs) < APART_MS) return [];
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  return [
    remark(
      "warning",
      `This machine's clock is ${seconds} seconds ${
        aheadMs > 0 ? "ahead of" : "behind"
      } the server's`,
      "Set the one that is wrong (NTP): beyond 5 minutes nothing starts",
    ),
  ];
}

/** What a crash of the server may cost. */
async function ofSettings(connection: Connection): Promise<DatabaseRemark[]> {
  const rows = await told(
    connection,
    `SELECT name, setting AS value FROM pg_settings
     WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') ORDER BY name`,
  );
  const off = rows.filter(({ value }) => value === "off").map(({ name }) => String(name));
  if (off.length === 0) return [];
  return [
    remark(
      "problem",
      `The server has ${off.join(" and ")} off: a crash there loses calls that were charged`,
      "Turn them on in its settings",
    ),
  ];
}

/** Everybody sees how many there are, and not everybody whether they are synchronous. */
async function ofStandbys(connection: Connection): Promise<DatabaseRemark[]> {
  const all = await told(connection, "SELECT sync_state AS value FROM pg_stat_replication");
  const [names] = await told(
    connection,
    "SELECT setting AS value FROM pg_settings WHERE name = 'synchronous_standby_names'",
  );
  if (all.length === 0 && (names?.value ?? "") !== "") {
    return [
      remark(
        "problem",
        "The server confirms nothing before a synchronous standby has it, and there is none",
        "Start the standby, or ALTER SYSTEM SET synchronous_standby_names = '' there, and " +
          "pg_reload_conf(), until there is one",
      ),
    ];
  }
  const rows = all.filter(({ value }) => value !== null);
  if (rows.length === 0) return [];
  const isSynchronous = rows.some(({ value }) => value === "sync" || value === "quorum");
  const detail = `${rows.length} standby${rows.length === 1 ? "" : "s"}`;
  return [
    isSynchronous
      ? remark("ok", `${detail}, and one at least has all that is acknowledged`)
      : remark(
        "warning",
        `${detail}, none of them synchronous: a failover may lose calls that were answered`,
        "Set synchronous_standby_names there",
      ),
  ];
}

async function ofSessions(connection: Connection): Promise<DatabaseRemark[]> {
  const rows = await told(
    connection,
    "SELECT label AS value FROM node_sessions WHERE state = 'live' AND label <> '' ORDER BY session_id",
  );
  return rows.map(({ value }) => remark("ok", `In use by ${String(value)}`));
}

/** Nothing where the engine has no such thing, or does not tell it everybody. */
async function told(connection: Connection, sql: string): Promise<readonly AskedRow[]> {
  try {
    return (await connection.run(sql, [])).rows;
  } catch (error) {
    if (isFromServer(error)) return [];
    throw error;
  }
}

function remark(
  status: DatabaseRemark["status"],
  detail: string,
  remedy: string | null = null,
): DatabaseRemark {
  return { status, detail, remedy };
}
