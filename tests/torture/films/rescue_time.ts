/**
 * How long a start takes to free what the process before it had claimed.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { until } from "../../support/until.ts";

/** Claims of tasks: ids with the process that has each. */
export type Claims = ReadonlyMap<string, string>;

/** The claims that are stored, whether or not a server runs. */
export function claimsOf(dataDir: string): Claims {
  using database = new DatabaseSync(`${dataDir}/tollgate.db`, { readOnly: true });
  database.exec("PRAGMA busy_timeout = 5000");
  const rows = database.prepare(
    "SELECT id, lease_boot_id AS boot FROM video_tasks WHERE lease_boot_id IS NOT NULL",
  ).all() as { id: string; boot: string }[];
  return new Map(rows.map(({ id, boot }) => [id, boot]));
}

/**
 * Waits until none of these claims stands any more; gives the milliseconds since the call.
 *
 * @throws {Error} when one still does after 20 s.
 */
export async function untilFreed(dataDir: string, claims: Claims): Promise<number> {
  const startedAt = performance.now();
  await until("what a dead process had claimed to be freed", () => {
    const now = claimsOf(dataDir);
    return [...claims].every(([id, boot]) => now.get(id) !== boot);
  }, { withinMs: 20_000, everyMs: 10 });
  return performance.now() - startedAt;
}
