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
import { formatAmount } from "../../domain/money.ts";
import { nodeTroubles, type NodeView } from "../../domain/node_view.ts";
import { spanText } from "../../domain/span_text.ts";
import { answerWithin, LateError } from "../../domain/wait_at_most.ts";
import type { DatabaseDiagnosis, DatabaseRemark } from "../ports/maintenance.ts";
import type { ServerFacts, StandbyFacts } from "../ports/server_state.ts";
import { StorageOpenError } from "../ports/storage_open_error.ts";
import type { Ask } from "./ask.ts";
import { askOver, Connection, ConnectionLost, type PostgresPlace } from "./connection.ts";
import { refuseOthers } from "./migrations.ts";
import { readMark, whyNotServed } from "./move_mark.ts";
import { readNodes } from "./node_list.ts";
import { explainOpening } from "./open_error.ts";
import { isWorkable, readSchemaState, whyUnknown } from "./schema_state.ts";
import { readServerFacts, told } from "./server_facts.ts";
import { SERVER_NOW } from "./sql.ts";

const MIB = 1024 ** 2;
const APART_MS = 5_000;
/** A server that has not said a word until then is silent; one that has may be as slow as its deadline lets it. */
const FIRST_WORD_MS = 5_000;

/** How it is looked at. */
export interface DiagnoseServerOptions {
  /** Milliseconds in which it has to let its user in and answer once. Default 5,000. */
  readonly firstWordMs?: number;
}

/** Asks it a few things; what it does not tell its user is left out. */
export async function diagnoseServer(
  place: PostgresPlace,
  { firstWordMs = FIRST_WORD_MS }: DiagnoseServerOptions = {},
): Promise<DatabaseDiagnosis> {
  let connection: Connection | undefined;
  try {
    connection = await openHeard(place, firstWordMs);
    const read = readPostgresAddress(place.url);
    if (!read.ok) throw new StorageOpenError(read.message);
    const schema = await ofSchema(connection, formatPostgresAddress(read.address));
    const ask = askOver(connection);
    return {
      isReadable: schema.isReadable,
      remarks: [
        schema.remark,
        ...ofLine(read.address),
        ...await ofClock(ask),
        ...ofFacts(await readServerFacts(ask)),
        ...schema.isReadable ? await ofNodes(ask) : [],
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

/**
 * A connection that has answered once: a pooler lets in whom its server does not answer.
 *
 * @throws {ConnectionLost} If it has not within so many milliseconds.
 */
async function openHeard(place: PostgresPlace, firstWordMs: number): Promise<Connection> {
  const begun = performance.now();
  let connection: Connection | undefined;
  try {
    connection = await Connection.open(place, { connectMs: firstWordMs });
    const leftMs = Math.max(0, firstWordMs - (performance.now() - begun));
    await answerWithin(leftMs, connection.run("SELECT 1", []));
    return connection;
  } catch (error) {
    await connection?.close();
    const isSilent = error instanceof LateError ||
      (error instanceof ConnectionLost && /timeout expired/.test(error.message));
    if (!isSilent) throw error;
    const cause = new Error(`it has not answered within ${spanText(firstWordMs)}`);
    throw new ConnectionLost(cause.message, { cause });
  }
}

async function ofSchema(
  connection: Connection,
  name: string,
): Promise<{ readonly isReadable: boolean; readonly remark: DatabaseRemark }> {
  const begun = performance.now();
  const state = await readSchemaState(connection);
  const answerMs = (performance.now() - begun).toFixed(1);
  if (state === undefined) {
    await refuseOthers(connection);
    const empty = `${name} answers in ${answerMs} ms and is empty`;
    return {
      isReadable: false,
      remark: remark("ok", `${empty}: the first start makes its tables`),
    };
  }
  const unknown = whyUnknown(state);
  if (unknown !== undefined) return unreadable(unknown);
  const ask = askOver(connection);
  const [version, bytes] = [
    await told(ask, "SELECT version() AS value"),
    await told(ask, "SELECT pg_database_size(current_database()) AS value"),
  ].map((rows) => rows[0]?.value);
  const size = bytes === undefined ? "" : `, ${Math.ceil(Number(bytes) / MIB)} MiB`;
  const whyNot = whyNotServed(await readMark(connection));
  if (whyNot !== undefined) return unreadable(`${name}: ${whyNot}`);
  const detail = `${String(version).split(" (")[0]}: ${name} answers in ${answerMs} ms, ` +
    `schema version ${state.version}${size}`;
  return isWorkable(state)
    ? { isReadable: true, remark: remark("ok", detail) }
    : { isReadable: false, remark: remark("ok", `${detail}; the next start brings it up to date`) };
}

/** @param whyNot A sentence that says why, and what to do behind it. */
function unreadable(whyNot: string) {
  const [why, ...remedy] = whyNot.split(". ");
  return { isReadable: false, remark: remark("problem", why!, remedy.join(". ")) };
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

async function ofClock(ask: Ask): Promise<DatabaseRemark[]> {
  const [row] = await ask.all(`SELECT ${SERVER_NOW} AS now`);
  const aheadMs = Date.now() - Number(row!.now);
  if (Math.abs(aheadMs) < APART_MS) return [];
  return [
    remark(
      "warning",
      `This machine's clock is ${spanText(aheadMs)} ${
        aheadMs > 0 ? "ahead of" : "behind"
      } the server's`,
      "Set the one that is wrong (NTP): beyond 5 minutes nothing starts",
    ),
  ];
}

/** What a crash of the server may cost. */
function ofFacts(facts: ServerFacts): DatabaseRemark[] {
  const { isStandby, isReadOnly, switchedOff } = facts;
  return [
    ...(isReadOnly && isStandby !== true
      ? [
        remark(
          "problem",
          "The server takes no writes here: default_transaction_read_only is on",
          "Turn it off for the database and its user, or name the server that takes writes",
        ),
      ]
      : []),
    ...(isStandby === true
      ? [
        remark(
          "problem",
          "The server is a standby, which takes no writes",
          "Name the one that takes them in database_url, or promote this one",
        ),
      ]
      : []),
    ...(switchedOff.length > 0
      ? [
        remark(
          "problem",
          `The server has ${
            switchedOff.join(" and ")
          } off: a crash there loses calls that were charged`,
          "Turn them on in its settings",
        ),
      ]
      : []),
    ...(isStandby === true ? [] : [ofStandbys(facts)]),
  ];
}

/** Everybody sees how many there are, and not everybody whether they are synchronous. */
function ofStandbys(
  { standbys, synchronousCommit, synchronousStandbys = "" }: ServerFacts,
): DatabaseRemark {
  if (standbys.length === 0) {
    return synchronousStandbys === ""
      ? remark("ok", "No standby has a copy: what is confirmed is on that server alone")
      : remark(
        "problem",
        "The server confirms nothing before a synchronous standby has it, and there is none",
        "Start the standby, or ALTER SYSTEM SET synchronous_standby_names = '' there, and " +
          "pg_reload_conf(), until there is one",
      );
  }
  const detail = `${standbys.length} standby${standbys.length === 1 ? "" : "s"}`;
  const told = standbys.filter(({ mode }) => mode !== undefined);
  if (told.length === 0) {
    return remark(
      "ok",
      `${detail}; whether any is synchronous is not told`,
      "GRANT pg_read_all_stats to the user of database_url there to have it told",
    );
  }
  const all = `${detail} (${told.map(standbyText).join("; ")})`;
  if (!told.some(({ mode }) => mode === "sync" || mode === "quorum")) {
    return remark(
      "warning",
      `${all}, none of them synchronous: a failover may lose calls that were answered`,
      "Set synchronous_standby_names there",
    );
  }
  return synchronousCommit === "local" || synchronousCommit === "off"
    ? remark(
      "warning",
      `${all}, but synchronous_commit is ${synchronousCommit}: a failover may lose calls that ` +
        "were answered",
      "Set synchronous_commit to on there",
    )
    : remark("ok", `${all}, and one at least has all that is acknowledged`);
}

function standbyText({ name, state, mode, lagMs }: StandbyFacts): string {
  const lag = lagMs === undefined ? "" : `, ${lagMs} ms behind`;
  return `${name === "" ? "one" : name} ${state ?? ""} ${mode ?? ""}${lag}`;
}

async function ofNodes(ask: Ask): Promise<DatabaseRemark[]> {
  return (await readNodes(ask)).flatMap((node) => [
    remark("ok", nodeText(node)),
    ...nodeTroubles(node).map(({ detail, remedy }) =>
      remark("warning", `Session ${node.session} ${detail}`, remedy)
    ),
  ]);
}

function nodeText({ session, label, begunAt, beat, leased }: NodeView): string {
  const since = begunAt === undefined ? "" : ` since ${new Date(begunAt).toISOString()}`;
  const lives = beat === undefined ? "" : `, heard of ${(beat.agoMs / 1_000).toFixed(1)} s ago`;
  const has = leased.projects === 0
    ? ""
    : `; of ${leased.projects} balance${leased.projects === 1 ? "" : "s"} it has ` +
      `${formatAmount(leased.leftE8)}, and holds ${formatAmount(leased.heldE8)}`;
  return `In use by ${label}: session ${session}${since}${lives}${has}`;
}

function remark(
  status: DatabaseRemark["status"],
  detail: string,
  remedy: string | null = null,
): DatabaseRemark {
  return { status, detail, remedy };
}
