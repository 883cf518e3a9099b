/**
 * What one transaction keeps in memory while its entries are applied: balances and calls as they are
 * stored, and what becomes of them. A node's balances are its leases, which nobody else changes while
 * its session lives; whoever is no node has the whole balances to itself, and locks them. Rows are
 * written by `flush`, all of them in one statement, each call's once: however much of its life a batch
 * has, it is what that comes to.
 *
 * @module
 */

import { type BookId, MAIN_BOOK } from "../../domain/book.ts";
import type { ClosedCall, LedgerRow } from "../../domain/call.ts";
import type { AmountE8 } from "../../domain/money.ts";
import type { SessionId } from "../../domain/session.ts";
import type { MovingBalance, NewLedgerRow } from "../entries/call_steps.ts";
import type { ConfigurationVersion } from "../ports/configuration.ts";
import type { Entry } from "../ports/entry.ts";
import { ledgerValues } from "../rows/ledger_row.ts";
import type { ColumnValue } from "../rows/row_checksum.ts";
import type { Ask, Statement } from "./ask.ts";
import { type Pool, type Purse, Rows } from "./batch_rows.ts";
import { ALONE, COUNTED, GATHERED, REQUIRED } from "./batch_texts.ts";
import { needsOf } from "./entry_needs.ts";
import { type LeaseFacts, readLeaseFacts } from "./lease_facts.ts";
import type { KnownCall, SessionRows } from "./session_rows.ts";
import { recordset } from "./sql.ts";

/** What a batch goes on from. */
export interface BatchOptions {
  /** `seq` of the last ledger row of the session's book. */
  readonly lastSeq: number;
  /** Whose the calls are. */
  readonly session: SessionId;
  /** Whether others live beside it: it has leases, and a book of its own. */
  readonly isNode: boolean;
  /** As it is stored; `undefined` where no entry changes it, and it is not locked. */
  readonly configuration: ConfigurationVersion | undefined;
}

/** One batch, or one entry of it when entries are applied one by one. */
export class Batch {
  readonly #ask: Ask;
  readonly session: SessionId;
  readonly isNode: boolean;
  /** With this batch's own changes. */
  configuration: ConfigurationVersion | undefined;
  /** Of a node alone; `undefined` in place of one whose project is not there. */
  readonly #leases: Rows<Purse> = new Rows();
  readonly #noProjects: Set<string> = new Set();
  readonly #pools: Rows<Pool> = new Rows();
  /** Calls that the session is known to have open, as they are stored. */
  readonly #ownOpen: Set<number> = new Set();
  /** `undefined` for one that is not stored. */
  readonly #calls: Map<number, KnownCall | undefined> = new Map();
  /** Rows to be written. */
  #callRows: Map<number, readonly ColumnValue[]> = new Map();
  #ledger: ColumnValue[][] = [];
  #lastSeq: number;
  /** Of the main book, where it is not the session's. */
  #lastMainSeq: number | undefined;
  /** Where any of its entries is a lease. */
  leaseFacts: LeaseFacts | undefined;
  readonly closedCalls: ClosedCall[] = [];
  /** Ids of batches of requests that are there. */
  readonly knownBatches: Set<string> = new Set();

  constructor(ask: Ask, { lastSeq, session, isNode, configuration }: BatchOptions) {
    this.#ask = ask;
    this.#lastSeq = lastSeq;
    this.session = session;
    this.isNode = isNode;
    this.configuration = configuration;
  }

  /** `seq` of the last ledger row of the session's book, with this batch's own. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /**
   * Takes what entries will ask for from what the session knows; a call that it knows nothing of is taken
   * for one that is not stored, which {@linkcode Batch.takeAlone} has to prove.
   *
   * @param rows What it knows, which has to cover the entries.
   */
  recall(entries: readonly Entry[], rows: SessionRows): void {
    const { projects, calls } = needsOf(entries);
    for (const id of projects) this.#leases.put(id, { ...rows.lease(id)! });
    for (const id of calls) {
      const call = rows.openCall(id);
      if (call !== undefined) this.#ownOpen.add(id);
      this.#calls.set(id, call);
    }
  }

  /** Has what became of the session's own rows known, once it is written. */
  remember(rows: SessionRows): void {
    if (!this.isNode) return;
    for (const [id, lease] of this.#leases.all()) rows.putLease(id, lease);
    for (const [id, call] of this.#calls) {
      if (call !== undefined) rows.putCall(id, call, this.session);
    }
  }

  /** Reads, in one statement of each table, what entries will ask for, and locks what others may change. */
  async load(entries: readonly Entry[]): Promise<void> {
    const { projects, pools, leased, calls } = needsOf(entries);
    const loading = pools.length > 0 && this.isNode ? [this.#loadPools(pools, calls)] : [];
    if (leased.length > 0 && this.isNode) loading.push(this.#loadLeaseFacts(leased));
    if (calls.length > 0) loading.push(this.#loadBalances(projects), this.#loadCalls(calls));
    // They are asked for in this order, and in one turn.
    await Promise.all(loading);
  }

  /**
   * The project's balance as of the entries so far, of a node its lease; `undefined` if there is no such
   * project.
   */
  async balance(projectId: string): Promise<MovingBalance | undefined> {
    if (!this.isNode) return await this.pool(projectId);
    const isKnown = this.#leases.has(projectId) || this.#noProjects.has(projectId);
    if (!isKnown) await this.#loadBalances([projectId]);
    return this.#leases.of(projectId);
  }

  /** What nobody has leased of it, locked; `undefined` if there is no such project. */
  async pool(projectId: string): Promise<Pool | undefined> {
    if (!this.#pools.has(projectId)) await this.#loadPools([projectId]);
    return this.#pools.of(projectId);
  }

  /** The balance that a call's hold is in: where it is no call of this node's, it is held in the pool. */
  async balanceOf(
    call: Pick<KnownCall, "projectId" | "session">,
  ): Promise<MovingBalance | undefined> {
    const balance = await this.balance(call.projectId);
    if (balance === undefined || !this.isNode || call.session === this.session) return balance;
    const pool = (await this.pool(call.projectId))!;
    return {
      get avail() {
        return balance.avail;
      },
      set avail(avail) {
        balance.avail = avail;
      },
      get held() {
        return pool.held;
      },
      set held(held) {
        pool.held = held;
      },
    };
  }

  /** A call as of the entries so far; `undefined` if there is none. */
  async call(callId: number): Promise<KnownCall | undefined> {
    if (!this.#calls.has(callId)) await this.#loadCalls([callId]);
    return this.#calls.get(callId);
  }

  /** Writes a call's row, in the place of an open one. */
  putCall(callId: number, call: KnownCall, values: readonly ColumnValue[]): void {
    this.#calls.set(callId, call);
    this.#callRows.set(callId, [...values, call.session]);
  }

  /** Appends the end of a call to the session's book. */
  async appendOutcome(row: NewLedgerRow): Promise<void> {
    const { projectId, kind, amountE8 } = row;
    const seq = ++this.#lastSeq;
    const balance = (await this.balance(projectId))!;
    let balanceAfterE8 = balance.avail + balance.held;
    if (this.isNode) {
      const lease = this.#leases.of(projectId)!;
      if (kind === "settle") lease.booked -= amountE8;
      balanceAfterE8 = lease.booked;
    }
    this.#putRow(this.isNode ? this.session : MAIN_BOOK, { ...row, seq, balanceAfterE8 });
  }

  /** A balance with what all nodes have leased of it. */
  async total(projectId: string): Promise<AmountE8> {
    const { avail, held } = (await this.pool(projectId))!;
    if (!this.isNode) return avail + held;
    const own = (await this.balance(projectId))!;
    const others = await this.#ask.getWide(
      `SELECT coalesce(sum(left_e8 + leases.held_e8), 0) AS e8 FROM leases
       WHERE project_id = ? AND session_id <> ?`,
      projectId,
      this.session,
    );
    return avail + held + own.avail + own.held + (others!.e8 as bigint);
  }

  /** Adds a credit to what nobody has leased, and appends it to the main book. */
  async credit(row: NewLedgerRow, pool: Pool): Promise<void> {
    pool.avail += row.amountE8;
    if (!this.isNode) return await this.appendOutcome(row);
    // Whoever credits holds the configuration's row: nobody else writes this book.
    this.#lastMainSeq ??= await this.#readNumber(
      `SELECT coalesce(max(seq), 0) AS n FROM ledger WHERE book = ${MAIN_BOOK}`,
    );
    await this.flush();
    const { balance_after_e8: before = 0n } = await this.#ask.getWide(
      `SELECT balance_after_e8 FROM ledger WHERE book = ${MAIN_BOOK} AND project_id = ?
       ORDER BY seq DESC LIMIT 1`,
      row.projectId,
    ) ?? {};
    const balanceAfterE8 = before as bigint + row.amountE8;
    this.#putRow(MAIN_BOOK, { ...row, seq: ++this.#lastMainSeq, balanceAfterE8 });
  }

  /** Notes a call that this batch has closed, for the usage sums. */
  noteClosed(call: ClosedCall): void {
    this.closedCalls.push(call);
  }

  /** Writes what was gathered, before something asks the tables. */
  async flush(): Promise<void> {
    const gathered = this.#takeGathered();
    if (gathered === undefined) return;
    const written = await this.#ask.get(COUNTED, ...gathered.rows);
    for (const [index, what] of Object.keys(GATHERED).entries()) {
      const count = gathered.counts[index]!;
      if (written![what] === count) continue;
      throw new Error(`${String(written![what])} of ${count} ${what} may be written`);
    }
  }

  /** The statement that writes what was gathered, as the last of its transaction. */
  takeEnding(): Statement | undefined {
    const gathered = this.#takeGathered();
    if (gathered === undefined) return undefined;
    return { sql: REQUIRED, values: [...gathered.rows, ...gathered.counts] };
  }

  /**
   * The statement that writes what was gathered of entries that were recalled, and is a transaction by
   * itself: with the count that the session comes to by it.
   *
   * @throws {Error} Where nothing was gathered, or something that is not the session's own.
   */
  takeAlone(): (batchNo: number) => Statement {
    const newCalls = [...this.#callRows.keys()].filter((callId) => !this.#ownOpen.has(callId));
    const { rows, counts } = this.#takeGathered() ?? { rows: [], counts: [] };
    if (counts.length === 0 || counts.pop() !== 0) {
      throw new Error("What was gathered cannot be written alone");
    }
    const values = [...rows.slice(0, counts.length), ...counts, newCalls];
    return (batchNo) => ({ sql: ALONE, values: [...values, batchNo, this.session] });
  }

  /** Rows of each table as JSON, and how many they are; `undefined` if there are none. */
  #takeGathered(): { readonly rows: string[]; readonly counts: number[] } | undefined {
    const pools = this.#pools.takeChanged()
      .map(([id, { avail, held, wantedUntil }]) => [id, avail, held, wantedUntil]);
    const leases = this.#leases.takeChanged()
      .map(([id, { avail, held, booked }]) => [this.session, id, avail, held, booked]);
    const gathered: Readonly<
      Record<keyof typeof GATHERED, readonly (readonly ColumnValue[])[]>
    > = { calls: [...this.#callRows.values()], rows: this.#ledger, leases, pools };
    this.#callRows = new Map();
    this.#ledger = [];
    const tables = (Object.keys(GATHERED) as (keyof typeof GATHERED)[])
      .map((what) => ({ columns: GATHERED[what], rows: gathered[what] }));
    const counts = tables.map(({ rows }) => rows.length);
    if (counts.every((count) => count === 0)) return undefined;
    return { rows: tables.map(({ columns, rows }) => recordset(columns, rows)), counts };
  }

  #putRow(book: BookId, row: Omit<LedgerRow, "book">): void {
    this.#ledger.push([book, ...ledgerValues(row)]);
  }

  async #readNumber(sql: string): Promise<number> {
    return (await this.#ask.get(sql))!.n as number;
  }

  /** Locks them, in order, with those that others' calls are in: whoever else moves money waits. */
  async #loadPools(ids: readonly string[], callIds: readonly number[] = []): Promise<void> {
    const rows = await this.#ask.allWide(
      `SELECT id, avail_e8, held_e8, wanted_until FROM projects
       WHERE id = ANY(?1::text[] || ARRAY(SELECT project_id FROM calls
         WHERE call_id = ANY(?2::bigint[]) AND state = 'open' AND session_id <> ?3::bigint))
       ORDER BY id FOR NO KEY UPDATE`,
      ids,
      callIds,
      this.session,
    );
    for (const row of rows) {
      if (this.#pools.has(row.id as string)) continue;
      this.#pools.put(row.id as string, {
        avail: row.avail_e8 as bigint,
        held: row.held_e8 as bigint,
        wantedUntil: Number(row.wanted_until),
      });
    }
  }

  async #loadLeaseFacts(projectIds: readonly string[]): Promise<void> {
    this.leaseFacts = await readLeaseFacts(this.#ask, { session: this.session, projectIds });
  }

  async #loadBalances(ids: readonly string[]): Promise<void> {
    if (!this.isNode) return await this.#loadPools(ids);
    const unknown = ids.filter((id) => !this.#leases.has(id));
    const rows = await this.#ask.allWide(
      `SELECT projects.id, coalesce(left_e8, 0) AS left_e8, coalesce(leases.held_e8, 0) AS held_e8,
         coalesce(booked_e8, 0) AS booked_e8
       FROM projects LEFT JOIN leases ON leases.project_id = projects.id AND session_id = ?
       WHERE projects.id = ANY(?)`,
      this.session,
      unknown,
    );
    for (const id of unknown) this.#noProjects.add(id);
    for (const row of rows) {
      this.#noProjects.delete(row.id as string);
      this.#leases.put(row.id as string, {
        avail: row.left_e8 as bigint,
        held: row.held_e8 as bigint,
        booked: row.booked_e8 as bigint,
      });
    }
  }

  /** Of others' calls, as they are once nobody else can close them. */
  async #loadCalls(callIds: readonly number[]): Promise<void> {
    for (const callId of callIds) this.#calls.set(callId, undefined);
    await this.#readCalls(callIds);
    if (!this.isNode) return;
    const foreign = callIds.filter((callId) => {
      const call = this.#calls.get(callId);
      return call?.state === "open" && call.session !== this.session;
    });
    if (foreign.length === 0) return;
    const pools = foreign.map((callId) => this.#calls.get(callId)!.projectId);
    const unlocked = new Set(pools.filter((id) => !this.#pools.has(id)));
    if (unlocked.size > 0) await this.#loadPools([...unlocked]);
    await this.#readCalls(foreign);
  }

  async #readCalls(callIds: readonly number[]): Promise<void> {
    const rows = await this.#ask.allWide(
      `SELECT call_id, state, project_id, held_e8, unlimited, session_id FROM calls
       WHERE call_id = ANY(?)`,
      callIds,
    );
    for (const row of rows) {
      this.#calls.set(Number(row.call_id), {
        state: row.state as KnownCall["state"],
        projectId: row.project_id as string,
        heldE8: row.held_e8 as bigint,
        unlimited: row.unlimited === 1n,
        session: Number(row.session_id),
      });
    }
  }
}
