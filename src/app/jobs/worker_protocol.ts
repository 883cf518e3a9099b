/**
 * The messages between the Worker for long work on databases and whoever started it.
 *
 * @module
 */

import type { ArchiveOutlook, WrittenCheckpoint } from "../../admin/base/archive_report.ts";
import type { WorkProgress } from "../../admin/base/work_progress.ts";
import type { BackupReport } from "../../admin/base/backup_report.ts";
import type { Finding } from "../../admin/base/doctor_finding.ts";
import type { ServerAnswers, ServerSilence } from "../../admin/process.ts";
import type { ArchiveSeal } from "../../storage/ports/archive_seal.ts";
import type { DatabaseSettings } from "../../config/process_settings.ts";
import type { DatabaseDiagnosis } from "../../storage/ports/maintenance.ts";

/** What the Worker does, once: it is started for it. */
export type LongJob =
  | {
    readonly kind: "write";
    readonly database: string;
    /** What the file is called until it is whole and proved; left there if that fails. */
    readonly part: string;
    readonly file: string;
  }
  | { readonly kind: "check"; readonly database: string }
  | { readonly kind: "look_before"; readonly database: string; readonly beforeMs: number }
  | {
    readonly kind: "archive";
    readonly database: string;
    readonly part: string;
    readonly file: string;
    /** Milliseconds since the epoch. */
    readonly beforeMs: number;
    readonly now: number;
  }
  | {
    /** Proves an archive of runs, and has it state what it has. */
    readonly kind: "prove_runs";
    readonly part: string;
    readonly number: number;
    readonly previous: string | null;
    /** Milliseconds since the epoch. */
    readonly beforeMs: number;
    readonly now: number;
  }
  /** Proves one that is whole. */
  | { readonly kind: "take_up_runs"; readonly file: string }
  | {
    readonly kind: "diagnose";
    readonly dataDir: string;
    /** The server that has the database, if it is no file. */
    readonly database: DatabaseSettings | undefined;
    /** What was found of it already. */
    readonly looked: DatabaseDiagnosis | undefined;
    readonly reserveBytes: number;
    readonly server: {
      readonly pid: number;
      readonly answers: ServerAnswers | undefined;
      readonly silence: ServerSilence | undefined;
    };
  };

/** What a kind of job is told, and what ends it: asked again and again, the job ends with its error. */
export type JobOf<Kind extends LongJob["kind"]> =
  & Omit<Extract<LongJob, { readonly kind: Kind }>, "kind">
  & { readonly onStep: () => void };

/** What comes of each kind of job. A check that finds damage ends with an error. */
export interface JobResults {
  readonly write: BackupReport;
  readonly check: undefined;
  readonly look_before: ArchiveOutlook;
  readonly archive: WrittenCheckpoint;
  readonly prove_runs: ArchiveSeal;
  readonly take_up_runs: ArchiveSeal;
  readonly diagnose: readonly Finding[];
}

/** What the Worker is started with. */
export interface JobStart {
  readonly job: LongJob;
  /** One number: not 0 when the Worker should end as soon as it can. */
  readonly stop: Int32Array<SharedArrayBuffer>;
}

/** How far it is, any number of times, and once what came of it. */
export type JobReply =
  | { readonly progress: WorkProgress }
  | { readonly value: JobResults[keyof JobResults] }
  | { readonly error: { readonly name: string; readonly message: string } };
