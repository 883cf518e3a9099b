/**
 * Everything the driver can do on an open database, in the thread that has it open: what both
 * placements, in thread and in a Worker, serve.
 *
 * @module
 */

import { existsSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { Snapshot, SnapshotQuery } from "../ports/books.ts";
import type { SynchronousStorage } from "../ports/storage.ts";
import { SqliteAccountStore } from "./account_store.ts";
import { SqliteAnswerStore } from "./answer_store.ts";
import { SqliteAuditStore } from "./audit_store.ts";
import { SqliteBatchStore } from "./batch_store.ts";
import { BatchWriter } from "./batch_writer.ts";
import { SqliteCachedAnswerStore } from "./cached_answer_store.ts";
import { SqliteCallStore } from "./call_store.ts";
import { SqliteCatalogueStore } from "./catalogue_store.ts";
import { SqliteCheckpointStore } from "./checkpoint_store.ts";
import { SqliteKeptStore } from "./kept_store.ts";
import { SqliteLedgerStore } from "./ledger_store.ts";
import { schemaVersion } from "./migrations.ts";
import { SqliteRefusalStore } from "./refusal_store.ts";
import { SqliteResponseStore } from "./response_store.ts";
import { SqliteSessionStore } from "./session_store.ts";
import { SqliteSpendStore } from "./spend_store.ts";
import { inOneTransaction } from "./statements.ts";
import { SqliteSumStore } from "./sum_store.ts";
import { SqliteTokenStore } from "./token_store.ts";
import { SqliteUploadStore } from "./upload_store.ts";
import { SqliteVideoStore } from "./video_store.ts";
import { SqliteWebhookStore } from "./webhook_store.ts";

/**
 * The stores of an open database; `close` merges the log and closes it.
 *
 * @param options.readOnly The connection cannot write: sums are read as they are in their tables, and
 * `close` leaves the log alone.
 */
export function createStores(
  database: DatabaseSync,
  path: string,
  { readOnly = false }: { readonly readOnly?: boolean } = {},
): SynchronousStorage {
  const kept = new SqliteKeptStore(database);
  const sessions = new SqliteSessionStore(database);
  const stores = {
    accounts: new SqliteAccountStore(database),
    catalogue: new SqliteCatalogueStore(database),
    calls: new SqliteCallStore(database),
    ledger: new SqliteLedgerStore(database),
    checkpoints: new SqliteCheckpointStore(database),
    spending: new SqliteSpendStore(database),
    sums: new SqliteSumStore(database),
    batches: new SqliteBatchStore(database),
    tokens: new SqliteTokenStore(database),
    uploads: new SqliteUploadStore(database),
    videos: new SqliteVideoStore(database),
    webhooks: new SqliteWebhookStore(database),
    answers: new SqliteAnswerStore(database, kept),
    cached: new SqliteCachedAnswerStore(database),
    responses: new SqliteResponseStore(database, { kept, sessions }),
    refusals: new SqliteRefusalStore(database),
    kept,
    sessions,
    audit: new SqliteAuditStore(database),
  };
  const writer = readOnly ? undefined : new BatchWriter(database, stores);
  const engine = `SQLite ${database.prepare("SELECT sqlite_version() AS v").get()!.v}`;
  let closed = false;
  return {
    ...stores,
    beginSession: () => sessions.begin(),
    commitBatch(batch) {
      if (writer === undefined) throw new TypeError("Cannot write: the connection only reads");
      return writer.write(batch);
    },
    snapshot: (query) => inOneTransaction(database, () => snapshotOf(stores, query)),
    info: () => ({ engine, schemaVersion: schemaVersion(database), bytes: bytesOf(path) }),
    writeSums: () => writer?.writeUsage(),
    close() {
      if (closed) return;
      closed = true;
      if (!readOnly) database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      database.close();
    },
  };
}

function snapshotOf(
  { ledger, accounts, calls }: Pick<SynchronousStorage, "ledger" | "accounts" | "calls">,
  { after, rows, openCalls }: SnapshotQuery,
): Snapshot {
  return {
    rows: ledger.books().flatMap((book) => {
      const place = after.find((one) => one.book === book);
      return ledger.slice(place?.seq ?? 0, rows, book);
    }),
    balances: accounts.loadBalances(),
    openCalls: calls.openCalls(openCalls),
  };
}

function bytesOf(path: string): number {
  let bytes = 0;
  for (const name of [path, `${path}-wal`]) if (existsSync(name)) bytes += statSync(name).size;
  return bytes;
}
