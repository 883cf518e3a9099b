/**
 * What a data dir is opened with, and who hears of what happens in it.
 *
 * @module
 */

import type { SessionId } from "../domain/session.ts";
import type { KeptRoomOptions } from "../accounts/kept_room.ts";
import type { ProxiedSchemes } from "../config/proxied_schemes.ts";
import type { SecretResult } from "../config/secrets.ts";
import type { DatabaseSettings, DiskSettings } from "../config/process_settings.ts";
import type { ClosedCall, DeletedVideoCharge } from "../domain/call.ts";
import type { SpendPause, SpendSubject } from "../domain/spending.ts";
import type { KeyRefusal } from "../providers/contract/provider.ts";
import type { DamageListener } from "./archives/find_archived_call.ts";
import type { FilmBucketOptions } from "./films/film_bucket.ts";
import type { Tracing } from "./trace_calls.ts";

/** Where the data is and who opens it. */
export interface CoreOptions {
  /** Who is asked about every request; nobody when absent. */
  readonly guard?: { readonly url: string } | undefined;
  readonly dataDir: string;
  /** The server that has the database; a file of the data dir when absent. */
  readonly database?: DatabaseSettings | undefined;
  /** The bucket that has the films; the data dir does when absent. */
  readonly filmBucket?: FilmBucketOptions | undefined;
  readonly processKind: "server" | "cli";
  /** Who starts this process, as the audit log is told of what is changed in it. */
  readonly user?: string | undefined;
  /** Where this process will listen for administration; `undefined` for a command. */
  readonly socketPath: string | undefined;
  /** The file given by `serve --catalog`. */
  readonly catalogueOwner: string | undefined;
  readonly disk: DiskSettings;
  /** What a film costs that its owner deletes while it is made. Default: nothing, as there is no owner. */
  readonly deletedVideoCharge?: DeletedVideoCharge;
  /** The value of a secret reference, or why there is none. */
  readonly resolveSecret: (reference: string) => SecretResult;
  /** Schemes whose upstream calls a proxy of the environment may apply to; none when absent. */
  readonly proxied?: ProxiedSchemes;
  /** Whose requests to upstreams say which trace they are of; absent: nothing is traced. */
  readonly tracing?: Pick<Tracing, "through"> | undefined;
  /** Hears of keys that an upstream does not take. */
  readonly onKeyRefused?: (refusal: KeyRefusal) => void;
  /** Hears what storage refused although it was decided here. */
  readonly onTrouble: (message: string, callId: number) => void;
  /** Hears once of each project or key that its spend brake pauses. */
  readonly onPause: (subject: SpendSubject, pause: SpendPause) => void;
  /** Hears when answers of a project begin not to be kept, as there is no room. */
  readonly onKeptFull: KeptRoomOptions["onFull"];
  /** Hears of faults beside a change of a video task that is stored, or behind an answer that is given. */
  readonly onVideoTrouble: (what: VideoTrouble, error: unknown) => void;
  /** Hears of each batch of entries that is written: how long that took, and how many they were. */
  readonly onCommit?: ((milliseconds: number, entries: number) => void) | undefined;
  /** Hears of each film's call when it is closed. */
  readonly onFilmCall?: ((call: ClosedCall) => void) | undefined;
  /** Hears of faults beside the work on batches. */
  readonly onBatchTrouble?: (error: unknown) => void;
  /** Hears of archives that cannot be read as they were written. */
  readonly onArchiveDamage?: DamageListener;
  /** Hears of uploaded files that could not be removed yet. */
  readonly onUploadTrouble?: (error: unknown) => void;
  /** Hears that nothing can be stored any more: the process should stop. */
  readonly onStorageLost: (error: Error) => void;
  /** Hears for whom the start waits before it brings a database server's tables up to date. */
  readonly onTablesInUse?: (why: string) => void;
  /** Hears why what other nodes have changed cannot be read; it is tried again. */
  readonly onChangesTrouble?: (error: unknown) => void;
  /** Hears why limits cannot be shared with other servers at the moment; it is tried again. */
  readonly onSharesTrouble?: (error: unknown) => void;
  /** Hears of nodes whose sessions have ended by their silence: what they have left is this one's. */
  readonly onNodesEnded?: (sessions: readonly SessionId[]) => void;
}

/**
 * - `video_bucket_trouble`: a film could not be kept yet, or something not be removed.
 * - `video_listener_failed`: whoever follows a task's changes failed at one.
 * - `video_mark_failed`: it could not be noted that a caller knows a task's id or has its film.
 * - `video_files_left`: the files of a task that is gone could not be removed yet.
 */
export type VideoTrouble =
  | "video_bucket_trouble"
  | "video_listener_failed"
  | "video_mark_failed"
  | "video_files_left";
