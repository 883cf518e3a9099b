/**
 * A place for the backups of a schedule.
 *
 * @module
 */

import type { BackupReport } from "../../admin/base/backup_report.ts";
import type { CopyFilmsOptions } from "./copy_films.ts";
import type { MadeState } from "./made_backups.ts";

/** When a copy of films goes. */
export type FilmTimes = Pick<CopyFilmsOptions, "gone" | "now" | "oldestAt" | "signal">;

/** How a backup is made there. */
export interface MakeOptions {
  /** What was made before. */
  readonly state: MadeState;
  readonly signal: AbortSignal;
}

/** Where backups by schedule go. */
export interface Shelf {
  /** As an operator names it: a folder, or `s3://bucket/prefix`. */
  readonly place: string;
  /** Whether a backup that was made lies here, if it is there. */
  holds(file: string): boolean;
  /** Makes one; when this resolves it is there, and whole. */
  make(now: number, options: MakeOptions): Promise<BackupReport>;
  /** Ends what was on its way when a server ended: it is there, or nothing of it is. */
  settle(state: MadeState, signal: AbortSignal): Promise<MadeState>;
  /** Those of them that are there, in their order. */
  present(made: MadeState["backups"], signal: AbortSignal): Promise<MadeState["backups"]>;
  /** Resolves also where it is gone. */
  remove(file: string, signal: AbortSignal): Promise<void>;
  /** As {@linkcode copyFilms} does it. */
  copyFilms(times: FilmTimes): Promise<Record<string, number>>;
}
