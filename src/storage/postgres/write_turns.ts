/**
 * Transactions of a session, one at a time, each exactly once however often the way to the server is
 * cut: every one counts the session's `batch_no` on, so that it can be told afterwards whether one was
 * written whose end nobody has heard of.
 *
 * @module
 */

import { EARLIER_SESSION, type NodeIdentity, type SessionId } from "../../domain/session.ts";
import { SessionEnded, SessionLost } from "../ports/session_lost.ts";
import { Ask, type Statement } from "./ask.ts";
import { STATEMENT_MS } from "./batch_texts.ts";
import { Connection, ConnectionLost, type PostgresPlace } from "./connection.ts";
import { KeptStatements } from "./kept_statements.ts";
import { isBadText, isDivision, isEndUnknown, mayRunAgain, passes } from "./postgres_error.ts";
import {
  BEGIN,
  endSession,
  NOBODY,
  Observation,
  REAP_MS,
  refuseInUse,
  tellingOnce,
  tryBegin,
  type WaitListener,
} from "./session_register.ts";

/** Where to write, and how patiently. */
export interface WriteOptions extends PostgresPlace {
  /** Milliseconds in which a transaction is tried again while nobody answers. Default 60,000. */
  readonly patienceMs?: number;
  /** Who writes. Default: nobody who could show that a session lives. */
  readonly identity?: NodeIdentity;
  /** Milliseconds for which another session is silent before it has ended. Default 20,000. */
  readonly reapMs?: number;
  /** Hears who uses the database while its end is waited for. Default: nobody waits for it. */
  readonly onInUse?: (label: string) => void;
  /** Hears once of each session whose end is waited for. */
  readonly onWait?: WaitListener;
  /** Milliseconds that a silent server has for the end of the session. Default 5,000. */
  readonly farewellMs?: number;
  /** Milliseconds for which usage sums wait for company. Default 5,000. */
  readonly usageMs?: number;
  /** Of moves by which the database's content may have gone: it is moved once more. Default: none. */
  readonly leftByRuns?: readonly string[];
  /** The session, ended by others, whose calls' ends are written alone. Default: all is written. */
  readonly lateFor?: SessionId;
  /** Hears once that the session can write nothing any more. */
  readonly onLost?: (error: SessionLost) => void;
}

/** A server takes so long to recover, or to be failed over; nobody ends a session meanwhile. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 100;
/** A server that answers ends a session sooner. */
export const FAREWELL_MS = 5_000;
const ANYBODY: NodeIdentity = { node: NOBODY, label: "", isAlone: true };

/** What a transaction comes to. */
export interface Work<Result> {
  readonly value: Result;
  /** Its last statement, which fails where it does not do all that it should. */
  readonly ending?: Statement | undefined;
}

/** A session's last transaction that was written. */
interface StoredTurn {
  readonly batchNo: number;
  /** Whether there may be more. */
  readonly isLive: boolean;
}

/** A transaction that may have come to its end. */
interface Doubt<Result> {
  readonly batchNo: number;
  readonly result: Result;
}

/** The writer's connection. */
export class WriteTurns {
  readonly #options: WriteOptions;
  #connection: Connection | undefined;
  #session: SessionId = EARLIER_SESSION;
  #isNode = false;
  #slot = 0;
  /** The last one of this session that was written; `undefined` while it is not known. */
  #batchNo: number | undefined;
  /** The last one that this session has heard of as written. */
  #heardOf = 0;
  #isLost = false;
  readonly #kept = new KeptStatements();
  #turn: Promise<unknown> = Promise.resolve();
  /** Aborted once it is closed. */
  readonly #closing = new AbortController();

  /** For statements inside a transaction. */
  readonly ask: Ask = new Ask((text, values, types) =>
    this.#connection!.run(text, values, { types })
  );

  constructor(options: WriteOptions) {
    this.#options = options;
  }

  /** Whose is what is written. */
  get session(): SessionId {
    return this.#session;
  }

  /** Whether others may live beside it. */
  get isNode(): boolean {
    return this.#isNode;
  }

  /** What no other live session's calls have in their ids. */
  get slot(): number {
    return this.#slot;
  }

  /** Does something behind everything before it. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /**
   * Begins another session, beside those of other nodes; this node's own end. Who is no node, or needs to
   * be alone, waits for the end or the silence of all others.
   *
   * @throws {StorageOpenError} Naming a session that lives, where nobody waits for its end; or if the
   * database's content has gone elsewhere.
   */
  async beginSession(): Promise<SessionId> {
    const { identity = ANYBODY, reapMs = REAP_MS, leftByRuns } = this.#options;
    const onWait = tellingOnce(this.#options.onWait, reapMs);
    // A node waits for nobody's end: it joins those that live.
    const { onInUse = identity.isAlone === true ? refuseInUse : () => {} } = this.#options;
    let observing: { readonly over: Connection; readonly seen: Observation } | undefined;
    for (;;) {
      const begun = await this.#patiently(async () => {
        const connection = await this.#connected();
        // What was silent may have been the way to the server.
        if (observing?.over !== connection) {
          observing = { over: connection, seen: new Observation(reapMs, onInUse) };
        }
        try {
          const observation = observing.seen;
          return await tryBegin(connection, identity, { observation, leftByRuns, onWait });
        } catch (error) {
          await connection.rollBack();
          throw error;
        }
      });
      if (begun === undefined) {
        await pause();
        continue;
      }
      this.#batchNo = this.#heardOf = 0;
      this.#isLost = false;
      this.#isNode = identity.node !== NOBODY;
      this.#slot = begun.slot;
      return this.#session = begun.session;
    }
  }

  /**
   * One transaction, written once; in turn.
   *
   * @param work May be asked again, of the state as it is then.
   * @throws {SessionLost} If the session has ended, or the database has lost what it had acknowledged.
   * @throws {ConnectionLost} If nobody has answered for too long; `mayBeWritten` tells whether it may have
   * come to its end all the same.
   */
  async transaction<Result>(work: () => Promise<Work<Result>>): Promise<Result> {
    return await this.#exactlyOnce(async (connection, batchNo, isUnknown) => {
      const { value: result, ending } = await this.#begun(connection, batchNo, work);
      return await this.#committed(connection, { batchNo, result }, ending, isUnknown);
    });
  }

  /**
   * One statement that is a transaction by itself, and counts on: one round trip; in turn.
   *
   * @param statementFor Makes it, of the count that the session comes to by it: always the same one. Where
   * that is not the next one, or the session has ended, it fails by {@linkcode isBadText} and nothing else does.
   * @throws what {@linkcode WriteTurns.transaction} throws, or what the server says of the statement.
   */
  async single<Result>(
    result: Result,
    statementFor: (batchNo: number) => Statement,
  ): Promise<Result> {
    let first: number | undefined;
    return await this.#exactlyOnce(async (connection, batchNo, isUnknown) => {
      first ??= batchNo;
      if (batchNo !== first) {
        throw new Error(`The session has counted on to ${batchNo - 1} since ${first - 1}`);
      }
      try {
        await this.#kept.run(connection, statementFor(batchNo));
      } catch (error) {
        if (isEndUnknown(error)) isUnknown({ batchNo, result });
        // It counted on, and was refused for its rows: so is one of before that is on its way still.
        if (isDivision(error)) isUnknown(undefined);
        if (!isBadText(error)) throw error;
        // Its session has ended, or one that was in doubt has come to its end meanwhile.
        this.#batchNo = undefined;
        throw new Retry();
      }
      return this.#written({ batchNo, result });
    });
  }

  /** Tries until it is written, or never will be; what may have been written is asked for first. */
  async #exactlyOnce<Result>(
    attempt: (
      connection: Connection,
      batchNo: number,
      isUnknown: (doubt: Doubt<Result> | undefined) => void,
    ) => Promise<Result>,
  ): Promise<Result> {
    let doubt: Doubt<Result> | undefined;
    try {
      return await this.#patiently(async () => {
        const connection = await this.#connected();
        if (this.#batchNo === undefined || doubt !== undefined) {
          const written = await this.#readWritten(connection);
          // Asked before whether its session has ended since: written is written.
          if (written.batchNo === doubt?.batchNo) return this.#written(doubt);
          this.#goOnFrom(written);
        }
        return await attempt(connection, this.#batchNo! + 1, (unknown) => {
          doubt = unknown;
        });
      });
    } catch (error) {
      if (error instanceof SessionLost) {
        this.#tellLost(error);
        // What was in doubt is not there, and never will be.
        throw error;
      }
      if (doubt === undefined) throw error;
      this.#batchNo = undefined;
      throw Object.assign(error as Error, { mayBeWritten: true });
    }
  }

  #tellLost(error: SessionLost): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#options.onLost?.(error);
  }

  /**
   * Ends the session behind everything that is under way, as far as the server answers within so many
   * milliseconds. What it does not is refused then, and others find the session silent.
   */
  async close(farewellMs: number = FAREWELL_MS): Promise<void> {
    this.#closing.abort();
    const tooLate = setTimeout(() => void this.#connection?.close(), farewellMs);
    await this.#turn.then(() => this.#sayGoodbye()).finally(() => clearTimeout(tooLate));
  }

  async #sayGoodbye(): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined) return;
    try {
      // None was begun where the database takes no writes, and whoever opens it has that error.
      const hasBegun = this.#session !== EARLIER_SESSION;
      if (hasBegun && !connection.isLost) await endSession(connection, this.#session);
    } catch (error) {
      // Others find it silent.
      if (!(error instanceof ConnectionLost)) throw error;
    } finally {
      await connection.close();
    }
  }

  /**
   * Everything up to the last statement. What the work asks for first is sent behind what begins the
   * transaction, in the same round trip.
   *
   * @throws {Retry} When the count is not what it was thought to be.
   */
  async #begun<Result>(
    connection: Connection,
    batchNo: number,
    work: () => Promise<Work<Result>>,
  ): Promise<Work<Result>> {
    const [fenced, worked] = await Promise.allSettled([
      connection.runEach(
        ...BEGIN,
        `SET LOCAL statement_timeout = ${STATEMENT_MS}`,
        `UPDATE node_sessions SET batch_no = ${batchNo} WHERE session_id = ${this.#session}
           AND batch_no = ${batchNo - 1} AND state = 'live'`,
      ),
      work(),
    ]);
    const isFenced = fenced.status === "fulfilled" && fenced.value.at(-1) === 1;
    if (isFenced && worked.status === "fulfilled") return worked.value;
    await connection.rollBack();
    if (fenced.status === "rejected") throw fenced.reason;
    if (isFenced) throw (worked as PromiseRejectedResult).reason;
    // Its session has ended, or one that was in doubt has come to its end meanwhile.
    this.#batchNo = undefined;
    throw new Retry();
  }

  /** The last statement and the end, in one round trip: where that statement fails, nothing is written. */
  async #committed<Result>(
    connection: Connection,
    doubt: Doubt<Result>,
    ending: Statement | undefined,
    isUnknown: (doubt: Doubt<Result>) => void,
  ): Promise<Result> {
    const [ended, committed] = await Promise.allSettled([
      ending !== undefined && this.ask.run(ending.sql, ...ending.values),
      connection.commit(),
    ]);
    for (const settled of [ended, committed]) {
      if (settled.status === "fulfilled") continue;
      const error = settled.reason;
      if (isEndUnknown(error)) isUnknown(doubt);
      throw error;
    }
    if (!(committed as PromiseFulfilledResult<boolean>).value) {
      throw new Error("The server has rolled the transaction back");
    }
    return this.#written(doubt);
  }

  #written<Result>({ batchNo, result }: Doubt<Result>): Result {
    this.#batchNo = this.#heardOf = batchNo;
    return result;
  }

  /** What the session has written, as it is stored. */
  async #readWritten(connection: Connection): Promise<StoredTurn> {
    const { rows } = await connection.run(
      "SELECT state, batch_no FROM node_sessions WHERE session_id = $1",
      [this.#session],
    );
    if (rows.length === 0) {
      throw new SessionLost("The database does not know this process's session");
    }
    return { isLive: rows[0]!.state === "live", batchNo: Number(rows[0]!.batch_no) };
  }

  /** The count becomes the one that is known, where the session goes on at all. */
  #goOnFrom({ isLive, batchNo }: StoredTurn): void {
    if (batchNo < this.#heardOf) {
      throw new SessionLost(
        `The database was set back, to a standby that was behind or from a backup: it has lost the last ${
          this.#heardOf - batchNo
        } batches that it had acknowledged. Start again to go on from what it has`,
      );
    }
    if (!isLive) {
      throw new SessionEnded(
        "Another process writes to this database now: this one's session has ended",
      );
    }
    this.#batchNo = batchNo;
  }

  /** Again and again, as long as that may help. */
  async #patiently<Result>(work: () => Promise<Result>): Promise<Result> {
    const until = performance.now() + (this.#options.patienceMs ?? PATIENCE_MS);
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const mayHelp = error instanceof ConnectionLost || error instanceof Retry ||
          mayRunAgain(error) || passes(error);
        if (!mayHelp || this.#closing.signal.aborted || performance.now() >= until) throw error;
        if (error instanceof ConnectionLost || passes(error)) await pause();
      }
    }
  }

  async #connected(): Promise<Connection> {
    if (this.#closing.signal.aborted) throw new Error("The database is closed");
    if (this.#connection === undefined || this.#connection.isLost) {
      this.#connection = await Connection.open(this.#options, {
        isPipelined: true,
        signal: this.#closing.signal,
      });
    }
    return this.#connection;
  }
}

/** To be begun once more. */
class Retry extends Error {
  override readonly name = "Retry";
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
