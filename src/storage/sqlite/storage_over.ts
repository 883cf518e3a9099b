/**
 * The storage port over a way to call its operations by name.
 *
 * @module
 */

import type { Storage } from "../ports/storage.ts";
import type { StorageOperations } from "./storage_operations.ts";

/** Calls an operation, here or in another thread. */
export type CallOperation = <Name extends keyof StorageOperations>(
  name: Name,
  ...args: Parameters<StorageOperations[Name]>
) => Promise<ReturnType<StorageOperations[Name]>>;

/** The port, each method one call. */
export function storageOver(call: CallOperation): Storage {
  return {
    accounts: {
      loadProjects: () => call("accounts.loadProjects"),
      loadKeys: () => call("accounts.loadKeys"),
      loadBalances: () => call("accounts.loadBalances"),
      projectIds: (after, limit) => call("accounts.projectIds", after, limit),
      keyIds: (query) => call("accounts.keyIds", query),
    },
    catalogue: {
      load: () => call("catalogue.load"),
      priceVersions: (versions) => call("catalogue.priceVersions", versions),
    },
    calls: {
      lastCallId: () => call("calls.lastCallId"),
      find: (callId) => call("calls.find", callId),
      requestIdKey: () => call("calls.requestIdKey"),
      openCalls: (limit) => call("calls.openCalls", limit),
      abandonedCalls: (limit) => call("calls.abandonedCalls", limit),
      slice: (afterCallId, limit) => call("calls.slice", afterCallId, limit),
      closedSince: (fromMs, limit) => call("calls.closedSince", fromMs, limit),
      usageReport: (query) => call("calls.usageReport", query),
    },
    ledger: {
      slice: (afterSeq, limit) => call("ledger.slice", afterSeq, limit),
      alteredRows: (table, after, limit) => call("ledger.alteredRows", table, after, limit),
    },
    checkpoints: {
      list: () => call("checkpoints.list"),
      document: (number) => call("checkpoints.document", number),
      references: (number) => call("checkpoints.references", number),
      keptCalls: (afterCallId, limit) => call("checkpoints.keptCalls", afterCallId, limit),
      hasLeftovers: () => call("checkpoints.hasLeftovers"),
    },
    spending: {
      sums: (since) => call("spending.sums", since),
      history: (query) => call("spending.history", query),
      states: () => call("spending.states"),
    },
    sums: {
      coveredSeq: () => call("sums.coveredSeq"),
      spendRuleSinceHour: () => call("sums.spendRuleSinceHour"),
      slice: (query) => call("sums.slice", query),
      nextDay: (afterDay, beforeDay) => call("sums.nextDay", afterDay, beforeDay),
    },
    videos: {
      find: (taskId) => call("videos.find", taskId),
      list: (query) => call("videos.list", query),
      open: (afterCallId, limit) => call("videos.open", afterCallId, limit),
      unusedRepeat: (query) => call("videos.unusedRepeat", query),
      idsWithoutFilm: (taskIds) => call("videos.idsWithoutFilm", taskIds),
      expired: (page) => call("videos.expired", page),
      removableFilms: (projectId, page) => call("videos.removableFilms", projectId, page),
      keptBytes: () => call("videos.keptBytes"),
      removableBytes: (untilMs) => call("videos.removableBytes", untilMs),
    },
    webhooks: {
      due: (untilMs, bounds) => call("webhooks.due", untilMs, bounds),
      nextDueAt: (afterMs) => call("webhooks.nextDueAt", afterMs),
      secret: (projectId) => call("webhooks.secret", projectId),
    },
    answers: {
      size: (scope) => call("answers.size", scope),
      find: (scope) => call("answers.find", scope),
    },
    responses: {
      find: (query) => call("responses.find", query),
      size: (query) => call("responses.size", query),
      conversationSize: (query) => call("responses.conversationSize", query),
      owners: (query) => call("responses.owners", query),
      unfinished: (limit) => call("responses.unfinished", limit),
    },
    kept: {
      load: () => call("kept.load"),
      since: (timeMs) => call("kept.since", timeMs),
    },
    audit: {
      list: (query) => call("audit.list", query),
      check: (after, limit) => call("audit.check", after, limit),
    },
    commitBatch: (batch) => call("commitBatch", batch),
    info: () => call("info"),
    writeSums: () => call("writeSums"),
    checkpoint: () => call("checkpoint"),
    close: () => call("close"),
  };
}
