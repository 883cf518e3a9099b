/**
 * Fills a data dir with rows of past usage: past the gateway, in one statement, as
 * ten million calls would take long to write.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";

/** In each hour every one of them has a row. */
const PROJECTS = 1_000;
const MODELS = 20;
const PROVIDERS = 7;
const HOUR_MS = 3_600_000;

/** Adds rows of the hours before this one while no process has the data dir. */
export function addUsageRows(dataDir: string, rows: number): void {
  const database = new DatabaseSync(`${dataDir}/tollgate.db`);
  try {
    const hours = Math.ceil(rows / PROJECTS);
    const firstHour = Math.floor(Date.now() / HOUR_MS) - hours;
    database.exec("PRAGMA synchronous = OFF");
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
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    database.close();
  }
}
