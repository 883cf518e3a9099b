/**
 * What the rest of the gateway needs from a database, by operation. Every
 * method is asynchronous and takes and gives plain serialisable values, so that
 * a driver may live in a Worker or on another machine.
 *
 * @module
 */

import type { Balance, Project, ProjectKey } from "../../domain/account.ts";
import type { AuditRow } from "../../domain/audit.ts";
import type { LedgerRow, StoredCall } from "../../domain/call.ts";
import type { Catalogue } from "../../domain/catalogue.ts";
import type { Checkpoint, KeptReference } from "../../domain/checkpoint.ts";
import type { IdempotencyRecord, IdempotencyScope } from "../../domain/idempotency.ts";
import type { DatedBytes, KeptState } from "../../domain/kept_bytes.ts";
import type { AmountE8 } from "../../domain/money.ts";
import type { PriceVersion } from "../../domain/price.ts";
import type { SpendScope, SpendState } from "../../domain/spending.ts";
import type { StoredResponse } from "../../domain/stored_response.ts";
import type { VideoStatus, VideoTask } from "../../domain/video_task.ts";
import type { WebhookMessage, WebhookSecret } from "../../domain/webhook.ts";
import type { Entry, EntryResult } from "./entry.ts";
import type { SumStore } from "./sums.ts";

/** Projects, keys and balances. */
export interface AccountStore {
  loadProjects(): Promise<readonly Project[]>;
  loadKeys(): Promise<readonly ProjectKey[]>;
  loadBalances(): Promise<readonly Balance[]>;
  /** Ids of projects in their order, behind `after`, at most `limit`. */
  projectIds(after: string | undefined, limit: number): Promise<readonly string[]>;
  /** Ids of keys in order of creation. */
  keyIds(query: KeyQuery): Promise<readonly string[]>;
}

/** Which keys a list shows. */
export interface KeyQuery {
  /** `undefined` for all projects. */
  readonly projectId?: string | undefined;
  /** Only keys behind this one. */
  readonly after?: { readonly createdAt: number; readonly id: string } | undefined;
  readonly limit: number;
}

/** The catalogue as last written. */
export interface CatalogueStore {
  /** `undefined` when no catalogue was ever written. */
  load(): Promise<Catalogue | undefined>;
  /** Price versions by number; unknown numbers are left out. */
  priceVersions(versions: readonly number[]): Promise<readonly PriceVersion[]>;
}

/**
 * Which closed calls a usage report adds up. Times are milliseconds since the
 * epoch and count in whole hours: `fromMs` from the start of its hour, `toMs` to
 * the end of its own (a start of an hour is excluded).
 */
export interface UsageQuery {
  readonly projectId?: string;
  readonly model?: string;
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly groupBy: readonly ("project" | "model" | "provider" | "route" | "day")[];
  /** The longest that it is added up, in milliseconds; unbounded when absent. */
  readonly withinMs?: number;
}

/**
 * What a usage report leaves out. `time`: hours before `fromMs` (milliseconds since
 * the epoch), those from then on are whole. `rows`: lines behind the last one; those
 * that are there are whole. `days`: everything, as it was asked for a part of the day
 * that begins at `dayMs`, of which there is only the whole, since its calls are archived.
 */
export type UsageCut =
  | { readonly reason: "time"; readonly fromMs: number }
  | { readonly reason: "rows" }
  | { readonly reason: "days"; readonly edge: "from" | "to"; readonly dayMs: number };

/** A usage report. */
export interface UsageReport {
  /** In the order of their fields, at most 10,000. */
  readonly lines: readonly UsageTotals[];
  readonly cut: UsageCut | undefined;
}

/** One line of a usage report. Grouping fields that were not asked for are absent. */
export interface UsageTotals {
  readonly project?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly route?: string;
  /** UTC date, `2026-11-21`. */
  readonly day?: string;
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costE8: AmountE8;
  readonly saleE8: AmountE8;
  readonly chargedE8: AmountE8;
  readonly lossE8: AmountE8;
}

/** Calls (usage rows), open and closed. */
export interface CallStore {
  /** The largest call id ever used, archived ones included; 0 when there is none. */
  lastCallId(): Promise<number>;
  find(callId: number): Promise<StoredCall | undefined>;
  /** The 16 bytes behind which request ids hide call ids, in hex: the same for ever. */
  requestIdKey(): Promise<string>;
  /** Open calls, oldest first. */
  openCalls(limit: number): Promise<readonly StoredCall[]>;
  /** Open calls that no video task goes on with, oldest first. */
  abandonedCalls(limit: number): Promise<readonly StoredCall[]>;
  /** Calls with an id above `afterCallId`, rising, at most `limit`. */
  slice(afterCallId: number, limit: number): Promise<readonly StoredCall[]>;
  /** Closed calls since `fromMs`, for rebuilding limits at boot; newest first, at most `limit`. */
  closedSince(fromMs: number, limit: number): Promise<readonly StoredCall[]>;
  /**
   * From sums kept at write time, by hour, or by day where calls are archived: its cost does
   * not grow with the number of calls.
   */
  usageReport(query: UsageQuery): Promise<UsageReport>;
}

/** What a key has spent since the beginning of three periods. */
export interface SpendSums {
  readonly projectId: string;
  readonly keyId: string;
  readonly hourE8: AmountE8;
  readonly dayE8: AmountE8;
  readonly monthE8: AmountE8;
}

/** What a project or key has spent in one hour. */
export interface HourlySpend {
  readonly id: string;
  /** Hours since the epoch. */
  readonly hour: number;
  readonly spentE8: AmountE8;
}

/** Whose hours, from `fromHour` on and before `toHour` (hours since the epoch). */
export interface SpendHistoryQuery {
  readonly scope: SpendScope;
  readonly ids: readonly string[];
  readonly fromHour: number;
  readonly toHour: number;
}

/** Spending, from sums kept at write time, exact after a crash. */
export interface SpendStore {
  /**
   * Of every key that has spent since the first hour of a month (hours since the
   * epoch), deleted ones included; what was spent in later hours counts in all three.
   */
  sums(
    since: { readonly hour: number; readonly day: number; readonly month: number },
  ): Promise<readonly SpendSums[]>;
  /** The hours of some subjects in which they have spent anything. */
  history(query: SpendHistoryQuery): Promise<readonly HourlySpend[]>;
  /** What is stored of subjects besides their sums. */
  states(): Promise<readonly SpendState[]>;
}

/** A stored row whose checksum does not fit its columns. */
export interface AlteredRow {
  readonly table: string;
  readonly id: string;
}

/** The append-only ledger. */
export interface LedgerStore {
  /** Rows with `seq` above `afterSeq`, rising, at most `limit`. */
  slice(afterSeq: number, limit: number): Promise<readonly LedgerRow[]>;
  /** Rows among the next `limit` of a table whose checksum is wrong, and where to go on. */
  alteredRows(
    table: "calls" | "ledger" | "price_versions",
    after: number,
    limit: number,
  ): Promise<{
    readonly altered: readonly AlteredRow[];
    /** `undefined` when the table's end is reached. */
    readonly next: number | undefined;
  }>;
}

/** What is known of archived calls, and what of them stays. */
export interface CheckpointStore {
  /** Oldest first. */
  list(): Promise<readonly Checkpoint[]>;
  /** The document of a checkpoint; `undefined` when there is none of this number. */
  document(number: number): Promise<string | undefined>;
  /** The references that stay of the credits that a checkpoint has archived. */
  references(number: number): Promise<readonly KeptReference[]>;
  /** Archived calls that stay for their films' sake, with an id above `afterCallId`, rising. */
  keptCalls(afterCallId: number, limit: number): Promise<readonly number[]>;
  /**
   * Whether rows lie here that are archived, or hourly sums of them, because dropping and
   * compacting them was broken off.
   */
  hasLeftovers(): Promise<boolean>;
}

/** Which tasks a list shows, in order of creation. */
export interface VideoQuery {
  /** `undefined` for all projects. */
  readonly projectId?: string | undefined;
  readonly status?: VideoStatus | undefined;
  /** Only tasks created after (`asc`) or before (`desc`) the call of this id. */
  readonly afterCallId?: number | undefined;
  readonly order: "asc" | "desc";
  readonly limit: number;
}

/** Video tasks. */
export interface VideoStore {
  find(taskId: string): Promise<VideoTask | undefined>;
  list(query: VideoQuery): Promise<readonly VideoTask[]>;
  /** Queued and in progress, in order of creation, of calls above `afterCallId`, at most `limit`. */
  open(afterCallId: number, limit: number): Promise<readonly VideoTask[]>;
  /** The newest task of a project with this fingerprint, created since `sinceMs`, whose id is unused. */
  unusedRepeat(
    query: {
      readonly projectId: string;
      readonly fingerprint: string;
      readonly sinceMs: number;
    },
  ): Promise<VideoTask | undefined>;
  /** Those of the ids whose films nobody needs: of no task, of failed ones, and of films removed. */
  idsWithoutFilm(taskIds: readonly string[]): Promise<readonly string[]>;
  /** Completed tasks whose film is still kept, with `expiresAt` at most `untilMs`; earliest first. */
  expired(page: FilmPage): Promise<readonly VideoTask[]>;
  /**
   * A project's completed tasks whose film is still kept and was fetched, completed at most
   * at `untilMs`; oldest completion first.
   */
  removableFilms(projectId: string, page: FilmPage): Promise<readonly VideoTask[]>;
  /** Bytes of all films kept. */
  keptBytes(): Promise<readonly ProjectBytes[]>;
  /** Bytes of the films kept that were fetched, and completed at most at a time. */
  removableBytes(untilMs: number): Promise<readonly ProjectBytes[]>;
}

/** A part of a list of films, which is in order of a time and then of creation. */
export interface FilmPage {
  /** Up to this time, milliseconds since the epoch. */
  readonly untilMs: number;
  readonly limit: number;
  /** Behind this film; from the first one without it. */
  readonly after?: { readonly at: number; readonly callId: number } | undefined;
}

/** Bytes of a project's films; of one that has none there is no row. */
export interface ProjectBytes {
  readonly projectId: string;
  readonly bytes: number;
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

/** The outbox and the signing secrets. */
export interface WebhookStore {
  /** Waiting messages with `nextAt` at most `untilMs`: project by project, each one's earliest first. */
  due(untilMs: number, bounds: DueBounds): Promise<readonly WebhookMessage[]>;
  /** The earliest `nextAt` of a waiting message that is after `afterMs`; `undefined` when there is none. */
  nextDueAt(afterMs: number): Promise<number | undefined>;
  secret(projectId: string): Promise<WebhookSecret | undefined>;
}

/** Answers for repeated requests. */
export interface AnswerStore {
  /** Bytes of the stored answer, 0 of one that was not kept; `undefined` where there is none. */
  size(scope: IdempotencyScope): Promise<number | undefined>;
  /** The stored answer, expired ones included. */
  find(scope: IdempotencyScope): Promise<IdempotencyRecord | undefined>;
}

/** Answers of the Responses API that are kept. */
export interface ResponseStore {
  /** The answer of this id that a project keeps; expired ones too. */
  find(query: { readonly projectId: string; readonly responseId: string }): Promise<
    StoredResponse | undefined
  >;
  /** Bytes of what {@linkcode find} would read; `undefined` where it would find nothing. */
  size(query: { readonly projectId: string; readonly responseId: string }): Promise<
    number | undefined
  >;
  /**
   * Bytes of an answer and of those that it goes on from, together, of so many at most; 0 where
   * there is none.
   */
  conversationSize(query: {
    readonly projectId: string;
    readonly responseId: string;
    readonly most: number;
  }): Promise<number>;
  /**
   * For each output item the id of the project's newest answer that it is in,
   * expired ones too; `undefined` where there is none.
   */
  owners(query: { readonly projectId: string; readonly itemIds: readonly string[] }): Promise<
    readonly (string | undefined)[]
  >;
  /** Answers in the background that have not ended, oldest first, at most `limit`. */
  unfinished(limit: number): Promise<readonly StoredResponse[]>;
}

/** How much projects keep, from sums kept at write time. */
export interface KeptStore {
  /** Of every project that has ever kept anything. */
  load(): Promise<KeptState>;
  /** Of every project's answers of the Responses API that were created at a time or later. */
  since(timeMs: number): Promise<readonly DatedBytes[]>;
}

/** Which rows of the audit log are shown. */
export interface AuditQuery {
  /** Only rows with a smaller number. */
  readonly beforeSeq?: number | undefined;
  /** Only changes at this time or later, in milliseconds since the epoch. */
  readonly sinceMs?: number | undefined;
  readonly operation?: string | undefined;
  /** A whole subject (`project:shop`), or its id alone; also of a part of a changed catalogue. */
  readonly subject?: string | undefined;
  readonly limit: number;
}

/** A row of the audit log as the one behind it knows it. */
export interface AuditLink {
  readonly seq: number;
  readonly checksum: number;
}

/** What is wrong at a row of the audit log. */
export interface AuditFault {
  readonly seq: number;
  readonly detail: string;
}

/** What was found in a slice of the audit log. */
export interface AuditCheck {
  readonly rows: number;
  readonly faults: readonly AuditFault[];
  /** Where to go on; `undefined` at the end, which was compared with the last row written. */
  readonly next: AuditLink | undefined;
}

/** The append-only audit log. */
export interface AuditStore {
  /** Newest first. */
  list(query: AuditQuery): Promise<readonly AuditRow[]>;
  /** Looks through the next `limit` rows for altered and missing ones. */
  check(after: AuditLink | undefined, limit: number): Promise<AuditCheck>;
}

/** What `doctor`, `version` and readiness tell about the database. */
export interface StorageInfo {
  readonly engine: string;
  readonly schemaVersion: number;
  readonly bytes: number;
}

/** A database driver. */
export interface Storage {
  readonly accounts: AccountStore;
  readonly catalogue: CatalogueStore;
  readonly calls: CallStore;
  readonly ledger: LedgerStore;
  readonly checkpoints: CheckpointStore;
  readonly spending: SpendStore;
  readonly sums: SumStore;
  readonly videos: VideoStore;
  readonly webhooks: WebhookStore;
  readonly answers: AnswerStore;
  readonly responses: ResponseStore;
  readonly kept: KeptStore;
  readonly audit: AuditStore;
  /** Writes a batch in one synced transaction; one result per entry, in order. Never rejects for one entry's sake. */
  commitBatch(batch: readonly Entry[]): Promise<readonly EntryResult[]>;
  info(): Promise<StorageInfo>;
  /** Writes what is summed up of closed calls but not in its tables yet, for whoever reads those elsewhere. */
  writeSums(): Promise<void>;
  /** Moves the write-ahead log into the database file. */
  checkpoint(): Promise<void>;
  close(): Promise<void>;
}

/** What can be read of a database, wherever that is done. */
export type StorageReads = Omit<Storage, "commitBatch" | "writeSums" | "checkpoint" | "close">;
