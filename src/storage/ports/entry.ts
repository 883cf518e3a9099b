/**
 * Entries: everything that is ever written, as plain serialisable values. Each
 * succeeds or fails alone, whatever batch it travels in.
 *
 * @module
 */

import type { Project, ProjectKey } from "../../domain/account.ts";
import type { AdminToken } from "../../domain/admin_token.ts";
import type { AuditNote } from "../../domain/audit.ts";
import type { Batch, BatchLine } from "../../domain/batch.ts";
import type { AmountE8 } from "../../domain/money.ts";
import type { ClosedCall, OpenCall } from "../../domain/call.ts";
import type { Catalogue, SwitchesOff } from "../../domain/catalogue.ts";
import type { Checkpoint } from "../../domain/checkpoint.ts";
import type { IdempotencyRecord } from "../../domain/idempotency.ts";
import type { KeptState } from "../../domain/kept_bytes.ts";
import type { RefusalSum, RefusedRequest } from "../../domain/refused_request.ts";
import type { RunArchive } from "../../domain/run_archive.ts";
import type { SpendState } from "../../domain/spending.ts";
import type { StoredResponse } from "../../domain/stored_response.ts";
import type { UploadedFile } from "../../domain/uploaded_file.ts";
import type { VideoPause } from "../../domain/video_pause.ts";
import type { VideoTask } from "../../domain/video_task.ts";
import type { WebhookMessage, WebhookSecret } from "../../domain/webhook.ts";
import type { ConfigurationStep, ConfigurationVersion } from "./configuration.ts";

/** What of an answer is stored with the end of its call. */
export interface Kept {
  /** The answer to keep of the Responses API. */
  readonly response?: StoredResponse | undefined;
  /** What the request gets when it is repeated, until `response` is deleted. */
  readonly idempotency?: IdempotencyRecord | undefined;
  /** What becomes of the line of a batch that the call was made for. */
  readonly batchLine?: BatchLine | undefined;
}

/** One unit of change. */
export type Entry =
  /** Takes a hold: avail -= held, held += held, one open call row. Fails as `conflict` when avail is too small. */
  | { readonly kind: "hold"; readonly call: OpenCall }
  /** Replaces an open call's route, price version and hold (a dearer fallback). */
  | { readonly kind: "rehold"; readonly call: OpenCall }
  /**
   * Closes a call exactly once, by compare-and-set on its open row (inserting it
   * when its hold has not been written yet), with its ledger rows: one `settle`
   * or `release`, and one `loss` when `lossE8` is not 0. Fails as `conflict`
   * when the call is closed already. `response` is the answer to keep; one that was
   * asked for in the background replaces what was put for it, but for its input,
   * unless that was deleted meanwhile.
   */
  | (Kept & { readonly kind: "close"; readonly call: ClosedCall })
  /**
   * Keeps an answer that is to come (`conflict` when there is one of the same id), with
   * what a repeated request gets until that is deleted.
   */
  | {
    readonly kind: "put_response";
    readonly response: StoredResponse;
    readonly idempotency?: IdempotencyRecord | undefined;
  }
  /** Replaces a kept answer, but for its input (`missing` when it was deleted). */
  | { readonly kind: "change_response"; readonly response: StoredResponse }
  /** Deletes a kept answer with what tells of it (`missing` when the project keeps none of this id). */
  | { readonly kind: "delete_response"; readonly responseId: string; readonly projectId: string }
  /**
   * Removes a project's oldest kept answers until it keeps no more than `mostBytes`: those
   * alone that have ended and were created before a time. No more than a bound at one
   * time; the result says whether there is more to remove.
   */
  | {
    readonly kind: "evict_responses";
    readonly projectId: string;
    readonly mostBytes: number;
    readonly createdBefore: number;
  }
  /** Adds to a project's balance. Repeating a reference with the same amount changes nothing. */
  | {
    readonly kind: "credit";
    readonly projectId: string;
    readonly amountE8: AmountE8;
    readonly reference: string | undefined;
    readonly at: number;
  }
  /** Creates a project (`conflict` if it exists). */
  | { readonly kind: "create_project"; readonly project: Project }
  /** Replaces a project's settings (`missing` if there is none). */
  | { readonly kind: "update_project"; readonly project: Project }
  | { readonly kind: "create_key"; readonly key: ProjectKey }
  | { readonly kind: "update_key"; readonly key: ProjectKey }
  | { readonly kind: "delete_key"; readonly keyId: string }
  | { readonly kind: "create_token"; readonly token: AdminToken }
  /** Takes a token back for good (`missing` when there is none that is not). */
  | { readonly kind: "revoke_token"; readonly tokenId: string; readonly at: number }
  | { readonly kind: "note_token_use"; readonly tokenId: string; readonly at: number }
  /** Changes nothing: the audit log alone is told who signed in at the console, or was refused. */
  | { readonly kind: "note_sign_in" }
  /** What is kept beside the database was read, or deleted. */
  | { readonly kind: "note_reading" }
  /** Replaces what is stored of a project's or key's spending besides its sums. */
  | { readonly kind: "put_spend_state"; readonly state: SpendState }
  /**
   * Replaces the whole catalogue in one step. Routes whose prices differ from
   * their newest stored version get a new one; the result carries the catalogue
   * with its version numbers.
   */
  | {
    readonly kind: "write_catalogue";
    readonly catalogue: Catalogue;
    readonly at: number;
  }
  /**
   * Switches of a route. They are kept when a catalogue is written again that
   * says of the route what the one before said; a catalogue that says something
   * else wins.
   */
  | {
    readonly kind: "switch_route";
    readonly routeId: string;
    readonly enabled: boolean;
    readonly maintenance: boolean;
    /** What operators have said of those that are off; kept as long as they are. */
    readonly switchedOff?: SwitchesOff | undefined;
  }
  /**
   * Takes a call's hold and stores its task at revision 1, with the answer that a
   * repeated request gets until the task is deleted: all or nothing. `conflict` when the balance is too
   * small, a live answer of the same idempotency key is stored already, or the project or key has as many
   * unfinished tasks as it may. These are counted where several nodes may create some; elsewhere whoever
   * creates one has counted them.
   */
  | {
    readonly kind: "create_video";
    readonly task: VideoTask;
    readonly call: OpenCall;
    readonly mostOpen?: MostOpenTasks | undefined;
    readonly idempotency?: IdempotencyRecord;
  }
  /**
   * Replaces what may change of a task, by compare-and-set on the revision before
   * `task.revision`, with what belongs to the change: its hold moved to another
   * route, its call closed, a message put into the outbox. All or nothing;
   * `conflict` when the stored revision is another one or the transition is not
   * allowed, `missing` when the task was deleted.
   */
  | {
    readonly kind: "change_video";
    readonly task: VideoTask;
    readonly move?: OpenCall;
    readonly close?: ClosedCall;
    readonly webhook?: WebhookMessage;
  }
  /**
   * Deletes a task of this revision with the answer that was stored with it, and
   * closes its call if that is open: all or nothing.
   */
  | {
    readonly kind: "delete_video";
    readonly taskId: string;
    readonly revision: number;
    readonly close?: ClosedCall;
  }
  /** Replaces the pauses of the video queue. */
  | { readonly kind: "put_video_pauses"; readonly pauses: readonly VideoPause[] }
  /**
   * Keeps a file whose bytes are in their place, with the answer that a repeated request gets until
   * it is deleted (`conflict` when there is one of its id, or a live answer of the same key).
   */
  | {
    readonly kind: "create_upload";
    readonly file: UploadedFile;
    /**
     * What the project's files may take with it, in bytes, where other processes keep some as well
     * (`conflict` with `isOverQuota`); whoever is alone counts by itself.
     */
    readonly mostBytes?: number | undefined;
    readonly idempotency?: IdempotencyRecord | undefined;
  }
  /** Forgets a file (`missing` when there is none); its bytes may go when this is written. */
  | { readonly kind: "delete_upload"; readonly fileId: string }
  /** Begins a batch, with the answer that a repeated request gets. */
  | {
    readonly kind: "create_batch";
    readonly batch: Batch;
    readonly idempotency?: IdempotencyRecord | undefined;
  }
  /** Replaces what may change of a batch that has not ended (`missing` when there is none). */
  | { readonly kind: "change_batch"; readonly batch: Batch }
  /**
   * Has an open batch ask for nothing more, whoever works on it; one that asks for nothing more anyway stays
   * as it is (`missing` when there is none that is open).
   */
  | { readonly kind: "cancel_batch"; readonly batchId: string; readonly at: number }
  /** Notes what became of a line that came to no settled call (`conflict` when that is known). */
  | { readonly kind: "put_batch_line"; readonly line: BatchLine }
  /** States that lines are in their files, as long as the batch says these are. */
  | {
    readonly kind: "write_batch_lines";
    readonly batch: Batch;
    readonly lines: readonly number[];
  }
  /** Ends a batch: its files are there to be asked for, its lines are forgotten. */
  | {
    readonly kind: "finish_batch";
    readonly batch: Batch;
    readonly files: readonly UploadedFile[];
  }
  /** Notes a try of a message, by compare-and-set on the tries before `message.tries`. */
  | { readonly kind: "change_webhook"; readonly message: WebhookMessage }
  /** Begins another round of a message's tries at a time, in whichever state it is. */
  | { readonly kind: "resend_webhook"; readonly messageId: string; readonly at: number }
  /** Replaces a project's signing secret (`missing` if there is no such project). */
  | { readonly kind: "put_webhook_secret"; readonly secret: WebhookSecret }
  /**
   * Stores an answer for repeated requests; `conflict` while a live one of the same key is
   * stored. One that tells of a kept response goes when that is deleted, and is `missing`
   * when it was deleted already.
   */
  | {
    readonly kind: "store_answer";
    readonly record: IdempotencyRecord;
    readonly responseId?: string;
  }
  /**
   * Forgets what nobody needs any more: answers that have expired at a time, and
   * outbox messages that were done before another. No more than a bound at one
   * time; the result says whether there may be more.
   */
  | {
    readonly kind: "forget";
    readonly answersExpiredAt: number;
    readonly messagesDoneBefore: number;
  }
  /**
   * States that rows are archived, from which on they may be dropped; `conflict` unless it
   * follows the last checkpoint.
   */
  | {
    readonly kind: "record_checkpoint";
    readonly checkpoint: Checkpoint;
    readonly document: string;
  }
  /**
   * Notes an archive of sealed runs that this session has begun, from which on they may be dropped;
   * `conflict` where another session has gone on with it, or a run is dropped or archived already.
   */
  | {
    readonly kind: "record_run_archive";
    readonly archive: RunArchive;
    readonly document: string;
  }
  /**
   * Takes back what an archive of sealed runs was noted with, as if it had never been, but for what is
   * dropped: `conflict` where that loss is not accepted, or another process is at dropping it.
   */
  | {
    readonly kind: "give_up_run_archive";
    readonly number: number;
    /** Whether also what is dropped already is done without. */
    readonly acceptsLoss: boolean;
  }
  /**
   * Has the rows of an archive of sealed runs be put back, which nobody drops from then on: `conflict`
   * where it is not done, or another one follows it.
   */
  | { readonly kind: "restore_run_archive"; readonly number: number }
  /**
   * Drops the oldest rows that the last checkpoint has archived, at most `limit` of the
   * ledger with their calls; `hasMore` tells whether there may be more. What of them is still
   * needed stays: references of credits, calls of films. Then their hourly sums are compacted.
   */
  | { readonly kind: "drop_archived"; readonly limit: number }
  /**
   * Counts requests that became no calls, and keeps some of them: of each project no more sums and
   * requests than a bound.
   */
  | {
    readonly kind: "note_refusals";
    readonly sums: readonly RefusalSum[];
    readonly requests: readonly RefusedRequest[];
    readonly at: number;
  }
  /** Adds older calls to the detailed sums, at most `limit`; `hasMore` tells whether there may be more. */
  | { readonly kind: "backfill_details"; readonly limit: number }
  /**
   * Leases more of a project's balance to this node, of several that share it: what is needed, or
   * more, up to what is wished for, as far as nobody has leased it. Less than is needed is nothing.
   */
  | {
    readonly kind: "lease";
    readonly projectId: string;
    readonly needE8: AmountE8;
    readonly wishE8: AmountE8;
  }
  /** Gives back what this node has leased and does not hold; `conflict` when that is less. */
  | { readonly kind: "give_back"; readonly projectId: string; readonly amountE8: AmountE8 }
  /**
   * Changes of administration with their row in the audit log: all or nothing. A
   * repeated credit, which changes nothing, leaves no row. With a credit the row
   * also tells the project's balance before and after it. `outdated` where another node has
   * changed the configuration since the version that it was decided on.
   */
  | {
    readonly kind: "audited";
    readonly changes: readonly [AdminEntry, ...AdminEntry[]];
    readonly note: AuditNote;
    /** Absent where the changes hold whatever others have changed, or nobody else changes anything. */
    readonly decidedOn?: ConfigurationVersion | undefined;
  };

/** Changes of administration with their note. */
export type AuditedEntry = Extract<Entry, { readonly kind: "audited" }>;

/** The kinds of entries that administration changes something with. */
export type AdminEntry = Extract<
  Entry,
  {
    readonly kind:
      | "credit"
      | "create_project"
      | "update_project"
      | "create_key"
      | "update_key"
      | "delete_key"
      | "create_token"
      | "revoke_token"
      | "note_sign_in"
      | "note_reading"
      | "put_spend_state"
      | "write_catalogue"
      | "switch_route"
      | "put_webhook_secret"
      | "resend_webhook"
      | "record_checkpoint"
      | "record_run_archive"
      | "give_up_run_archive"
      | "restore_run_archive"
      | "create_video"
      | "change_video"
      | "delete_video"
      | "put_video_pauses"
      | "delete_upload"
      | "change_batch"
      | "cancel_batch";
  }
>;

/** What became of an entry, once its batch is synced to disk. */
export type EntryResult =
  | {
    readonly ok: true;
    readonly catalogue?: Catalogue;
    readonly repeated?: boolean;
    /** Of `forget`, `drop_archived`, `backfill_details` and `evict_responses`. */
    readonly hasMore?: boolean;
    /** What the projects keep then whose sums the entry has changed. */
    readonly kept?: KeptState;
    /** Of `lease`. */
    readonly leased?: Leased;
    /** Where the entry has changed the configuration of several nodes. */
    readonly configuration?: ConfigurationStep;
  }
  | {
    readonly ok: false;
    /**
     * `conflict`: the state does not allow it (already closed, already exists,
     * balance too small, a reference reused with another amount); `missing`:
     * what it refers to does not exist; `outdated`: another node has changed the configuration
     * that it was decided on; `full`: the disk is full; `unavailable`:
     * nothing can be written for another reason, this entry as little as any;
     * `failed`: this entry cannot be written, others can, see `message`.
     */
    readonly reason: "conflict" | "missing" | "outdated" | "full" | "unavailable" | "failed";
    readonly message: string;
    /** Of `create_video`: whose limit of unfinished tasks is reached. */
    readonly openTasksOf?: keyof MostOpenTasks;
    /** Of `create_upload`: the project's files would take more than they may. */
    readonly isOverQuota?: true;
    /** Of `unavailable`: what writes failed in the middle, and may have come to the end of it. */
    readonly mayBeWritten?: true;
  };

/** How many unfinished tasks a project and a key may have; absent: any number. */
export interface MostOpenTasks {
  readonly project?: number | undefined;
  readonly key?: number | undefined;
}

/** What a node has been given of a balance. */
export interface Leased {
  readonly amountE8: AmountE8;
  /** What nobody has leased then. */
  readonly freeE8: AmountE8;
  /** What other nodes have leased and did not hold when they last wrote. */
  readonly elsewhereE8: AmountE8;
}

/** A refused or failed entry. */
export type Refusal = Extract<EntryResult, { readonly ok: false }>;
