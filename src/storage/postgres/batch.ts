/**
 * What one transaction keeps in memory while its entries are applied: balances and calls as they are
 * stored, and what becomes of them. Rows are written by `flush`, all of them in one statement, each
 * call's once: however much of its life a batch has, it is what that comes to.
 *
 * @module
 */

import { MAIN_BOOK } from "../../domain/book.ts";
import type { ClosedCall } from "../../domain/call.ts";
import type { SessionId } from "../../domain/session.ts";
import type { MovingBalance, NewLedgerRow, StoredHold } from "../entries/call_steps.ts";
import type { ConfigurationVersion } from "../ports/configuration.ts";
import type { Entry } from "../ports/entry.ts";
import { CALL_COLUMNS } from "../rows/call_row.ts";
import { LEDGER_COLUMNS, ledgerValues } from "../rows/ledger_row.ts";
import type { ColumnValue } from "../rows/row_checksum.ts";
import type { Ask } from "./ask.ts";
import { recordset } from "./sql.ts";

/** What is stored of a call that an entry goes on with. */
export interface KnownCall extends StoredHold {
  readonly unlimited: boolean;
}

/** What a batch goes on from. */
export interface BatchOptions {
  /** `seq` of the last ledger row. */
  readonly lastSeq: number;
  /** Whose the calls are. */
  readonly session: SessionId;
  /** As it is stored; `undefined` where no entry changes it, and it is not locked. */
  readonly configuration: ConfigurationVersion | undefined;
}

const CALL_VALUES = [...CALL_COLUMNS, "checksum"];
const CALL_INSERT = [...CALL_VALUES, "session_id"];
const LEDGER_VALUES = [...LEDGER_COLUMNS, "checksum"];
const SET_CALL = CALL_VALUES.slice(1).map((column) => `${column} = excluded.${column}`).join(", ");
const CALL_NAMES = CALL_INSERT.join(", ");
const LEDGER_NAMES = ["book", ...LEDGER_VALUES].join(", ");

/** Whose a call is stays as it was; one that has ended is never written again. */
const WRITE = `WITH written_calls AS (
    INSERT INTO calls (${CALL_NAMES})
    SELECT ${CALL_NAMES} FROM json_populate_recordset(NULL::calls, ?1::text::json) ORDER BY call_id
    ON CONFLICT (call_id) DO UPDATE SET ${SET_CALL} WHERE calls.state = 'open'
    RETURNING 1 AS one),
  written_rows AS (
    INSERT INTO ledger (${LEDGER_NAMES})
    SELECT ${LEDGER_NAMES} FROM json_populate_recordset(NULL::ledger, ?2::text::json)
    RETURNING 1 AS one),
  moved AS (
    UPDATE projects SET avail_e8 = purse.avail_e8, held_e8 = purse.held_e8
    FROM json_populate_recordset(NULL::projects, ?3::text::json) AS purse
    WHERE projects.id = purse.id
    RETURNING 1 AS one)
  SELECT (SELECT count(*) FROM written_calls) AS calls,
    (SELECT count(*) FROM written_rows) AS rows, (SELECT count(*) FROM moved) AS purses`;

/** One batch, or one entry of it when entries are applied one by one. */
export class Batch {
  readonly #ask: Ask;
  readonly session: SessionId;
  /** With this batch's own changes. */
  configuration: ConfigurationVersion | undefined;
  readonly #balances: Map<string, MovingBalance> = new Map();
  /** As they are stored. */
  readonly #stored: Map<string, Readonly<MovingBalance>> = new Map();
  /** `undefined` for one that is not stored. */
  readonly #calls: Map<number, KnownCall | undefined> = new Map();
  /** Rows to be written. */
  #callRows: Map<number, readonly ColumnValue[]> = new Map();
  #ledger: ColumnValue[][] = [];
  #lastSeq: number;
  readonly closedCalls: ClosedCall[] = [];
  /** Ids of batches of requests that are there. */
  readonly knownBatches: Set<string> = new Set();

  constructor(ask: Ask, { lastSeq, session, configuration }: BatchOptions) {
    this.#ask = ask;
    this.#lastSeq = lastSeq;
    this.session = session;
    this.configuration = configuration;
  }

  /** `seq` of the last ledger row, with this batch's own. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Reads, in one statement of each table, what entries will ask for. */
  async load(entries: readonly Entry[]): Promise<void> {
    const projects = new Set<string>();
    const calls = new Set<number>();
    for (const entry of entries) {
      for (const call of callsOf(entry)) {
        projects.add(call.projectId);
        calls.add(call.callId);
      }
    }
    if (calls.size === 0) return;
    await this.#loadBalances([...projects]);
    await this.#loadCalls([...calls]);
  }

  /** The project's balance as of the entries so far; `undefined` if there is no such project. */
  async balance(projectId: string): Promise<MovingBalance | undefined> {
    if (!this.#balances.has(projectId)) await this.#loadBalances([projectId]);
    return this.#balances.get(projectId);
  }

  /** A call as of the entries so far; `undefined` if there is none. */
  async call(callId: number): Promise<KnownCall | undefined> {
    if (!this.#calls.has(callId)) await this.#loadCalls([callId]);
    return this.#calls.get(callId);
  }

  /** Writes a call's row, in the place of an open one. */
  putCall(callId: number, call: KnownCall, values: readonly ColumnValue[]): void {
    this.#calls.set(callId, call);
    this.#callRows.set(callId, values);
  }

  /** Appends to the ledger. The balance after the row is the one the batch has now. */
  appendLedger(row: NewLedgerRow, balance: MovingBalance): void {
    const seq = ++this.#lastSeq;
    const balanceAfterE8 = balance.avail + balance.held;
    this.#ledger.push(ledgerValues({ ...row, seq, balanceAfterE8 }));
  }

  /** Notes a call that this batch has closed, for the usage sums. */
  noteClosed(call: ClosedCall): void {
    this.closedCalls.push(call);
  }

  /** Writes what was gathered: before something asks the tables, and at the end. */
  async flush(): Promise<void> {
    const calls = [...this.#callRows.values()].map((values) => [...values, this.session]);
    const rows = this.#ledger.map((values) => [MAIN_BOOK, ...values]);
    const purses = [...this.#balances].filter(([id, { avail, held }]) => {
      const stored = this.#stored.get(id)!;
      return avail !== stored.avail || held !== stored.held;
    }).map(([id, { avail, held }]) => [id, avail, held]);
    if (calls.length === 0 && rows.length === 0 && purses.length === 0) return;
    this.#callRows = new Map();
    this.#ledger = [];
    const written = await this.#ask.get(
      WRITE,
      recordset(CALL_INSERT, calls),
      recordset(["book", ...LEDGER_VALUES], rows),
      recordset(["id", "avail_e8", "held_e8"], purses),
    );
    const expected = { calls: calls.length, rows: rows.length, purses: purses.length };
    for (const [what, count] of Object.entries(expected)) {
      if (written![what] === count) continue;
      throw new Error(`${String(written![what])} of ${count} ${what} were written`);
    }
    for (const [id, { avail, held }] of this.#balances) this.#stored.set(id, { avail, held });
  }

  /** Locks them, in order: whoever else moves money waits. */
  async #loadBalances(ids: readonly string[]): Promise<void> {
    const rows = await this.#ask.allWide(
      `SELECT id, avail_e8, held_e8 FROM projects WHERE id = ANY(?) ORDER BY id FOR UPDATE`,
      ids,
    );
    for (const row of rows) {
      const purse = { avail: row.avail_e8 as bigint, held: row.held_e8 as bigint };
      this.#stored.set(row.id as string, purse);
      this.#balances.set(row.id as string, { ...purse });
    }
  }

  async #loadCalls(callIds: readonly number[]): Promise<void> {
    for (const callId of callIds) this.#calls.set(callId, undefined);
    const rows = await this.#ask.allWide(
      "SELECT call_id, state, project_id, held_e8, unlimited FROM calls WHERE call_id = ANY(?)",
      callIds,
    );
    for (const row of rows) {
      this.#calls.set(Number(row.call_id), {
        state: row.state as KnownCall["state"],
        projectId: row.project_id as string,
        heldE8: row.held_e8 as bigint,
        unlimited: row.unlimited === 1n,
      });
    }
  }
}

function callsOf(
  entry: Entry,
): readonly { readonly callId: number; readonly projectId: string }[] {
  switch (entry.kind) {
    case "hold":
    case "rehold":
    case "close":
    case "create_video":
      return [entry.call];
    case "change_video":
      return [entry.move, entry.close].filter((call) => call !== undefined);
    case "delete_video":
      return entry.close === undefined ? [] : [entry.close];
    default:
      return [];
  }
}
