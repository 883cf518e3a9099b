/**
 * The database file and its log.
 *
 * @module
 */

import { existsSync, statSync } from "node:fs";
import { inspectDatabaseFile } from "../../storage/sqlite/database_file.ts";
import { MIGRATIONS, refuseNewerSchema } from "../../storage/sqlite/migrations.ts";
import { StorageOpenError } from "../../storage/ports/storage_open_error.ts";
import { LARGE_LOG_BYTES } from "../watch_health.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

const CHECK = "database";

/** What was found, and whether the content can be read by this program. */
export interface DatabaseDiagnosis {
  readonly findings: readonly Finding[];
  readonly isReadable: boolean;
}

/** Looks at every page, and changes none. */
export function examineDatabase({ dataDir, server }: Patient): DatabaseDiagnosis {
  const path = `${dataDir}/tollgate.db`;
  if (!existsSync(path)) {
    const finding = warning(CHECK, `There is none in ${dataDir}`, "The next start makes one");
    return { findings: [finding], isReadable: false };
  }
  try {
    const { schemaVersion, bytes } = inspectDatabaseFile(path, { pages: "quick" });
    refuseNewerSchema(schemaVersion, { path, migrations: MIGRATIONS });
    const isCurrent = schemaVersion === MIGRATIONS.length;
    const detail = `${
      bytes + logBytes(path)
    } bytes with its log, schema version ${schemaVersion}, every page in order`;
    const next = isCurrent ? "" : `; the next start brings it to ${MIGRATIONS.length}`;
    return {
      findings: [ok(CHECK, detail + next), ...examineLog(path, server !== undefined)],
      isReadable: isCurrent,
    };
  } catch (error) {
    if (!(error instanceof StorageOpenError)) throw error;
    const [what, ...advice] = error.message.split(". ");
    const finding = problem(CHECK, what!, advice.join(". "));
    return { findings: [finding], isReadable: false };
  }
}

function examineLog(path: string, isServed: boolean): readonly Finding[] {
  const bytes = logBytes(path);
  if (bytes <= LARGE_LOG_BYTES) return [];
  return [
    warning(
      CHECK,
      `Its log ${path}-wal has ${bytes} bytes, more than ${LARGE_LOG_BYTES}`,
      isServed
        ? "Somebody reads the database for long, such as a shell or a backup tool: end that"
        : "The next start merges it",
    ),
  ];
}

/** A young database may be in its log alone. */
function logBytes(path: string): number {
  const log = `${path}-wal`;
  return existsSync(log) ? statSync(log).size : 0;
}
