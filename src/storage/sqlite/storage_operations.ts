/**
 * Everything the driver can do on an open database, synchronously and by name:
 * what both placements, in thread and in a Worker, call.
 *
 * @module
 */

import { existsSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { Storage } from "../ports/storage.ts";
import { SqliteAccountStore } from "./account_store.ts";
import { SqliteAnswerStore } from "./answer_store.ts";
import { SqliteAuditStore } from "./audit_store.ts";
import { BatchWriter } from "./batch_writer.ts";
import { SqliteCallStore } from "./call_store.ts";
import { SqliteCatalogueStore } from "./catalogue_store.ts";
import { SqliteCheckpointStore } from "./checkpoint_store.ts";
import { SqliteKeptStore } from "./kept_store.ts";
import { SqliteLedgerStore } from "./ledger_store.ts";
import { schemaVersion } from "./migrations.ts";
import type { Synchronous } from "./synchronous.ts";
import { SqliteResponseStore } from "./response_store.ts";
import { SqliteSpendStore } from "./spend_store.ts";
import { SqliteSumStore } from "./sum_store.ts";
import { SqliteVideoStore } from "./video_store.ts";
import { SqliteWebhookStore } from "./webhook_store.ts";

type Own = "commitBatch" | "info" | "writeSums" | "checkpoint" | "close";

/** Operations by name: a store's as `store.method`, the storage's own by their names. */
export type StorageOperations =
  & Synchronous<
    {
      [name in keyof Storage["accounts"] as `accounts.${name}`]: Storage["accounts"][name];
    }
  >
  & Synchronous<
    {
      [name in keyof Storage["catalogue"] as `catalogue.${name}`]: Storage["catalogue"][name];
    }
  >
  & Synchronous<{ [name in keyof Storage["calls"] as `calls.${name}`]: Storage["calls"][name] }>
  & Synchronous<{ [name in keyof Storage["ledger"] as `ledger.${name}`]: Storage["ledger"][name] }>
  & Synchronous<
    {
      [name in keyof Storage["checkpoints"] as `checkpoints.${name}`]: Storage["checkpoints"][name];
    }
  >
  & Synchronous<
    {
      [name in keyof Storage["spending"] as `spending.${name}`]: Storage["spending"][name];
    }
  >
  & Synchronous<{ [name in keyof Storage["sums"] as `sums.${name}`]: Storage["sums"][name] }>
  & Synchronous<{ [name in keyof Storage["videos"] as `videos.${name}`]: Storage["videos"][name] }>
  & Synchronous<
    {
      [name in keyof Storage["webhooks"] as `webhooks.${name}`]: Storage["webhooks"][name];
    }
  >
  & Synchronous<
    {
      [name in keyof Storage["answers"] as `answers.${name}`]: Storage["answers"][name];
    }
  >
  & Synchronous<
    {
      [name in keyof Storage["responses"] as `responses.${name}`]: Storage["responses"][name];
    }
  >
  & Synchronous<{ [name in keyof Storage["kept"] as `kept.${name}`]: Storage["kept"][name] }>
  & Synchronous<{ [name in keyof Storage["audit"] as `audit.${name}`]: Storage["audit"][name] }>
  & Synchronous<Pick<Storage, Own>>;

/** What a connection is for. */
export interface OperationsOptions {
  /**
   * The connection cannot write: sums are read as they are in their tables, and
   * `close` leaves the log alone.
   */
  readonly readOnly?: boolean;
}

/** The operations over an open database; `close` merges the log and closes it. */
export function createStorageOperations(
  database: DatabaseSync,
  path: string,
  { readOnly = false }: OperationsOptions = {},
): StorageOperations {
  const accounts = new SqliteAccountStore(database);
  const catalogue = new SqliteCatalogueStore(database);
  const calls = new SqliteCallStore(database);
  const ledger = new SqliteLedgerStore(database);
  const checkpoints = new SqliteCheckpointStore(database);
  const videos = new SqliteVideoStore(database);
  const webhooks = new SqliteWebhookStore(database);
  const kept = new SqliteKeptStore(database);
  const answers = new SqliteAnswerStore(database, kept);
  const responses = new SqliteResponseStore(database, kept);
  const audit = new SqliteAuditStore(database);
  const spending = new SqliteSpendStore(database);
  const sums = new SqliteSumStore(database);
  const stores = {
    accounts,
    catalogue,
    checkpoints,
    spending,
    videos,
    webhooks,
    answers,
    responses,
    kept,
    audit,
  };
  const writer = readOnly ? undefined : new BatchWriter(database, stores);
  const engine = `SQLite ${database.prepare("SELECT sqlite_version() AS v").get()!.v}`;
  let closed = false;
  return {
    "accounts.loadProjects": () => accounts.loadProjects(),
    "accounts.loadKeys": () => accounts.loadKeys(),
    "accounts.loadBalances": () => accounts.loadBalances(),
    "accounts.projectIds": (after, limit) => accounts.projectIds(after, limit),
    "accounts.keyIds": (query) => accounts.keyIds(query),
    "catalogue.load": () => catalogue.load(),
    "catalogue.priceVersions": (versions) => catalogue.priceVersions(versions),
    "calls.lastCallId": () => calls.lastCallId(),
    "calls.find": (callId) => calls.find(callId),
    "calls.requestIdKey": () => calls.requestIdKey(),
    "calls.openCalls": (limit) => calls.openCalls(limit),
    "calls.abandonedCalls": (limit) => calls.abandonedCalls(limit),
    "calls.slice": (afterCallId, limit) => calls.slice(afterCallId, limit),
    "calls.closedSince": (fromMs, limit) => calls.closedSince(fromMs, limit),
    "calls.usageReport": (query) => {
      writer?.writeUsage();
      return calls.usageReport(query);
    },
    "ledger.slice": (afterSeq, limit) => ledger.slice(afterSeq, limit),
    "ledger.alteredRows": (table, after, limit) => ledger.alteredRows(table, after, limit),
    "checkpoints.list": () => checkpoints.list(),
    "checkpoints.document": (number) => checkpoints.document(number),
    "checkpoints.references": (number) => checkpoints.references(number),
    "checkpoints.keptCalls": (afterCallId, limit) => checkpoints.keptCalls(afterCallId, limit),
    "checkpoints.hasLeftovers": () => checkpoints.hasLeftovers(),
    "spending.sums": (since) => {
      writer?.writeUsage();
      return spending.sums(since);
    },
    "spending.history": (query) => {
      writer?.writeUsage();
      return spending.history(query);
    },
    "spending.states": () => spending.states(),
    "sums.coveredSeq": () => sums.coveredSeq(),
    "sums.spendRuleSinceHour": () => sums.spendRuleSinceHour(),
    "sums.slice": (query) => sums.slice(query),
    "sums.nextDay": (afterDay, beforeDay) => sums.nextDay(afterDay, beforeDay),
    "videos.find": (taskId) => videos.find(taskId),
    "videos.list": (query) => videos.list(query),
    "videos.open": (afterCallId, limit) => videos.open(afterCallId, limit),
    "videos.unusedRepeat": (query) => videos.unusedRepeat(query),
    "videos.idsWithoutFilm": (taskIds) => videos.idsWithoutFilm(taskIds),
    "videos.expired": (page) => videos.expired(page),
    "videos.removableFilms": (projectId, page) => videos.removableFilms(projectId, page),
    "videos.keptBytes": () => videos.keptBytes(),
    "videos.removableBytes": (untilMs) => videos.removableBytes(untilMs),
    "webhooks.due": (untilMs, bounds) => webhooks.due(untilMs, bounds),
    "webhooks.nextDueAt": (afterMs) => webhooks.nextDueAt(afterMs),
    "webhooks.secret": (projectId) => webhooks.secret(projectId),
    "answers.size": (scope) => answers.size(scope),
    "answers.find": (scope) => answers.find(scope),
    "responses.find": (query) => responses.find(query),
    "responses.size": (query) => responses.size(query),
    "responses.conversationSize": (query) => responses.conversationSize(query),
    "responses.owners": (query) => responses.owners(query),
    "responses.unfinished": (limit) => responses.unfinished(limit),
    "kept.load": () => kept.load(),
    "kept.since": (timeMs) => kept.since(timeMs),
    "audit.list": (query) => audit.list(query),
    "audit.check": (after, limit) => audit.check(after, limit),
    commitBatch: (batch) => {
      if (writer === undefined) throw new TypeError("Cannot write: the connection only reads");
      return writer.write(batch);
    },
    info: () => ({ engine, schemaVersion: schemaVersion(database), bytes: bytesOf(path) }),
    writeSums: () => writer?.writeUsage(),
    checkpoint: () => {
      writer?.writeUsage();
      mergeLog(database);
    },
    close: () => {
      if (closed) return;
      closed = true;
      if (!readOnly) mergeLog(database);
      database.close();
    },
  };
}

function mergeLog(database: DatabaseSync): void {
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

function bytesOf(path: string): number {
  let bytes = 0;
  for (const name of [path, `${path}-wal`]) if (existsSync(name)) bytes += statSync(name).size;
  return bytes;
}
