/**
 * What becomes of a backup: where it goes, what it holds, and who makes it.
 *
 * @module
 */

import type { Difference } from "./ledger_check/difference.ts";

/** What a backup holds, found by reading the finished file again. */
export interface BackupReport {
  /** Absolute. */
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly schema_version: number;
  readonly projects: number;
  readonly calls: number;
  readonly open_calls: number;
  readonly ledger_rows: number;
  /** Archives that its ledger goes on from: they are files of their own, and not in a backup. */
  readonly archives: number;
  /** Films that its tasks have: they are files of their own, and not in a backup. */
  readonly films: number;
  readonly film_bytes: number;
  /** What does not add up in its books; empty when everything does. */
  readonly differences: readonly Difference[];
  /** Further differences that are not listed. */
  readonly omitted: number;
  /** How long it took. */
  readonly milliseconds: number;
}

/** Where a backup goes: a file that does not exist yet, or a folder in which it gets a name. */
export type BackupPlace = { readonly file: string } | { readonly folder: string };

/** Makes backups of the database that this process has. */
export interface AdminBackups {
  /**
   * Writes one and reads it again. Without a place it goes to `<data>/backups`.
   *
   * @throws {GatewayError} `conflict`, `storage_full`
   */
  create(place: BackupPlace | undefined): Promise<BackupReport>;
}
