/**
 * Makes a data dir with rows of past usage: past the gateway, in one statement, as
 * ten million calls would take long to write. The database is kept in the system's
 * folder for temporary files, for the next run.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "../src/storage/sqlite/migrations.ts";
import { createSqliteStorage } from "../src/storage/sqlite/sqlite_storage.ts";
import { removeKept } from "./kept_databases.ts";

/** In each hour every one of them has a row. */
const PROJECTS = 1_000;
const MODELS = 20;
const PROVIDERS = 7;
const HOUR_MS = 3_600_000;
/** How names of kept databases begin. */
const KEPT = "tollgate-bench-usage";

/** Makes a data dir with nothing but rows of past hours; gives whether they were there from a run before. */
export async function makeUsageDataDir(dataDir: string, rows: number): Promise<boolean> {
  const current = `${KEPT}-v${MIGRATIONS.length}-`;
  const kept = `${tmpdir()}/${current}${rows}.db`;
  const isThere = existsSync(kept);
  if (!isThere) {
    await removeKept(KEPT, current);
    const part = `${kept}.${Deno.pid}.part`;
    await createSqliteStorage(part).close();
    addUsageRows(part, rows);
    await Deno.rename(part, kept);
  }
  await Deno.mkdir(dataDir, { mode: 0o700 });
  await Deno.copyFile(kept, `${dataDir}/tollgate.db`);
  return isThere;
}

function addUsageRows(path: string, rows: number): void {
  using database = new DatabaseSync(path);
  const hours = Math.ceil(rows / PROJECTS);
  const firstHour = Math.floor(Date.now() / HOUR_MS) - hours;
  // No other process has it, and one that is broken off is made again.
  database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
  // In the table's own order, so that nothing is sorted.
  database.prepare(
    `WITH RECURSIVE
       hours(hour) AS (SELECT ?1 UNION ALL SELECT hour + 1 FROM hours WHERE hour < ?2),
       projects(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM projects WHERE n < ${PROJECTS - 1})
     INSERT INTO usage_hourly (hour, project_id, model, provider, route, calls, prompt_tokens,
       completion_tokens, cost_e8, sale_e8, charged_e8, loss_e8)
     SELECT hour, printf('project-%04d', n), 'model-' || (n % ${MODELS}),
       'provider-' || (n % ${PROVIDERS}),
       'provider-' || (n % ${PROVIDERS}) || '/model-' || (n % ${MODELS}),
       5, 1200, 800, 480000, 528000, 528000, 0
     FROM hours CROSS JOIN projects`,
  ).run(firstHour, firstHour + hours - 1);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA wal_checkpoint(TRUNCATE)");
}
