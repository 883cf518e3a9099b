/**
 * The rows about money of a database, read as the file has them: nothing of the program's own code
 * takes part.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";

/** A project's balance. */
export interface ProjectRow {
  readonly id: string;
  readonly unlimited: boolean;
  readonly avail: bigint;
  readonly held: bigint;
}

/** A call. */
export interface CallRow {
  readonly callId: bigint;
  readonly requestId: string;
  readonly projectId: string;
  readonly keyId: string;
  readonly capability: string;
  readonly model: string;
  readonly route: string;
  readonly priceVersion: bigint;
  readonly unlimited: boolean;
  readonly state: "open" | "settled" | "released";
  readonly result: string | undefined;
  readonly attempts: bigint;
  readonly held: bigint;
  readonly promptTokens: bigint;
  readonly completionTokens: bigint;
  readonly cachedTokens: bigint;
  readonly cacheWriteTokens: bigint;
  readonly reasoningTokens: bigint;
  readonly usageSource: string | undefined;
  readonly images: bigint;
  /** Counts of units without a column of their own. */
  readonly others: Readonly<Record<string, number>>;
  readonly videoSize: string | undefined;
  readonly videoSeconds: bigint;
  /** How much of the film is priced; 100 for all of it. */
  readonly videoPercent: bigint;
  readonly cost: bigint;
  readonly sale: bigint;
  readonly charged: bigint;
  readonly loss: bigint;
  readonly openedAt: bigint;
  readonly closedAt: bigint | undefined;
}

/** A row of the ledger. */
export interface LedgerRow {
  /** 0 for the book that credits are in. */
  readonly book: bigint;
  readonly seq: bigint;
  readonly projectId: string;
  readonly kind: "credit" | "settle" | "release" | "loss";
  readonly amount: bigint;
  readonly balanceAfter: bigint;
  readonly callId: bigint | undefined;
}

/** A price version as stored: JSON with amounts as strings of 1e-8 units. */
export interface PriceRow {
  readonly version: bigint;
  readonly cost: string | undefined;
  readonly sale: string | undefined;
}

/** Everything about money. */
export interface BookRows {
  readonly projects: readonly ProjectRow[];
  readonly calls: readonly CallRow[];
  readonly ledger: readonly LedgerRow[];
  readonly prices: readonly PriceRow[];
  /** `table.column` of every value that is a floating point number, in any table. */
  readonly reals: readonly string[];
}

/** A row of a table, by its columns' names. */
export type Row = Readonly<Record<string, bigint | string | null>>;

/** Reads the database of a data dir in one moment, whether or not a server has it open. */
export function readBookRows(dataDir: string): BookRows {
  using database = new DatabaseSync(`${dataDir}/tollgate.db`, { readOnly: true });
  database.exec("PRAGMA busy_timeout = 5000; BEGIN");
  const all = (sql: string): Row[] => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement.all() as Row[];
  };
  return bookRowsOf({
    projects: all("SELECT * FROM projects"),
    calls: all("SELECT * FROM calls ORDER BY call_id"),
    ledger: all("SELECT * FROM ledger ORDER BY seq"),
    prices: all("SELECT * FROM price_versions"),
  }, findReals(all));
}

/**
 * What rows of the tables tell.
 *
 * @param reals `table.column` of every value that is a floating point number, in any table.
 */
export function bookRowsOf(
  tables: Readonly<Record<"projects" | "calls" | "ledger" | "prices", readonly Row[]>>,
  reals: readonly string[],
): BookRows {
  return {
    projects: tables.projects.map((row) => ({
      id: row.id as string,
      unlimited: row.unlimited === 1n,
      avail: row.avail_e8 as bigint,
      held: row.held_e8 as bigint,
    })),
    calls: tables.calls.map(callOf),
    ledger: tables.ledger.map((row) => ({
      book: (row.book ?? 0n) as bigint,
      seq: row.seq as bigint,
      projectId: row.project_id as string,
      kind: row.kind as LedgerRow["kind"],
      amount: row.amount_e8 as bigint,
      balanceAfter: row.balance_after_e8 as bigint,
      callId: (row.call_id ?? undefined) as bigint | undefined,
    })),
    prices: tables.prices.map((row) => ({
      version: row.version as bigint,
      cost: (row.cost ?? undefined) as string | undefined,
      sale: (row.sale ?? undefined) as string | undefined,
    })),
    reals,
  };
}

function callOf(row: Row): CallRow {
  return {
    callId: row.call_id as bigint,
    requestId: row.request_id as string,
    projectId: row.project_id as string,
    keyId: row.key_id as string,
    capability: row.capability as string,
    model: row.model as string,
    route: row.route as string,
    priceVersion: row.price_version as bigint,
    unlimited: row.unlimited === 1n,
    state: row.state as CallRow["state"],
    result: (row.result ?? undefined) as string | undefined,
    attempts: row.attempts as bigint,
    held: row.held_e8 as bigint,
    promptTokens: row.prompt_tokens as bigint,
    completionTokens: row.completion_tokens as bigint,
    cachedTokens: row.cached_tokens as bigint,
    cacheWriteTokens: row.cache_write_tokens as bigint,
    reasoningTokens: row.reasoning_tokens as bigint,
    usageSource: (row.usage_source ?? undefined) as string | undefined,
    images: row.images as bigint,
    others: JSON.parse((row.further ?? "{}") as string).work ?? {},
    videoSize: (row.video_size ?? undefined) as string | undefined,
    videoSeconds: (row.video_seconds ?? 0n) as bigint,
    videoPercent: (row.video_percent ?? 100n) as bigint,
    cost: row.cost_e8 as bigint,
    sale: row.sale_e8 as bigint,
    charged: row.charged_e8 as bigint,
    loss: row.loss_e8 as bigint,
    openedAt: row.opened_at as bigint,
    closedAt: (row.closed_at ?? undefined) as bigint | undefined,
  };
}

function findReals(all: (sql: string) => Row[]): readonly string[] {
  const tables = all("SELECT name FROM sqlite_schema WHERE type = 'table'").map(({ name }) => name);
  return tables.flatMap((table) => {
    const columns = all(`SELECT name FROM pragma_table_info('${table}')`).map(({ name }) => name);
    if (columns.length === 0) return [];
    const counts = columns.map((column) => `sum(typeof("${column}") = 'real') AS "${column}"`);
    const [found] = all(`SELECT ${counts.join(", ")} FROM "${table}"`);
    return columns.filter((column) => ((found![column as string] ?? 0n) as bigint) > 0n)
      .map((column) => `${table}.${column}`);
  });
}
