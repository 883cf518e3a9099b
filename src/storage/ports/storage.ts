/**
 * What the rest of the gateway needs from a database: every operation once, by the store that it
 * belongs to. Each takes and gives plain serialisable values and is asynchronous to whoever calls
 * it, so that a driver may live in a Worker or on another machine.
 *
 * @module
 */

import type { Batch, BatchCounts, BatchLine } from "../../domain/batch.ts";
import type { Balance, Project, ProjectKey } from "../../domain/account.ts";
import type { AdminToken } from "../../domain/admin_token.ts";
import type { AuditRow } from "../../domain/audit.ts";
import type { BookId, BookPlace } from "../../domain/book.ts";
import type { LedgerRow, StoredCall } from "../../domain/call.ts";
import type { Catalogue } from "../../domain/catalogue.ts";
import type { Checkpoint, KeptReference } from "../../domain/checkpoint.ts";
import type { IdempotencyRecord, IdempotencyScope } from "../../domain/idempotency.ts";
import type { DatedBytes, KeptState } from "../../domain/kept_bytes.ts";
import type { PriceVersion } from "../../domain/price.ts";
import type { RefusedRequest } from "../../domain/refused_request.ts";
import type { SessionId } from "../../domain/session.ts";
import type { SpendState } from "../../domain/spending.ts";
import type { StoredResponse } from "../../domain/stored_response.ts";
import type { UploadedFile } from "../../domain/uploaded_file.ts";
import type { VideoPause } from "../../domain/video_pause.ts";
import type { VideoTask } from "../../domain/video_task.ts";
import type { WebhookMessage, WebhookSecret } from "../../domain/webhook.ts";
import type { Entry, EntryResult } from "./entry.ts";
import type { AuditCheck, AuditLink, AuditQuery } from "./audit.ts";
import type { AlteredRow, LastBalance, RowCounts, Snapshot, SnapshotQuery } from "./books.ts";
import type { ContentPage, ProjectBytes, VideoQuery } from "./video_pages.ts";
import {
  type Asynchronous,
  type OperationLists,
  reads,
  readsSums,
  type Synchronous,
  writes,
} from "./operations.ts";
import type { CallPage, CallPageQuery } from "./call_pages.ts";
import type { LatencyQuery, LatencyReport } from "./latency.ts";
import type { BatchPage, WaitingLines } from "./batch_pages.ts";
import type { LedgerSeals } from "./seals.ts";
import type { RefusalLine, RefusalQuery, RefusedPageQuery } from "./refusals.ts";
import type { UploadPage } from "./upload_pages.ts";
import type { WebhookPage } from "./webhook_pages.ts";
import type { HourlySpend, SpendHistoryQuery, SpendSums } from "./spending.ts";
import type { ArchivedDay, SumRow, SumSlice } from "./sums.ts";
import type { TagNamesQuery, UsageQuery, UsageReport } from "./usage.ts";

/** The operations of each store. */
export const STORES = {
  /** Projects, keys and balances. */
  accounts: {
    loadProjects: reads<() => readonly Project[]>(),
    loadKeys: reads<() => readonly ProjectKey[]>(),
    loadBalances: reads<() => readonly Balance[]>(),
    /** Of some projects, in order of their ids. */
    balances: reads<(projectIds: readonly string[]) => readonly Balance[]>(),
    /** What the ledger ends with, of every project that ever had any; reads the whole live ledger once. */
    lastBalances: reads<() => readonly LastBalance[]>(),
    /** Ids of projects in their order, behind `after`, at most `limit`. */
    projectIds: reads<(after: string | undefined, limit: number) => readonly string[]>(),
    /** Ids of keys in order of creation. */
    keyIds: reads<(query: KeyQuery) => readonly string[]>(),
  },
  /** Whose what is open is. */
  sessions: {
    /** Sessions that have calls or answers open, rising. */
    withOpen: reads<() => readonly SessionId[]>(),
  },
  /** The catalogue as last written. */
  catalogue: {
    /** `undefined` when no catalogue was ever written. */
    load: reads<() => Catalogue | undefined>(),
    /** Price versions by number; unknown numbers are left out. */
    priceVersions: reads<(versions: readonly number[]) => readonly PriceVersion[]>(),
  },
  /** Calls (usage rows), open and closed. */
  calls: {
    /** The largest call id ever used, archived ones included; 0 when there is none. */
    lastCallId: reads<() => number>(),
    find: reads<(callId: number) => StoredCall | undefined>(),
    /** The 16 bytes behind which request ids hide call ids, in hex: the same for ever. */
    requestIdKey: reads<() => string>(),
    /** Open calls, oldest first. */
    openCalls: reads<(limit: number) => readonly StoredCall[]>(),
    /** A session's open calls that no video task goes on with, oldest first. */
    abandonedCalls: reads<(session: SessionId, limit: number) => readonly StoredCall[]>(),
    /** Calls with an id above `afterCallId`, rising, at most `limit`. */
    slice: reads<(afterCallId: number, limit: number) => readonly StoredCall[]>(),
    /** Calls by what is known of them, newest first, within bounds of rows and time. */
    page: reads<(query: CallPageQuery) => CallPage>(),
    /** How fast the last calls were, within bounds of rows. */
    latencyReport: reads<(query: LatencyQuery) => LatencyReport>(),
    /** Closed calls since `fromMs`, for rebuilding limits at boot; newest first, at most `limit`. */
    closedSince: reads<(fromMs: number, limit: number) => readonly StoredCall[]>(),
    /**
     * From sums kept at write time, by hour, or by day where calls are archived: its cost does
     * not grow with the number of calls.
     */
    usageReport: readsSums<(query: UsageQuery) => UsageReport>(),
    /** Names of tags, the most used first, among the newest of the calls that a query means. */
    tagNames: reads<(query: TagNamesQuery) => readonly string[]>(),
  },
  /** Requests that were refused before they became calls. */
  refusals: {
    /** One of those that are kept singly. */
    find: reads<(callId: number, requestId: string) => RefusedRequest | undefined>(),
    /** Those that are kept singly, newest first. */
    page: reads<(query: RefusedPageQuery) => readonly RefusedRequest[]>(),
    /** Sums by what is asked for, the largest first. */
    report: reads<(query: RefusalQuery) => readonly RefusalLine[]>(),
  },
  /** The append-only ledger. */
  ledger: {
    /** The books that there are, the main one first. */
    books: reads<() => readonly BookId[]>(),
    /** Rows of a book, the main one if none is named, with `seq` above `afterSeq`, rising, at most `limit`. */
    slice: reads<(afterSeq: number, limit: number, book?: BookId) => readonly LedgerRow[]>(),
    /** How many rows a check of the books reads of each table. */
    rowCounts: reads<() => RowCounts>(),
    /** Rows among the next `limit` of a table whose checksum is wrong, and where to go on. */
    alteredRows: reads<
      (
        table: "calls" | "ledger" | "price_versions",
        after: number,
        limit: number,
      ) => {
        readonly altered: readonly AlteredRow[];
        /** `undefined` when the table's end is reached. */
        readonly next: number | undefined;
      }
    >(),
  },
  /** What is known of archived calls, and what of them stays. */
  checkpoints: {
    /** Oldest first. */
    list: reads<() => readonly Checkpoint[]>(),
    /** The document of a checkpoint; `undefined` when there is none of this number. */
    document: reads<(number: number) => string | undefined>(),
    /** The references that stay of the credits that a checkpoint has archived. */
    references: reads<(number: number) => readonly KeptReference[]>(),
    /** Archived calls that stay for their films' sake, with an id above `afterCallId`, rising. */
    keptCalls: reads<(afterCallId: number, limit: number) => readonly number[]>(),
    /**
     * Whether rows lie here that are archived, or hourly sums of them, because dropping and
     * compacting them was broken off.
     */
    hasLeftovers: reads<() => boolean>(),
  },
  /** Spending, from sums kept at write time, exact after a crash. */
  spending: {
    /**
     * Of every key that has spent since the first hour of a month (hours since the
     * epoch), deleted ones included; what was spent in later hours counts in all three.
     */
    sums: readsSums<
      (
        since: { readonly hour: number; readonly day: number; readonly month: number },
      ) => readonly SpendSums[]
    >(),
    /** The hours of some subjects in which they have spent anything. */
    history: readsSums<(query: SpendHistoryQuery) => readonly HourlySpend[]>(),
    /** What is stored of subjects besides their sums. */
    states: reads<() => readonly SpendState[]>(),
  },
  /** Sums as they are in their tables. */
  sums: {
    /** Of each book, the last row whose call is in the hourly sums. */
    covered: reads<() => readonly BookPlace[]>(),
    /** Since when (milliseconds since the epoch) detailed sums have every call; 0 for ever. */
    detailsWholeSince: reads<() => number>(),
    /** Up to this hour spending may have been added up by an older rule: without what was lost of it. */
    spendRuleSinceHour: reads<() => number>(),
    /** Rows, and which ledger rows they cover, as they are at one moment. */
    slice: reads<
      (
        query: SumSlice,
      ) => { readonly covered: readonly BookPlace[]; readonly rows: readonly SumRow[] }
    >(),
    /** The next day behind `afterDay` and before `beforeDay` that has sums, whether by day or still by hour. */
    nextDay: reads<(afterDay: number, beforeDay: number) => ArchivedDay | undefined>(),
  },
  /** Video tasks. */
  videos: {
    find: reads<(taskId: string) => VideoTask | undefined>(),
    list: reads<(query: VideoQuery) => readonly VideoTask[]>(),
    /** Queued and in progress, in order of creation, of calls above `afterCallId`, at most `limit`. */
    open: reads<(afterCallId: number, limit: number) => readonly VideoTask[]>(),
    /** The newest task of a project with this fingerprint, created since `sinceMs`, whose id is unused. */
    unusedRepeat: reads<
      (
        query: {
          readonly projectId: string;
          readonly fingerprint: string;
          readonly sinceMs: number;
        },
      ) => VideoTask | undefined
    >(),
    /** Those of the ids whose films nobody needs: of no task, of failed ones, and of films removed. */
    idsWithoutContent: reads<(taskIds: readonly string[]) => readonly string[]>(),
    /** Completed tasks whose film is still kept, with `expiresAt` at most `untilMs`; earliest first. */
    expired: reads<(page: ContentPage) => readonly VideoTask[]>(),
    /**
     * A project's completed tasks whose film is still kept and was fetched, completed at most
     * at `untilMs`; oldest completion first.
     */
    removableVideos: reads<(projectId: string, page: ContentPage) => readonly VideoTask[]>(),
    /** Bytes of all films kept. */
    keptBytes: reads<() => readonly ProjectBytes[]>(),
    /** Bytes of the films kept that were fetched, and completed at most at a time. */
    removableBytes: reads<(untilMs: number) => readonly ProjectBytes[]>(),
    /** What an operator has paused of the queue, oldest first. */
    pauses: reads<() => readonly VideoPause[]>(),
  },
  /** The outbox and the signing secrets. */
  webhooks: {
    /** Waiting messages with `nextAt` at most `untilMs`: project by project, each one's earliest first. */
    due: reads<(untilMs: number, bounds: DueBounds) => readonly WebhookMessage[]>(),
    /** The earliest `nextAt` of a waiting message that is after `afterMs`; `undefined` when there is none. */
    nextDueAt: reads<(afterMs: number) => number | undefined>(),
    secret: reads<(projectId: string) => WebhookSecret | undefined>(),
    find: reads<(messageId: string) => WebhookMessage | undefined>(),
    /** What a film's caller is told of its end; `undefined` for nothing, or when it is forgotten. */
    ofVideo: reads<(videoId: string) => WebhookMessage | undefined>(),
    list: reads<(page: WebhookPage) => readonly WebhookMessage[]>(),
  },
  /** Answers for repeated requests. */
  answers: {
    /** Bytes of the stored answer, 0 of one that was not kept; `undefined` where there is none. */
    size: reads<(scope: IdempotencyScope) => number | undefined>(),
    /** The stored answer, expired ones included. */
    find: reads<(scope: IdempotencyScope) => IdempotencyRecord | undefined>(),
  },
  /** Answers that equal requests get again, where their project wants that. */
  cached: {
    /** Bytes of the stored answer; `undefined` where there is none. */
    size: reads<(scope: IdempotencyScope) => number | undefined>(),
    /** The stored answer, expired ones included. */
    find: reads<(scope: IdempotencyScope) => IdempotencyRecord | undefined>(),
  },
  /** Answers of the Responses API that are kept. */
  responses: {
    /** The answer of this id that a project keeps; expired ones too. */
    find: reads<(answer: AnswerName) => StoredResponse | undefined>(),
    /** Bytes of what {@linkcode find} would read; `undefined` where it would find nothing. */
    size: reads<(answer: AnswerName) => number | undefined>(),
    /**
     * Bytes of an answer and of those that it goes on from, together, of so many at most; 0 where
     * there is none.
     */
    conversationSize: reads<(answer: AnswerName & { readonly most: number }) => number>(),
    /**
     * For each output item the id of the project's newest answer that it is in,
     * expired ones too; `undefined` where there is none.
     */
    owners: reads<
      (
        query: { readonly projectId: string; readonly itemIds: readonly string[] },
      ) => readonly (string | undefined)[]
    >(),
    /** A session's answers in the background that have not ended, oldest first, at most `limit`. */
    unfinished: reads<(session: SessionId, limit: number) => readonly StoredResponse[]>(),
  },
  /** Batches and their lines. */
  batches: {
    find: reads<(batchId: string) => Batch | undefined>(),
    list: reads<(page: BatchPage) => readonly Batch[]>(),
    /** All that have not ended, oldest first. */
    open: reads<() => readonly Batch[]>(),
    /** The lines of an open batch of which it is known what became of them, rising. */
    doneLines: reads<(batchId: string) => readonly number[]>(),
    /** Those lines by what became of them. */
    counts: reads<(batchId: string) => BatchCounts>(),
    /** Lines that are not in their files yet, rising. */
    waitingLines: reads<(query: WaitingLines) => readonly BatchLine[]>(),
  },
  /** Uploaded files. */
  uploads: {
    find: reads<(fileId: string) => UploadedFile | undefined>(),
    list: reads<(page: UploadPage) => readonly UploadedFile[]>(),
    /** Files of all projects in order of creation, behind one, at most `limit`. */
    slice: reads<(after: string | undefined, limit: number) => readonly UploadedFile[]>(),
    /** Those of the ids that no file has which is in a data dir. */
    idsWithoutFile: reads<(ids: readonly string[]) => readonly string[]>(),
    /** Files whose time is over, the longest first, at most `limit`. */
    expired: reads<(untilMs: number, limit: number) => readonly UploadedFile[]>(),
    /** Bytes of the files of each project that has any. */
    keptBytes: reads<() => readonly ProjectBytes[]>(),
  },
  /** How much projects keep, from sums kept at write time. */
  kept: {
    /** Of every project that has ever kept anything. */
    load: reads<() => KeptState>(),
    /** Of every project's answers of the Responses API that were created at a time or later. */
    since: reads<(timeMs: number) => readonly DatedBytes[]>(),
  },
  /** Tokens of administration. */
  tokens: {
    /** All of them, expired and revoked ones too. */
    load: reads<() => readonly AdminToken[]>(),
  },
  /** The append-only audit log. */
  audit: {
    /** Newest first. */
    list: reads<(query: AuditQuery) => readonly AuditRow[]>(),
    /** Looks through the next `limit` rows for altered and missing ones. */
    check: reads<(after: AuditLink | undefined, limit: number) => AuditCheck>(),
  },
} satisfies { readonly [store: string]: OperationLists };

/** The operations of the database as a whole. */
export const WHOLE = {
  /**
   * Begins a session: what is written from now on is its own. There is one of them at a time in
   * this database, so that all others have ended.
   */
  beginSession: writes<() => SessionId>(),
  /**
   * Writes a batch in one synced transaction; one result per entry, in order. Never rejects for
   * one entry's sake. Entries count in their order, and a batch may have several of one call, up
   * to its whole life: a driver that can change a row but once writes what they come to.
   */
  commitBatch: writes<(batch: readonly Entry[]) => readonly EntryResult[]>(),
  /** Reads what has to fit together as it is at one moment, whoever writes meanwhile. */
  snapshot: reads<(query: SnapshotQuery) => Snapshot>(),
  info: reads<() => StorageInfo>(),
  /** Writes what is summed up of closed calls but not in its tables yet, for whoever reads those elsewhere. */
  writeSums: writes<() => void>(),
  close: writes<() => void>(),
} satisfies OperationLists;

/** The stores of a database. */
export type Stores = {
  readonly [store in keyof typeof STORES]: Asynchronous<typeof STORES[store]>;
};

export type CatalogueStore = Stores["catalogue"];
export type CallStore = Stores["calls"];
export type LedgerStore = Stores["ledger"];
export type CheckpointStore = Stores["checkpoints"];
export type SpendStore = Stores["spending"];
export type BatchStore = Stores["batches"];
export type UploadStore = Stores["uploads"];
export type VideoStore = Stores["videos"];
export type WebhookStore = Stores["webhooks"];
export type AnswerStore = Stores["answers"];
export type ResponseStore = Stores["responses"];
export type SumStore = Stores["sums"];
export type AuditStore = Stores["audit"];

/** A database driver. */
export type Storage = Stores & Asynchronous<typeof WHOLE> & { readonly seals?: LedgerSeals };

/** What can be read of a database, wherever that is done. */
export type StorageReads = Stores & Pick<Storage, "info" | "snapshot" | "seals">;

/** A database in the calling thread. */
export type SynchronousStorage =
  & { readonly [store in keyof typeof STORES]: Synchronous<typeof STORES[store]> }
  & Synchronous<typeof WHOLE>;

/** An operation's name: a store's as `store.method`, the whole database's by their own. */
export type OperationName =
  | { [store in keyof Stores]: `${store}.${keyof Stores[store] & string}` }[keyof Stores]
  | keyof typeof WHOLE;

/** A kept answer, by whose it is. */
export interface AnswerName {
  readonly projectId: string;
  readonly responseId: string;
}

/** Which keys a list shows. */
export interface KeyQuery {
  /** `undefined` for all projects. */
  readonly projectId?: string | undefined;
  /** Only keys behind this one. */
  readonly after?: { readonly createdAt: number; readonly id: string } | undefined;
  readonly limit: number;
}

/** How many messages are asked for. */
export interface DueBounds {
  readonly most: number;
  /** Of any one project, its earliest. */
  readonly perProject: number;
  /** The project behind which to begin, in turn; with the first one when absent. */
  readonly after?: string;
  /** Projects that are left out. */
  readonly skip?: readonly string[];
}

/** What `doctor`, `version` and readiness tell about the database. */
export interface StorageInfo {
  readonly engine: string;
  readonly schemaVersion: number;
  readonly bytes: number;
}
