/**
 * What is wrong with the settings of a database that is on a server.
 *
 * @module
 */

import type { Problem } from "../documents/problem.ts";
import { readPostgresAddress } from "../domain/postgres_address.ts";
import type { Values } from "./process_settings.ts";

/** What a file in the data dir has, and a server has elsewhere. */
const OF_FILES = {
  backup_every: "a server's backups are made there: by pg_dump, or by keeping its WAL",
} as const;

/** What a server has, and a file in the data dir has no use for. */
const OF_SERVERS = {
  database_ca: "Nothing is verified",
  stale_keys_ms: "Nobody else changes keys",
  drop_calls_after_months: "Calls are archived (archive_after_months), not deleted,",
} as const;

/** What is wrong with them, beside each other and the rest. */
export function problemsOfDatabase(
  values: Partial<Values>,
  sources: Readonly<Record<string, string | undefined>>,
): Problem[] {
  const { database_url: url } = values;
  const problem = (path: keyof Values, message: string): Problem => ({
    source: sources[path] ?? "default",
    path,
    message,
  });
  if (url === undefined) {
    return Object.entries(OF_SERVERS).flatMap(([name, why]) => {
      const path = name as keyof typeof OF_SERVERS;
      return values[path] === undefined ? [] : [problem(path, `${why} without database_url`)];
    });
  }
  const read = readPostgresAddress(url);
  if (!read.ok) return [problem("database_url", read.message)];
  const ofFiles = Object.entries(OF_FILES).flatMap(([name, why]) => {
    const path = name as keyof typeof OF_FILES;
    return values[path] === undefined ? [] : [problem(path, `Not with database_url: ${why}`)];
  });
  const { archive_after_months: archived, drop_calls_after_months: dropped } = values;
  if (archived === undefined || dropped === undefined) return ofFiles;
  const either = "Not with archive_after_months: old calls are archived, or deleted for good";
  return [...ofFiles, problem("drop_calls_after_months", either)];
}
