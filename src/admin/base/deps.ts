/**
 * What administrative operations work on: the live state of this process.
 *
 * @module
 */

import type { AdminTokens } from "../../accounts/admin_tokens.ts";
import type { KeptRoom } from "../../accounts/kept_room.ts";
import type { Caller, KeyDirectory } from "../../accounts/key_directory.ts";
import type { Ledger } from "../../accounts/ledger.ts";
import type { SpendBook } from "../../accounts/spend_book.ts";
import type { Batches } from "../../batches/batches.ts";
import type { PriceBook } from "../../catalog/price_book.ts";
import type { CatalogueHolder } from "../../catalog/snapshot.ts";
import type { Clock, Random } from "../../domain/clock.ts";
import type { CallFinder, RequestIdentity } from "../../domain/ids.ts";
import type { AuditActor, AuditNote } from "../../domain/audit.ts";
import type { NodeView } from "../../domain/node_view.ts";
import type { Rights } from "../../domain/roles.ts";
import type { SessionId } from "../../domain/session.ts";
import type { KeptPrompts } from "../../prompts/kept_prompts.ts";
import type { UploadedFile } from "../../domain/uploaded_file.ts";
import type { VideoPause } from "../../domain/video_pause.ts";
import type { VideoTask } from "../../domain/video_task.ts";
import type { RecentUsage } from "../../metering/recent_usage.ts";
import type { RefusalBook } from "../../metering/refusal_book.ts";
import type { Registry } from "../../providers/registry.ts";
import type { CapacityView, HealthView } from "../../routing/route_request.ts";
import type { ConfigurationVersion } from "../../storage/ports/configuration.ts";
import type { AuditedEntry, EntryResult } from "../../storage/ports/entry.ts";
import type { ServerFacts } from "../../storage/ports/server_state.ts";
import type { Storage, StorageReads } from "../../storage/ports/storage.ts";
import type { ConsoleLinks } from "./console_links.ts";
import type { AdminAlerts } from "./alert_rows.ts";
import type { AdminArchives } from "./archive_report.ts";
import type { AdminBackups, BackupScheduleView } from "./backup_report.ts";
import type { Changes } from "./changes.ts";
import type { Finding } from "./doctor_finding.ts";
import type { AdminJobs } from "./job.ts";
import type { SettingView } from "./shown_setting.ts";
import type { WorkWatcher } from "./work_progress.ts";

/** What went wrong with a task, in an operator's words. */
export interface TaskFailureView {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly route: string;
  readonly message: string;
}

/** A place in the queue of a route. */
export interface TaskPlaceView {
  /** 1 for the next one. */
  readonly position: number;
  /** Tasks that wait for the route. */
  readonly waiting: number;
  /** Milliseconds until its turn, about; `undefined` where nobody can tell. */
  readonly waitMs: number | undefined;
}

/** The pauses of the video queue, as far as administration needs them. */
export interface AdminVideoPauses {
  readonly list: readonly VideoPause[];
  /** Why nothing begins on a route; `undefined` where films do. */
  of(routeId: string): VideoPause | undefined;
  /** What is stored now. */
  replace(pauses: readonly VideoPause[]): void;
}

/** How busy a route is with films. */
export interface RouteQueueView {
  readonly route: string;
  /** Tasks that wait for an attempt. */
  readonly waiting: number;
  /** Tasks that are worked on. */
  readonly underWay: number;
}

/** The owner of video tasks, as far as administration needs it. */
export interface AdminVideos {
  /** `undefined` when there is none of this id. */
  find(taskId: string): VideoTask | undefined | Promise<VideoTask | undefined>;
  /**
   * Deletes a task, whatever its state, and notes it in the same step.
   *
   * @throws {GatewayError} `storage_full`
   */
  removeNoted(
    taskId: string,
    noteOf: (task: VideoTask) => AuditNote,
  ): Promise<"deleted" | "missing">;
  /**
   * Orders a film again that could not be made; a task of its own, which its project pays.
   *
   * @throws {GatewayError} `conflict`; whatever creating a task is refused for.
   */
  retry(task: VideoTask, options: {
    readonly caller: Caller;
    readonly identity: RequestIdentity;
    readonly noteOf: (task: VideoTask) => AuditNote;
  }): Promise<{ readonly task: VideoTask; readonly isRepeated: boolean }>;
  /**
   * Moves a film that waits among those of its project and route, and notes that in the same step.
   *
   * @throws {GatewayError} `conflict` when it does not wait; `storage_full`.
   */
  move(taskId: string, options: {
    readonly to: "front" | "up" | "down" | "back";
    readonly noteOf: (task: VideoTask) => AuditNote;
  }): Promise<VideoTask | undefined>;
  /** Has the webhooks that are due sent now. */
  tell(): void;
  readonly pauses: AdminVideoPauses;
  /** Why an open task does not go on before somebody resumes the queue; `undefined` for any other. */
  pauseOf(task: VideoTask): VideoPause | undefined;
  /** Of every route that has open tasks. */
  queues(): readonly RouteQueueView[];
  /** Where a task stands that waits for its first attempt; `undefined` for any other. */
  placeOf(task: VideoTask): Promise<TaskPlaceView | undefined>;
  /** What went wrong last with a task, since this process began; `undefined` for nothing. */
  lastFailure(taskId: string): TaskFailureView | undefined;
  /** Where a task's film is, if it has one. */
  placeOfFilm(task: VideoTask): string;
}

/** The owner of uploaded files, as far as administration needs it. */
export interface AdminUploads {
  /**
   * Deletes a file and notes it in the same step.
   *
   * @throws {GatewayError} `storage_full`; nothing has changed.
   */
  removeNoted(file: UploadedFile, note: AuditNote): Promise<"deleted" | "missing">;
  /** Where the bytes of a file are. */
  placeOf(file: UploadedFile): string;
}

/** The sole writer as administration sees it: it takes no change without its note. */
export interface AuditedCommits {
  /** Resolves when the changes and their row in the audit log are synced, or refused. */
  commit(entry: AuditedEntry): Promise<EntryResult>;
  /** Entries of whatever kind that wait or are being written. */
  readonly pending: number;
  /** Resolves when everything given so far is synced. */
  flush(): Promise<void>;
}

/** Where a change comes from. */
export interface ChangeOrigin {
  readonly actor: AuditActor;
  /** What whoever asks may do. */
  readonly rights: Rights;
  /** The administrative request's; `undefined` where there is none. */
  readonly requestId: string | undefined;
}

/** What administration changes; `database` is changed where no gateway has it, so without a row. */
export type ChangedKind =
  | "archive"
  | "batch"
  | "call"
  | "catalogue"
  | "database"
  | "file"
  | "key"
  | "model"
  | "prices"
  | "project"
  | "provider"
  | "queue"
  | "route"
  | "session"
  | "token"
  | "video"
  | "webhook";

/** What is done, as the audit log tells of it: an operation, or what an empty data dir begins with. */
export interface Act {
  readonly name: string;
  readonly changes?: ChangedKind;
}

/** What is known of the process only where it is made. */
export interface AdminSystem {
  readonly dataDir: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** How much further the clock has moved since the start than time has passed. */
  jumpedMs(): number;
  /** What is left free on the data dir's disk for the ledger, at most. */
  readonly diskReserveBytes: number;
  /** Why a secret reference has no value, naming the reference; `undefined` when it has one. */
  secretTrouble(reference: string): string | undefined;
}

/** A process that listens, as far as administration needs it. */
export interface AdminListening {
  /** What it was started with; secrets are masked. */
  readonly settings: readonly SettingView[];
  /**
   * Looks for what is wrong around it, each finding as soon as it is made; what takes long is done
   * beside the calls.
   */
  diagnose(options: {
    /** Whether no upstream may be asked. */
    readonly isOffline: boolean;
    readonly signal?: AbortSignal | undefined;
  }): AsyncIterable<Finding>;
}

/** The console of this process, as far as administration needs it. */
export interface AdminConsole {
  readonly links: ConsoleLinks;
  /** Where browsers reach the gateway, without a path. */
  baseUrl(): string;
  /** Whose people may sign in; absent for nobody's. */
  readonly oidcIssuer?: string | undefined;
}

/** A server that has the database, as far as administration needs it. */
export interface AdminDatabaseServer {
  /** What it says of itself now. */
  facts(): Promise<ServerFacts>;
  /** All that use it, this one too. */
  nodes(): Promise<readonly NodeView[]>;
  /** This process's session there. */
  readonly own: SessionId;
}

/** Handed to every operation by the composition root. */
export interface AdminDeps {
  /** Absent where nobody can sign in: no server listens, or its console is off. */
  readonly console?: AdminConsole | undefined;
  /** Absent where no server listens. */
  readonly listening?: AdminListening | undefined;
  /** Absent where no server listens: nobody looks then. */
  readonly alerts?: AdminAlerts | undefined;
  /** The host of whoever is asked about every request; absent: nobody is. */
  readonly guardHost?: string | undefined;
  /** To read from, apart from calls: what takes long here keeps none of them waiting. */
  readonly storage: StorageReads;
  /** Reads in order with the writes, for whoever compares both: they keep calls waiting. */
  readonly books: Pick<Storage, "snapshot" | "writeSums">;
  readonly commits: AuditedCommits;
  /** What other nodes change of what is in memory here. */
  readonly changes: Changes;
  /** The version that the operation at work decides on; absent where it holds whatever others change. */
  readonly decidedOn?: ConfigurationVersion | undefined;
  readonly ledger: Ledger;
  readonly spending: SpendBook;
  /** How much is kept of projects. */
  readonly room: Pick<KeptRoom, "bytesOf" | "mostBytesOf">;
  readonly directory: KeyDirectory;
  readonly tokens: AdminTokens;
  readonly catalogue: CatalogueHolder;
  /** What vendors ask, for whoever writes routes. */
  readonly prices: PriceBook;
  /** What was used in the last days, added up once. */
  readonly recentUsage: Pick<RecentUsage, "read">;
  readonly requestIds: CallFinder & { next(): RequestIdentity };
  /** Requests that came to no call and wait to be written; absent: there are none. */
  readonly refusals?: Pick<RefusalBook, "flush"> | undefined;
  readonly registry: Registry;
  readonly health: HealthView;
  readonly capacity: CapacityView;
  /** What calls said, of projects that have it kept. */
  readonly prompts: Pick<KeptPrompts, "find" | "forget">;
  readonly videos: AdminVideos;
  readonly uploads: AdminUploads;
  readonly batches: Pick<Batches, "find" | "page" | "cancel">;
  readonly backups: AdminBackups;
  /** Absent where no server listens; nothing where it makes none by itself. */
  readonly backupSchedule?: (() => BackupScheduleView | undefined) | undefined;
  readonly archives: AdminArchives;
  /** Long work that goes on while nobody waits for it. */
  readonly jobs: AdminJobs;
  /** Whoever follows the operation at work, where it is long. */
  readonly watcher?: WorkWatcher | undefined;
  readonly system: AdminSystem;
  /** Absent where the database is a file of the data dir, which one process has. */
  readonly databaseServer?: AdminDatabaseServer | undefined;
  readonly clock: Clock;
  readonly random: Random;
  /** Who is at work, for the audit log; whoever takes requests says it anew for each. */
  readonly origin: ChangeOrigin;
  /** The operation at work. */
  readonly act?: Act;
  /** The file given by `serve --catalog`, which then owns the catalogue; `undefined` otherwise. */
  readonly catalogueOwner: string | undefined;
  /** `server` when a gateway is listening in this process. */
  readonly process: { readonly kind: "server" | "cli"; readonly pid: number };
}
