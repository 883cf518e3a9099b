/**
 * The driver for PostgreSQL and for engines that speak its protocol.
 *
 * @module
 */

import type { LedgerRow } from "../../domain/call.ts";
import { spanText } from "../../domain/span_text.ts";
import type { Snapshot, SnapshotQuery } from "../ports/books.ts";
import type { BudgetPools } from "../ports/budget_pools.ts";
import type { KeyClaims } from "../ports/key_claims.ts";
import type { Operation } from "../ports/operations.ts";
import type {
  ConfigurationListener,
  Reached,
  SharedConfiguration,
} from "../ports/configuration.ts";
import type { NodeListener, Nodes } from "../ports/nodes.ts";
import type { Entry, EntryResult } from "../ports/entry.ts";
import type { LateBooks } from "../ports/late_books.ts";
import { SessionEnded, type SessionLost } from "../ports/session_lost.ts";
import { AWAY_MS, type ServerFacts, type ServerState } from "../ports/server_state.ts";
import type { SharedBatches } from "../ports/shared_batches.ts";
import type { SharedJobs } from "../ports/shared_jobs.ts";
import type { SharedSignIns } from "../ports/shared_sign_ins.ts";
import type { SharedAnswers, SharedMessages } from "../ports/shared_work.ts";
import type { SharePools } from "../ports/shares.ts";
import { type Storage, STORES, type Stores } from "../ports/storage.ts";
import { StorageOpenError } from "../ports/storage_open_error.ts";
import type { Ask } from "./ask.ts";
import { answered, answering } from "./answered.ts";
import { BatchWriter, refuseAll } from "./batch_writer.ts";
import { PostgresBudgetPools } from "./budget_pools.ts";
import { PostgresConfigurationStore } from "./configuration_store.ts";
import { Connection } from "./connection.ts";
import { PostgresKeyClaims } from "./key_claims.ts";
import { LateSession } from "./late_session.ts";
import { migrate } from "./migrations.ts";
import { refuseMoved } from "./move_mark.ts";
import { openForMoving } from "./move_tables.ts";
import { explainOpening } from "./open_error.ts";
import { readNodes } from "./node_list.ts";
import { NodeWatch } from "./node_watch.ts";
import { ReaderPool } from "./reader_pool.ts";
import { SCHEMA_VERSION } from "./schema/versions.ts";
import { isWorkable, readSchemaState } from "./schema_state.ts";
import { readServerFacts } from "./server_facts.ts";
import { PostgresOwnPrices } from "./own_prices.ts";
import { REAP_MS } from "./session_register.ts";
import { SessionBeat, type SessionBeatOptions } from "./session_beat.ts";
import { PostgresSharedBatches } from "./shared_batches.ts";
import { PostgresSharedJobs } from "./shared_jobs.ts";
import { sharedSeals } from "./shared_seals.ts";
import { PostgresSharedSignIns } from "./shared_sign_ins.ts";
import { PostgresSharedAnswers, PostgresSharedMessages } from "./shared_work.ts";
import { PostgresSharePools } from "./share_pools.ts";
import { createStores } from "./stores.ts";
import { UnderWay } from "./under_way.ts";
import { FAREWELL_MS, type WriteOptions } from "./write_turns.ts";

/** How a database is used. */
export interface PostgresOptions
  extends WriteOptions, Pick<SessionBeatOptions, "beatMs" | "listens"> {
  /** See {@linkcode LateSession}. */
  readonly givenBackMs?: number;
  /** Milliseconds of silence from which on whoever would read is told so at once. Default 3,000. */
  readonly awayMs?: number;
  /** Hears for whom it waits before it brings the tables up to date. */
  readonly onTablesInUse?: ((why: string) => void) | undefined;
}

/** The storage, and how its server is doing. */
export interface PostgresStorage extends Storage {
  /** As of the last beat of the session, and of what is being written now. */
  serverState(): ServerState;
  /** What it says of itself now. */
  serverFacts(): Promise<ServerFacts>;
  /** Of its session. */
  readonly claims: KeyClaims;
  /** The nodes that use the database. */
  readonly nodes: Nodes;
  /** What other nodes change of what this one has in memory. */
  readonly configuration: SharedConfiguration;
  /** The rows of prices that an operator has put over the list. */
  readonly ownPrices: PostgresOwnPrices;
  /** Which of them works on which batch. */
  readonly sharedBatches: SharedBatches;
  /** Which of them makes which answer. */
  readonly sharedAnswers: SharedAnswers;
  /** Which of them sends which message. */
  readonly sharedMessages: SharedMessages;
  /** Jobs of administration that any of them runs. */
  readonly sharedJobs: SharedJobs;
  /** Who signs in at the console of any of them. */
  readonly sharedSignIns: SharedSignIns;
  /** Limits that its nodes share. */
  readonly shares: SharePools;
  /** Budgets that they share. */
  readonly budgets: BudgetPools;
  /**
   * Where others have ended the session: ends of its calls that came since are booked, and nothing is any
   * more. `undefined` where none came.
   */
  endLate(): Promise<LateBooks | undefined>;
}

/**
 * Connects, makes the tables where there are none, and serves the storage port.
 *
 * @throws {StorageOpenError} If nobody answers there, nobody is let in, or the database is not this
 * program's.
 */
export async function openPostgresStorage(options: PostgresOptions): Promise<PostgresStorage> {
  const engine = await prepare(options);
  const { awayMs = AWAY_MS, reapMs = REAP_MS, farewellMs = FAREWELL_MS } = options;
  const isAway = () => beat.isSilentFor(awayMs);
  const readers: ReaderPool = new ReaderPool(options, isAway);
  // Whoever waits for changes has no patience for a line that is silent.
  const follower = new ReaderPool({ ...options, deadlineMs: FOLLOWED_MS });
  // What takes long goes on after a short silence; after this one the session may have been ended.
  const patient: ReaderPool = new ReaderPool(
    { ...options, deadlineMs: PATIENT_MS },
    () => beat.isSilentFor(reapMs),
  );
  let isLost = false;
  const onLost = (error: SessionLost) => {
    if (isLost) return;
    isLost = true;
    // What others leave is no ended session's to go on with.
    void watch.stop();
    options.onLost?.(error);
  };
  const writer = new BatchWriter({ ...options, onLost }, (version) => void beat.tell(version));
  const late = options.identity !== undefined && options.identity.isCommand !== true
    ? new LateSession({ ...options, identity: options.identity }, () => writer.session)
    : undefined;
  async function write(batch: readonly Entry[]): Promise<readonly EntryResult[]> {
    try {
      return await writer.write(batch);
    } catch (error) {
      if (!(error instanceof SessionEnded)) throw error;
      return await late?.write(batch, error) ?? refuseAll(batch, error);
    }
  }
  const writing = new UnderWay();
  // A server's silence so far has been waited for already.
  const farewell = () => beat.isSilentFor(awayMs) ? farewellMs / 5 : farewellMs;
  const shares = new PostgresSharePools(options, () => writer.session);
  const budgets = new PostgresBudgetPools(options, writer);
  let followers: NodeListener = {};
  const watch = new NodeWatch(options, {
    ...options,
    isCommand: options.identity?.isCommand,
    onEnded(sessions) {
      writer.adoptEnded();
      followers.onEnded?.(sessions);
    },
    onLeft(left) {
      // It may have ended in a look whose end nobody has heard of.
      writer.adoptEnded();
      followers.onLeft?.(left);
    },
    onWanted: (projectIds) => followers.onWanted?.(projectIds),
  });
  let listener: ConfigurationListener | undefined;
  let reached: (() => Reached) | undefined;
  const beat = new SessionBeat(options, {
    ...options,
    onLost,
    onVersion: (version, asOf) => listener?.(version, asOf),
    reached: () => reached?.(),
  });
  return {
    ...storesOf(readers, writer),
    async beginSession() {
      const session = await writer.beginSession().catch((error) => {
        throw explainOpening(error, options);
      });
      if (options.identity !== undefined) {
        beat.start(session);
        await watch.start(session);
      }
      return session;
    },
    nodes: {
      get slot() {
        return writer.slot;
      },
      get count() {
        return watch.count;
      },
      hasEnded: (session) => watch.hasEnded(session),
      list: () => answered(() => readNodes(readers.ask)),
      follow(next) {
        followers = next;
      },
    },
    serverState: () => ({ ...beat.state, writingMs: writing.longestMs }),
    serverFacts: () => answered(() => readServerFacts(readers.ask)),
    claims: answering(new PostgresKeyClaims(readers.ask, () => writer.session)),
    configuration: {
      version: () => new PostgresConfigurationStore(follower.ask).version(),
      since: (version) =>
        follower.atOnce((ask) => new PostgresConfigurationStore(ask).since(version)),
      follow(next, howFar) {
        listener = next;
        reached = howFar;
      },
    },
    ownPrices: new PostgresOwnPrices(readers.ask),
    sharedAnswers: answering(new PostgresSharedAnswers(readers.ask)),
    sharedMessages: new PostgresSharedMessages(readers.ask, () => writer.session),
    sharedJobs: answering(new PostgresSharedJobs(readers.ask, () => writer.session)),
    sharedSignIns: answering(new PostgresSharedSignIns(readers.ask)),
    sharedBatches: answering(new PostgresSharedBatches(readers.ask, () => writer.session)),
    shares,
    budgets,
    seals: sharedSeals({
      ...{ short: readers.ask, long: patient.ask, isAway },
      session: () => writer.session,
    }),
    commitBatch: (batch) => writing.during(write(batch)),
    snapshot: (query) => readers.atOnce((ask) => readSnapshot(ask, query)),
    info: async () => ({
      engine,
      schemaVersion: SCHEMA_VERSION,
      bytes: await readBytes(readers.ask),
    }),
    writeSums: () => writer.writeUsage(),
    endLate: () => late?.end() ?? Promise.resolve(undefined),
    close: () =>
      closeEach(
        () => Promise.all([shares.close(), budgets.close(), watch.stop()]),
        () => Promise.all([writer.close(farewell()), late?.end(farewell())]),
        () => Promise.all([beat.stop(), readers.close(), follower.close(), patient.close()]),
      ),
  };
}

/** One after the other, whatever becomes of those before; the first error is told. */
async function closeEach(...closings: readonly (() => Promise<unknown>)[]): Promise<void> {
  const ends: PromiseSettledResult<unknown>[] = [];
  for (const close of closings) ends.push(...await Promise.allSettled([close()]));
  const failed = ends.find(({ status }) => status === "rejected");
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
}

const FOLLOWED_MS = 3_000;
/** What is asked of every row of a large table. */
const PATIENT_MS = 30 * 60_000;

/** Reads by several statements that have to fit together: they are of one moment. */
const AT_ONCE: ReadonlySet<string> = new Set([
  "audit.check",
  "calls.usageReport",
  "catalogue.load",
  "sums.nextDay",
  "sums.slice",
]);

type Methods = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

/** The port's stores; sums are written before they are read. */
function storesOf(readers: ReaderPool, writer: BatchWriter): Stores {
  const oneByOne = createStores(readers.ask, () => writer.session);
  const stores = Object.entries(STORES).map(([store, list]) => {
    const name = store as keyof typeof STORES;
    const methods = Object.entries<Operation>(list).map(([method, { servedBy }]) => {
      const isAtOnce = AT_ONCE.has(`${store}.${method}`);
      const serve = (...args: readonly unknown[]) =>
        answered(async () => {
          if (servedBy === "anyone_after_sums") await writer.writeUsage();
          return isAtOnce
            ? await readers.atOnce((ask) => methodOf(createStores(ask)[name], method, args))
            : await methodOf(oneByOne[name], method, args);
        });
      return [method, serve] as const;
    });
    return [store, Object.fromEntries(methods)] as const;
  });
  // Its names are those of the lists that the port's type is made from.
  return Object.fromEntries(stores) as unknown as Stores;
}

function methodOf(store: object, method: string, args: readonly unknown[]): Promise<unknown> {
  return (store as Methods)[method]!(...args);
}

/** The books at one moment, where `ask` is of one. */
export async function readSnapshot(
  ask: Ask,
  { after, rows, openCalls }: SnapshotQuery,
): Promise<Snapshot> {
  const { ledger, accounts, calls } = createStores(ask);
  const found: LedgerRow[] = [];
  for (const book of await ledger.books()) {
    const place = after.find((one) => one.book === book);
    found.push(...await ledger.slice(place?.seq ?? 0, rows, book));
  }
  return {
    rows: found,
    balances: await accounts.loadBalances(),
    openCalls: await calls.openCalls(openCalls),
  };
}

/** What the server is called; the schema is there afterwards. */
async function prepare(options: PostgresOptions): Promise<string> {
  let connection;
  try {
    connection = await Connection.open(options);
    await compareClocks(connection);
    await bringUpToDate(connection, options);
    await refuseMoved(connection, options.leftByRuns);
    const { rows } = await connection.run("SELECT version() AS name", []);
    // `PostgreSQL 15.18 (Debian …) on x86_64-…`
    return String(rows[0]!.name).split(" (")[0]!;
  } catch (error) {
    throw explainOpening(error, options);
  } finally {
    await connection?.close();
  }
}

/** What is changed of a large ledger takes longer than anything that is asked for later. */
async function bringUpToDate(connection: Connection, options: PostgresOptions): Promise<void> {
  const state = await readSchemaState(connection);
  if (state !== undefined && isWorkable(state)) return;
  const patient = await openForMoving(options);
  try {
    const { identity, reapMs, onTablesInUse: onWait } = options;
    await migrate(patient, { node: identity?.node, reapMs, onWait });
  } finally {
    await patient.close();
  }
}

/** More than this and calls would be counted in another hour than they are made. */
const MOST_AHEAD_MS = 5 * 60_000;

async function compareClocks(connection: Connection): Promise<void> {
  const { rows } = await connection.run(
    "SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now",
    [],
  );
  const aheadMs = Date.now() - Number(rows[0]!.now);
  if (Math.abs(aheadMs) <= MOST_AHEAD_MS) return;
  const side = aheadMs > 0 ? "ahead of" : "behind";
  throw new StorageOpenError(
    `This machine's clock is ${
      spanText(aheadMs)
    } ${side} the database server's: set the one that ` +
      "is wrong (NTP), and start again. Calls would be counted in other hours than they are made",
  );
}

/** The database's size, where the engine can tell it; 0 elsewhere. */
export async function readBytes(ask: Ask): Promise<number> {
  const known = await ask.get(
    "SELECT count(*) AS n FROM pg_proc WHERE proname = 'pg_database_size'",
  );
  if (known!.n === 0) return 0;
  return (await ask.get("SELECT pg_database_size(current_database()) AS bytes"))!.bytes as number;
}
