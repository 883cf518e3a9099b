/**
 * Writes batches of entries, each in one transaction.
 *
 * @module
 */

import { type BookId, MAIN_BOOK } from "../../domain/book.ts";
import type { ClosedCall } from "../../domain/call.ts";
import type { SessionId } from "../../domain/session.ts";
import type { ConfigurationVersion } from "../ports/configuration.ts";
import type { UnsummedSpend } from "../ports/budget_pools.ts";
import type { Entry, EntryResult } from "../ports/entry.ts";
import { SessionEnded, SessionLost } from "../ports/session_lost.ts";
import { CALL_COLUMNS } from "../rows/call_row.ts";
import { UsageSums } from "../rows/usage_sums.ts";
import type { Statement } from "./ask.ts";
import { EntryApplier } from "./apply_entry.ts";
import { Batch, type BatchOptions } from "./batch.ts";
import { isAdministrative, PostgresConfigurationStore } from "./configuration_store.ts";
import { isFromServer } from "./connection.ts";
import { concernsWholeDatabase, mayBeWritten, refusalFromError } from "./postgres_error.ts";
import { toCalls } from "./stored_calls.ts";
import { createStores, type PostgresStores } from "./stores.ts";
import { SessionRows } from "./session_rows.ts";
import { type CoveredBook, SumsOvertaken } from "./sum_store.ts";
import { type WriteOptions, WriteTurns } from "./write_turns.ts";

/** Usage sums are written after so long, or when they are so many. */
const USAGE_MS = 5_000;
const USAGE_ROWS = 2_000;

/** What a transaction has done. */
interface Written {
  readonly results: readonly EntryResult[];
  readonly closed: readonly ClosedCall[];
  readonly lastSeq: number;
  /** Where it was locked. */
  readonly configuration?: ConfigurationVersion | undefined;
  /** What is yet to be written. */
  readonly ending?: Statement | undefined;
  /** What has become of the session's rows; absent: they are to be read again. */
  readonly batch?: Batch;
}

/** What a batch of a transaction goes on from. */
type BatchStart = Pick<BatchOptions, "lastSeq" | "configuration">;

/** The one that writes for a session. */
export class BatchWriter {
  readonly #turns: WriteTurns;
  readonly #stores: PostgresStores;
  readonly #configuration: PostgresConfigurationStore;
  readonly #applier: EntryApplier;
  readonly #onVersion: (version: ConfigurationVersion) => void;
  readonly #usageMs: number;
  /** Whether what is written is this session's own, and not what an ended one has left. */
  readonly #isOwn: boolean;
  readonly #rows = new SessionRows();
  /** What closed calls come to that is not in its tables yet; `undefined` before the first transaction. */
  #usage: UsageSums | undefined;
  /** What its tables have, and shall have of ended sessions' books. */
  #uncovered: readonly CoveredBook[] = [];
  #usageWrittenAt = performance.now();
  /** `seq` of the last ledger row; `undefined` while it is not known. */
  #lastSeq: number | undefined;

  /** @param onVersion Hears of each version that this writer has made. */
  constructor(options: WriteOptions, onVersion: (version: ConfigurationVersion) => void) {
    this.#onVersion = onVersion;
    this.#usageMs = options.usageMs ?? USAGE_MS;
    this.#isOwn = options.lateFor === undefined;
    this.#turns = new WriteTurns(options);
    this.#stores = createStores(this.#turns.ask, () => this.#turns.session);
    this.#configuration = new PostgresConfigurationStore(this.#turns.ask);
    this.#applier = new EntryApplier(this.#turns.ask, this.#stores, options.lateFor);
  }

  /** Whose is what is written. */
  get session(): SessionId {
    return this.#turns.session;
  }

  /** See {@linkcode WriteTurns.slot}. */
  get slot(): number {
    return this.#turns.slot;
  }

  /** Begins another session and ends all before it. */
  beginSession(): Promise<SessionId> {
    return this.#turns.inTurn(() => {
      this.#forget();
      return this.#turns.beginSession();
    });
  }

  /**
   * One result per entry, in order. A node's usual batch is one statement; what that refuses, and any other,
   * is a transaction. It is tried as a whole; if an entry breaks a constraint, it is
   * written again with a savepoint around each entry, so that entries succeed or fail alone. Trouble with
   * the database as a whole refuses every entry; the next batch may succeed.
   *
   * @throws {SessionEnded} Where others have ended the session before any of it was written.
   */
  write(entries: readonly Entry[]): Promise<readonly EntryResult[]> {
    if (entries.length === 0) return Promise.resolve([]);
    return this.#turns.inTurn(async () => {
      try {
        const written = await this.#writeAtOnce(entries);
        if (written !== undefined) return written;
        return await this.#transaction(async (lastSeq) =>
          this.#writeTogether(entries, { lastSeq, configuration: await this.#lockFor(entries) })
        );
      } catch (error) {
        if (error instanceof SessionEnded) throw error;
        // Tried in another way it might be refused for having been written.
        if (concernsWholeDatabase(error) || mayBeWritten(error)) return refuseAll(entries, error);
      }
      try {
        // Usage sums wait, as it may be they that cannot be written: no entry is refused for them.
        return await this.#transaction(
          async (lastSeq) =>
            this.#writeOneByOne(entries, {
              lastSeq,
              configuration: await this.#lockFor(entries),
            }),
          false,
        );
      } catch (error) {
        if (error instanceof SessionEnded) throw error;
        return refuseAll(entries, error);
      }
    });
  }

  /** Writes usage sums that wait for company: before they are read. */
  writeUsage(): Promise<void> {
    return this.#turns.inTurn(() => this.#flushUsage());
  }

  async #flushUsage(): Promise<void> {
    if (this.#usage !== undefined && !this.#isAnythingUncovered(this.#usage)) return;
    try {
      await this.#transaction(
        (lastSeq) => Promise.resolve({ results: [], closed: [], lastSeq }),
        true,
      );
    } catch (error) {
      if (error instanceof SumsOvertaken) return await this.#flushUsage();
      // Sums are written by whoever has the session.
      if (!(error instanceof SessionLost)) throw error;
    }
  }

  /** What is spent by calls that are stored and in no sum; `undefined` while that is not known. */
  unsummed(): readonly UnsummedSpend[] | undefined {
    return this.#usage && [...this.#usage.spent()];
  }

  /** Sums of sessions that have ended are this one's to write now. */
  adoptEnded(): void {
    const adopting = this.#turns.inTurn(async () => {
      await this.#flushUsage();
      this.#usage = undefined;
    });
    // What cannot be written now has been forgotten, and is read again with the next batch.
    adopting.catch(() => {});
  }

  /** See {@linkcode WriteTurns.close}. */
  async close(farewellMs?: number): Promise<void> {
    await this.#turns.close(farewellMs);
  }

  /** One transaction; usage sums go along when they are due, and take in its calls once it is written. */
  async #transaction(
    write: (lastSeq: number) => Promise<Written>,
    isUsageDue = this.#isUsageDue,
  ): Promise<readonly EntryResult[]> {
    let usage: UsageSums;
    let isAgain = false;
    try {
      const { results, closed, lastSeq, batch } = await this.#turns.transaction(async () => {
        if (isAgain) this.#stores.uploads.sums.clear();
        isAgain = true;
        // Another connection may have been lost with what was remembered of it.
        const last = this.#lastSeq ??= await this.#readLastSeq();
        usage = this.#usage ??= await this.#readUsage(last);
        // The sums so far cover the ledger so far; the calls of this transaction are yet to come.
        if (isUsageDue && this.#isAnythingUncovered(usage)) {
          await this.#stores.sums.write(usage, this.#coveredWith(last));
        }
        const written = await write(last);
        return { value: written, ending: written.ending };
      });
      if (isUsageDue) {
        usage!.clear();
        this.#usageWrittenAt = performance.now();
        this.#uncovered = [{ ...this.#coveredWith(this.#lastSeq!)[0]!, from: this.#lastSeq! }];
      }
      this.#lastSeq = lastSeq;
      if (batch !== undefined && this.#isOwn) batch.remember(this.#rows);
      else this.#rows.clear();
      for (const call of closed) usage!.add(call);
      const last = results.findLast((result) => result.ok && result.configuration !== undefined);
      if (last?.ok === true) this.#onVersion(last.configuration!.after);
      return results;
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  /**
   * A node's usual batch, in one statement of what is known of its rows; `undefined` where it is another, or
   * is refused: nothing is written then, and a transaction tells why.
   */
  async #writeAtOnce(entries: readonly Entry[]): Promise<readonly EntryResult[] | undefined> {
    const lastSeq = this.#lastSeq;
    const usage = this.#usage;
    if (lastSeq === undefined || usage === undefined || this.#isUsageDue) return undefined;
    // Who is no node, or writes for another session, has none that are known.
    if (!this.#rows.cover(entries)) return undefined;
    const batch = this.#batchFrom({ lastSeq, configuration: undefined });
    batch.recall(entries, this.#rows);
    const results = await this.#applyAll(batch, entries);
    if (results.some(({ ok }) => !ok)) return undefined;
    try {
      await this.#turns.single(results, batch.takeAlone());
    } catch (error) {
      this.#rows.clear();
      // What the server refuses is not written, and what else is known goes on to hold.
      if (isFromServer(error) && !concernsWholeDatabase(error) && !mayBeWritten(error)) {
        return undefined;
      }
      this.#forget();
      throw error;
    }
    this.#lastSeq = batch.lastSeq;
    batch.remember(this.#rows);
    for (const call of batch.closedCalls) usage.add(call);
    return results;
  }

  /** What is stored now is read again: the rows, and the calls that no sum has. */
  #forget(): void {
    this.#lastSeq = undefined;
    this.#usage = undefined;
    this.#rows.clear();
    this.#stores.uploads.sums.clear();
  }

  get #isUsageDue(): boolean {
    return (this.#usage?.size ?? 0) >= USAGE_ROWS ||
      performance.now() - this.#usageWrittenAt >= this.#usageMs;
  }

  /** Before any balance is locked, and behind the session's own row, as at every other node. */
  async #lockFor(entries: readonly Entry[]): Promise<ConfigurationVersion | undefined> {
    return entries.some(isAdministrative) ? await this.#configuration.lock() : undefined;
  }

  /** All but the last statement, which ends the transaction in one round trip with its end. */
  async #writeTogether(entries: readonly Entry[], from: BatchStart): Promise<Written> {
    const { batch, results } = await this.#applied(entries, from);
    const ending = batch.takeEnding();
    const { closedCalls: closed, lastSeq, configuration } = batch;
    return { results, closed, lastSeq, configuration, ending, batch };
  }

  async #writeAlone(entry: Entry, from: BatchStart): Promise<Written> {
    const { batch, results } = await this.#applied([entry], from);
    await batch.flush();
    const { closedCalls: closed, lastSeq, configuration } = batch;
    return { results, closed, lastSeq, configuration };
  }

  async #applied(
    entries: readonly Entry[],
    from: BatchStart,
  ): Promise<{ readonly batch: Batch; readonly results: readonly EntryResult[] }> {
    const batch = this.#batchFrom(from);
    await batch.load(entries);
    return { batch, results: await this.#applyAll(batch, entries) };
  }

  #batchFrom(from: BatchStart): Batch {
    const { ask, session, isNode } = this.#turns;
    return new Batch(ask, { ...from, session, isNode });
  }

  async #applyAll(batch: Batch, entries: readonly Entry[]): Promise<readonly EntryResult[]> {
    const results: EntryResult[] = [];
    for (const entry of entries) results.push(await this.#applier.apply(batch, entry));
    return results;
  }

  async #writeOneByOne(entries: readonly Entry[], from: BatchStart): Promise<Written> {
    const { ask } = this.#turns;
    const results: EntryResult[] = [];
    const closed: ClosedCall[] = [];
    let { lastSeq, configuration } = from;
    for (const entry of entries) {
      await ask.run("SAVEPOINT entry");
      try {
        const written = await this.#writeAlone(entry, { lastSeq, configuration });
        await ask.run("RELEASE SAVEPOINT entry");
        results.push(...written.results);
        closed.push(...written.closed);
        ({ lastSeq, configuration } = written);
      } catch (error) {
        if (concernsWholeDatabase(error)) throw error;
        await ask.run("ROLLBACK TO SAVEPOINT entry");
        this.#stores.uploads.sums.clear();
        results.push(refusalFromError(error));
      }
    }
    return { results, closed, lastSeq, configuration };
  }

  async #readLastSeq(): Promise<number> {
    const sql = "SELECT coalesce(max(seq), 0) AS seq FROM ledger WHERE book = ?";
    return (await this.#turns.ask.get(sql, this.#book))!.seq as number;
  }

  /** The session's own. */
  get #book(): BookId {
    return this.#turns.isNode ? this.#turns.session : MAIN_BOOK;
  }

  #isAnythingUncovered(usage: UsageSums): boolean {
    return usage.size > 0 || this.#uncovered.some(({ isWhole }) => isWhole);
  }

  /** The own book first. */
  #coveredWith(lastSeq: number): readonly CoveredBook[] {
    const own = this.#uncovered.find(({ book }) => book === this.#book) ??
      { book: this.#book, from: 0, through: lastSeq, isWhole: false };
    return [{ ...own, through: lastSeq }, ...this.#uncovered.filter(({ isWhole }) => isWhole)];
  }

  /** Of calls that the ledger has and the sums have not, as a process died before they were written. */
  async #readUsage(lastSeq: number): Promise<UsageSums> {
    this.#uncovered = await this.#stores.sums.uncovered(this.#book, lastSeq);
    const columns = CALL_COLUMNS.map((column) => `calls.${column}`).join(", ");
    const usage = new UsageSums();
    for (const { book, from, through } of this.#uncovered) {
      if (through === from) continue;
      const rows = await this.#turns.ask.allWide(
        `SELECT ${columns} FROM ledger JOIN calls ON calls.call_id = ledger.call_id
         WHERE book = ? AND kind IN ('settle', 'release') AND seq > ? AND seq <= ?`,
        ...[book, from, through],
      );
      for (const call of toCalls(rows)) usage.add(call as ClosedCall);
    }
    return usage;
  }
}

/** Each entry refused for what speaks against all of them. */
export function refuseAll(entries: readonly Entry[], error: unknown): EntryResult[] {
  const refusal = refusalFromError(error);
  const reason = refusal.reason === "full" ? "full" : "unavailable";
  const doubt = mayBeWritten(error) && ({ mayBeWritten: true } as const);
  return entries.map(() => ({ ...refusal, reason, ...doubt }));
}
