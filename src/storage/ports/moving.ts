/**
 * Databases as they are moved from one engine to another: every table, row by row, as it is.
 *
 * @module
 */

import type { Balance } from "../../domain/account.ts";

/** A value of a column. Whole numbers are BigInts: exact, however large. */
export type MovedValue = string | number | bigint | null;

/** A table that is moved, and the columns that its rows are told apart and put in order by. */
export interface MovedTable {
  readonly name: string;
  readonly key: readonly string[];
}

/** Rows of a table. */
export interface MovedRows {
  readonly table: MovedTable;
  readonly columns: readonly string[];
  /** Each with its values in the order of the columns. */
  readonly rows: readonly (readonly MovedValue[])[];
}

function table(name: string, ...key: readonly string[]): MovedTable {
  return { name, key };
}

/** Tables whose rows never change: what a target has of them stays. */
export const FOLLOWED = {
  prices: table("price_versions", "version"),
  ledger: table("ledger", "seq"),
  audit: table("audit", "seq"),
} as const;

/** One of {@linkcode FOLLOWED}. */
export type FollowedName = keyof typeof FOLLOWED;

/** Calls, which come with the rows of the ledger that close them. */
export const CALLS = table("calls", "call_id");

/** What others refer to: it comes first. */
export const FIRST_TABLES: readonly MovedTable[] = [
  table("projects", "id"),
  table("keys", "id"),
  table("admin_tokens", "id"),
  table("providers", "id"),
  table("models", "id"),
  table("routes", "id"),
  table("checkpoints", "number"),
  table("kept_references", "project_id", "reference"),
];

/** What refers to calls, and the rest. */
export const LAST_TABLES: readonly MovedTable[] = [
  table("kept_calls", "call_id"),
  table("audit_parts", "subject", "seq"),
  table("usage_hourly", "hour", "project_id", "model", "provider", "route"),
  table("spend_hourly", "hour", "project_id", "key_id"),
  table(
    "detail_hourly",
    ...["hour", "project_id", "key_id", "capability", "model", "provider", "route"],
  ),
  table("spend_states", "scope", "subject_id"),
  table("kept_bytes", "project_id"),
  table("stored_answers", "project_id", "path", "key"),
  table("cached_answers", "project_id", "path", "key"),
  table("stored_responses", "call_id"),
  table("stored_response_items", "project_id", "item_id", "call_id"),
  table("video_tasks", "call_id"),
  table("webhook_secrets", "project_id"),
  table("webhook_messages", "place"),
  table("uploaded_files", "place"),
  table("batches", "place"),
  table("batch_lines", "batch_id", "line"),
  table("refusal_hourly", "hour", "project_id", "key_id", "model", "reason", "why"),
  table("refused_requests", "place"),
];

/** Every table, in the order in which they come. */
export const MOVED_TABLES: readonly MovedTable[] = [
  ...FIRST_TABLES,
  FOLLOWED.prices,
  FOLLOWED.ledger,
  CALLS,
  FOLLOWED.audit,
  ...LAST_TABLES,
];

/** Single facts that are moved, by their names. */
export const MOVED_FACTS: readonly string[] = [
  "request_id_key",
  "currency",
  "audit_last",
  "usage_covers_ledger_seq",
  "video_pauses",
  "detail_whole_since",
  "detail_days_before_hour",
  "spend_rule_since_hour",
  "catalogue_revision",
];

/** Facts of one database alone. */
const OWN_FACTS: readonly string[] = [
  ...["last_session", "detail_backfill_seq", "own_prices"],
  ...["schema_version", "least_schema_version", "config", "move"],
];

/**
 * The facts that are moved, of all that a database has.
 *
 * @throws {Error} If it has one of which nothing is known here: it would be lost.
 */
export function movedFacts(all: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const unknown = [...all.keys()].find((name) =>
    !MOVED_FACTS.includes(name) && !OWN_FACTS.includes(name)
  );
  if (unknown !== undefined) throw new Error(`Nothing is known of the fact '${unknown}'`);
  return new Map([...all].filter(([name]) => MOVED_FACTS.includes(name)));
}

/** Where a followed table stands: its last row's key, and that row's checksum. */
export interface FollowedPlace {
  readonly key: bigint;
  readonly checksum: bigint;
}

/** How many rows tables have, by their names. */
export type MovedCounts = ReadonlyMap<string, bigint>;

/** What both sides of a move can tell of themselves. */
export interface MovedSide {
  /** For people: no user, no password. */
  readonly name: string;
  counts(): Promise<MovedCounts>;
  balances(): Promise<readonly Balance[]>;
  close(): Promise<void>;
}

/** A database that is read at one moment. */
export interface MoveSource extends MovedSide {
  facts(): Promise<ReadonlyMap<string, string>>;
  /** What it has of the archives, to be compared: their numbers and hashes. */
  archives(): Promise<string>;
  /** The checksum of a followed row; `undefined` where there is no such row. */
  checksumAt(name: FollowedName, key: bigint): Promise<bigint | undefined>;
  /** All rows of a table, or those behind one, some at a time. */
  rows(table: MovedTable, after?: bigint): AsyncIterable<MovedRows>;
  /** Calls by their ids. */
  callsOf(ids: readonly bigint[]): Promise<MovedRows>;
  /** Calls that no row of the ledger names: open ones, and those that outlived their archive. */
  callsWithoutRows(): AsyncIterable<MovedRows>;
}

/** A database that is filled. */
export interface MoveTarget extends MovedSide {
  /**
   * Makes it ready for a source: what an earlier move of the same one has brought of followed tables
   * stays, all else goes. From now on nobody serves from it.
   *
   * @throws {StorageOpenError} If it is in use, or another's.
   */
  begin(source: MoveSource): Promise<MoveBegin>;
  /** Adds rows, all or none. Calls that are there already stay as they are. */
  put(rows: readonly MovedRows[]): Promise<void>;
  /** Says that all is there but for what is checked yet, with the facts. */
  settle(facts: ReadonlyMap<string, string>): Promise<void>;
  /** From now on it may be served. */
  open(): Promise<void>;
}

/** How a move begins. */
export interface MoveBegin {
  /** Where followed tables go on; 0 from their first rows. */
  readonly after: Readonly<Record<FollowedName, bigint>>;
  /** What is said of an earlier move; `undefined` where there was none. */
  readonly earlier: string | undefined;
}

/** A session of one database is nothing to another: whoever it was has ended there. */
const ENDED = 0;
const INSTEAD: Readonly<Record<string, string>> = {
  "calls.session_id": String(ENDED),
  "stored_responses.session_id": String(ENDED),
  "video_tasks.lease_boot_id": `CASE WHEN lease_boot_id IS NULL THEN NULL ELSE '${ENDED}' END`,
};

/** What is selected of a column, in any engine's SQL. */
export function selectedOf({ name }: MovedTable, column: string): string {
  const instead = INSTEAD[`${name}.${column}`];
  return instead === undefined ? `"${column}"` : `${instead} AS "${column}"`;
}

/** Rows, and characters of their texts, that are held at one time. */
const MOST_ROWS = 1_000;
const MOST_CHARACTERS = 4_000_000;

/** Cuts rows into slices. */
export async function* sliced<Row extends readonly MovedValue[]>(
  rows: Iterable<Row> | AsyncIterable<Row>,
): AsyncGenerator<readonly Row[]> {
  let slice: Row[] = [];
  let characters = 0;
  for await (const row of rows) {
    slice.push(row);
    for (const value of row) if (typeof value === "string") characters += value.length;
    if (slice.length < MOST_ROWS && characters < MOST_CHARACTERS) continue;
    yield slice;
    slice = [];
    characters = 0;
  }
  if (slice.length > 0) yield slice;
}
