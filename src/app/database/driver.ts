/**
 * The database drivers: with `maintenance.ts` the one place of the gateway that names them. What a
 * server's needs is loaded where one is asked for.
 *
 * @module
 */

import { formatPostgresAddress, readPostgresAddress } from "../../domain/postgres_address.ts";
import type { DatabasePlace, DatabaseSettings } from "../../config/process_settings.ts";
import { type CallCount, type CallIds, countCallsFrom } from "../../domain/ids.ts";
import { countNodeCallsFrom } from "../../domain/node_call_ids.ts";
import { loneSession, type SessionId, type Sessions } from "../../domain/session.ts";
import type { OwnRows } from "../../catalog/own_rows.ts";
import type { DatabaseFiles } from "../../storage/ports/maintenance.ts";
import type { KeyClaims } from "../../storage/ports/key_claims.ts";
import type { BudgetPools } from "../../storage/ports/budget_pools.ts";
import type { SharedConfiguration } from "../../storage/ports/configuration.ts";
import type { LateBooks } from "../../storage/ports/late_books.ts";
import type { SharedBatches } from "../../storage/ports/shared_batches.ts";
import type { SharedJobs } from "../../storage/ports/shared_jobs.ts";
import type { SharedSignIns } from "../../storage/ports/shared_sign_ins.ts";
import type { SharedAnswers, SharedMessages } from "../../storage/ports/shared_work.ts";
import type { SharePools } from "../../storage/ports/shares.ts";
import type { Nodes } from "../../storage/ports/nodes.ts";
import type { ServerFacts, ServerState } from "../../storage/ports/server_state.ts";
import type { Storage, StorageReads } from "../../storage/ports/storage.ts";
import { StorageOpenError } from "../../storage/ports/storage_open_error.ts";
import { SQLITE_FILES } from "../../storage/sqlite/maintenance/sqlite_files.ts";
import { readLargeAnswersBy } from "../../storage/sqlite/reader/large_answers.ts";
import { createReaderStorage } from "../../storage/sqlite/reader/reader_storage.ts";
import { createWorkerStorage } from "../../storage/sqlite/worker_client.ts";
import { refuseMovedAway } from "./moved_away.ts";
import { readNodeIdentity } from "./node_identity.ts";

/** Where the driver's files are. */
export const DATABASE_FILES: DatabaseFiles = SQLITE_FILES;

/** How a data dir's database is opened. */
export interface DatabaseOptions {
  /** Where it is, if it is no file of the data dir. */
  readonly server: DatabaseSettings | undefined;
  /** Whether somebody may read for long, beside calls that must not wait. */
  readonly isServed: boolean;
  /** Hears that nothing can be stored any more. */
  readonly onLost: (error: Error) => void;
  /** Hears for whom it waits before it brings a server's tables up to date. */
  readonly onTablesInUse?: ((why: string) => void) | undefined;
}

/** A server that has the database. */
export interface DatabaseServer {
  /** For people: no user, no password. */
  readonly name: string;
  state(): ServerState;
  /** What it says of itself now. */
  facts(): Promise<ServerFacts>;
  /** Who uses it. */
  readonly nodes: Nodes;
  /** What other nodes change of what this process has in memory. */
  readonly configuration: SharedConfiguration;
  /** The rows of prices that an operator has put over the list. */
  readonly prices: Pick<OwnRows, "read" | "write">;
  /** Which of them works on which batch. */
  readonly batches: SharedBatches;
  /** Which of them makes which answer in the background. */
  readonly answers: SharedAnswers;
  /** Which of them sends which message. */
  readonly messages: SharedMessages;
  /** Jobs of administration that any of them runs. */
  readonly jobs: SharedJobs;
  /** Who signs in at the console of any of them. */
  readonly signIns: SharedSignIns;
  /** Limits that its nodes share. */
  readonly shares: SharePools;
  /** Budgets that they share. */
  readonly budgets: BudgetPools;
  /**
   * Where others have ended this process's session: ends of its calls that were written since are booked,
   * and none is any more. `undefined` where there were none.
   */
  endLate(): Promise<LateBooks | undefined>;
}

/** A database that is open. */
export interface OpenDatabase {
  /** Where it is, if it is no file of the data dir. */
  readonly server: DatabaseServer | undefined;
  /** Reads in order with the writes. */
  readonly storage: Storage;
  /** Reads beside the writes, where somebody may read for long. */
  readonly reads: StorageReads;
  /** This process's session has begun. */
  readonly sessions: Sessions;
  /** Those who use the database too, where several may. */
  readonly nodes?: Nodes;
  /** Who answers a request with a key, where others use the database too; absent: this process. */
  readonly claims?: KeyClaims;
  /** The numbers of its calls. */
  readonly callIds: CallIds & { readonly count: CallCount };
  /** Ends what is being read; what is written goes on until `storage` is closed. */
  stopReads(): Promise<void>;
}

/** Whether a data dir has a database, or something in its place that nobody may look at. */
export function hasDatabase(dataDir: string): boolean {
  try {
    Deno.lstatSync(DATABASE_FILES.fileIn(dataDir));
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory);
  }
}

/**
 * Opens the database of a data dir.
 *
 * @throws {StorageOpenError} When it cannot be used.
 */
export async function openDatabase(
  dataDir: string,
  { server, ...options }: DatabaseOptions,
): Promise<OpenDatabase> {
  if (server !== undefined) return await openOnServer(dataDir, { server, ...options });
  const { isServed, onLost } = options;
  refuseMovedAway(dataDir);
  const path = DATABASE_FILES.fileIn(dataDir);
  const storage = await createWorkerStorage(path, { onCrash: onLost });
  const begun = Promise.all([storage.beginSession(), storage.calls.lastCallId()]);
  const alone = { server, ...await aloneIn(storage, begun) };
  if (!isServed) {
    return { ...alone, storage, reads: storage, stopReads: () => Promise.resolve() };
  }
  const reader = createReaderStorage(path, { writer: storage });
  return {
    ...alone,
    storage: readLargeAnswersBy(reader, storage),
    reads: reader,
    stopReads: () => reader.close(),
  };
}

/** Its reads are beside its writes anyway. */
async function openOnServer(
  dataDir: string,
  { server, isServed, onLost, onTablesInUse }: DatabaseOptions & {
    readonly server: DatabaseSettings;
  },
): Promise<OpenDatabase> {
  const { openPostgresStorage } = await import("../../storage/postgres/postgres_storage.ts");
  const storage = await openPostgresStorage({
    ...serverPlace(server),
    identity: readNodeIdentity(dataDir, { isServed }),
    ...{ onLost, onTablesInUse },
  });
  // Others may write until they have ended.
  const begun = storage.beginSession().then(async (session): Promise<Begun> => [
    session,
    await storage.calls.lastCallId(),
  ]);
  return {
    ...await amongOthers(storage, begun),
    server: {
      name: serverName(server),
      state: () => storage.serverState(),
      facts: () => storage.serverFacts(),
      nodes: storage.nodes,
      configuration: storage.configuration,
      prices: {
        read: () => storage.ownPrices.read(),
        write: (text, before) => storage.ownPrices.write(text, before),
      },
      batches: storage.sharedBatches,
      answers: storage.sharedAnswers,
      messages: storage.sharedMessages,
      jobs: storage.sharedJobs,
      signIns: storage.sharedSignIns,
      shares: storage.shares,
      budgets: storage.budgets,
      endLate: () => storage.endLate(),
    },
    storage,
    nodes: storage.nodes,
    claims: storage.claims,
    reads: storage,
    stopReads: () => Promise.resolve(),
  };
}

/** What is shown of a server's address. */
export function serverName({ url }: DatabasePlace): string {
  const read = readPostgresAddress(url);
  return read.ok ? formatPostgresAddress(read.address) : "a server";
}

/**
 * Where a server is, with what it is verified by.
 *
 * @throws {StorageOpenError} When that cannot be read.
 */
export function serverPlace(
  { url, caFile }: DatabasePlace,
): { readonly url: string; readonly ca: string | undefined } {
  if (caFile === undefined) return { url, ca: undefined };
  try {
    return { url, ca: Deno.readTextFileSync(caFile) };
  } catch (error) {
    throw new StorageOpenError(
      `Cannot read the certificates of database_ca: ${(error as Error).message}`,
    );
  }
}

/** A session that has begun, and the last number of a call before it. */
type Begun = readonly [SessionId, number];

/** What follows from having one session of several. */
async function amongOthers(
  storage: Storage & { readonly nodes: Nodes },
  begun: Promise<Begun>,
): Promise<Pick<OpenDatabase, "sessions" | "callIds">> {
  try {
    const [own, after] = await begun;
    const { nodes } = storage;
    return {
      sessions: { own, hasEnded: (session) => session !== own && nodes.hasEnded(session) },
      callIds: countNodeCallsFrom(nodes.slot, { after, now: Date.now }),
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** What follows from having the only session. */
async function aloneIn(
  storage: Storage,
  begun: Promise<Begun>,
): Promise<Pick<OpenDatabase, "sessions" | "callIds">> {
  try {
    const [session, lastCallId] = await begun;
    return { sessions: loneSession(session), callIds: countCallsFrom(lastCallId) };
  } catch (error) {
    await storage.close();
    throw error;
  }
}
