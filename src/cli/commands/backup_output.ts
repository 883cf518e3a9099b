/**
 * Backups as facts.
 *
 * @module
 */

import type { BackupReport } from "../../admin/base/backup_report.ts";
import type { Cli } from "../base/cli.ts";

/** What is printed of a backup, whether it was made, verified or restored. */
type Told = Omit<BackupReport, "milliseconds">;

/** A backup line by line. */
export function backupFacts(report: Told): readonly (readonly [name: string, value: string])[] {
  const { projects, calls, open_calls, ledger_rows, archives, films, film_bytes } = report;
  return [
    ["Backup", report.file],
    ["Size", `${report.bytes} bytes (${megabytes(report.bytes)})`],
    ["SHA-256", report.sha256],
    ["Schema", String(report.schema_version)],
    ["Rows", `${projects} projects, ${calls} calls (${open_calls} open), ${ledger_rows} of ledger`],
    ["Archives", archives === 0 ? "none" : `${archives}, which are not in it`],
    ["Films", films === 0 ? "none" : `${films} (${megabytes(film_bytes)}), which are not in it`],
    ["Books", booksText(report)],
  ];
}

/** Lists what does not add up and makes the command fail; `false` when everything does. */
export function sayDifferences(
  cli: Cli,
  { differences, omitted }: Pick<Told, "differences" | "omitted">,
): boolean {
  if (differences.length === 0) return false;
  for (const { table, id, column, detail } of differences.slice(0, MOST_LINES)) {
    cli.say(`${table} ${id}${column === null ? "" : `, ${column}`}: ${detail}`);
  }
  const more = differences.length + omitted - MOST_LINES;
  if (more > 0) cli.say(`and ${more} more`);
  cli.fail();
  return true;
}

const MOST_LINES = 20;

function booksText({ differences, omitted }: Told): string {
  const count = differences.length + omitted;
  return count === 0 ? "every balance and every price adds up" : `${count} differences`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
