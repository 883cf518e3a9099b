/**
 * The schema's versions, oldest first; only ever appended to.
 *
 * @module
 */

import {
  chmodSync,
  closeSync,
  copyFileSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { APPLICATION_ID, inspectDatabaseFile } from "./database_file.ts";
import { accountsCallsLedger } from "./migrations/0001_accounts_calls_ledger.ts";
import { videosWebhooksAnswers } from "./migrations/0002_videos_webhooks_answers.ts";
import { responses } from "./migrations/0003_responses.ts";
import { repeatedCalls } from "./migrations/0004_repeated_calls.ts";
import { spend } from "./migrations/0005_spend.ts";
import { audit } from "./migrations/0006_audit.ts";
import { requestIds } from "./migrations/0007_request_ids.ts";
import { filmShares } from "./migrations/0008_film_shares.ts";
import { checkpoints } from "./migrations/0009_checkpoints.ts";
import { fetchedFilms } from "./migrations/0010_fetched_films.ts";
import { lists } from "./migrations/0011_lists.ts";
import { keptBytes } from "./migrations/0012_kept_bytes.ts";
import { mayHaveBegun } from "./migrations/0013_may_have_begun.ts";
import { answerRows } from "./migrations/0014_answer_rows.ts";
import { dailySums } from "./migrations/0015_daily_sums.ts";
import { auditParts } from "./migrations/0016_audit_parts.ts";
import { quotas } from "./migrations/0017_quotas.ts";
import { ownSettings } from "./migrations/0018_own_settings.ts";
import { sessions } from "./migrations/0019_sessions.ts";
import { openVocabularies } from "./migrations/0020_open_vocabularies.ts";
import { uploadedFiles } from "./migrations/0021_uploaded_files.ts";
import { taggedCalls } from "./migrations/0022_tagged_calls.ts";
import { cachedAnswers } from "./migrations/0023_cached_answers.ts";
import { batches } from "./migrations/0024_batches.ts";
import { auditChannels } from "./migrations/0025_audit_channels.ts";
import { detailSums } from "./migrations/0026_detail_sums.ts";
import { refusals } from "./migrations/0027_refusals.ts";
import { adminTokens } from "./migrations/0028_admin_tokens.ts";
import { rotatedKeys } from "./migrations/0029_rotated_keys.ts";
import { movedFilms } from "./migrations/0030_moved_films.ts";
import { webhookTries } from "./migrations/0031_webhook_tries.ts";
import { switchReasons } from "./migrations/0032_switch_reasons.ts";
import { refusedRoutes } from "./migrations/0033_refused_routes.ts";
import { filmsInBuckets } from "./migrations/0034_films_in_buckets.ts";
import { filesInBuckets } from "./migrations/0035_files_in_buckets.ts";
import { StorageOpenError } from "../ports/storage_open_error.ts";

/** SQL that takes the schema from the version before to its own. */
export type Migration = string;

/** Version N is the N-th of these. */
export const MIGRATIONS: readonly Migration[] = [
  accountsCallsLedger,
  videosWebhooksAnswers,
  responses,
  repeatedCalls,
  spend,
  audit,
  requestIds,
  filmShares,
  checkpoints,
  fetchedFilms,
  lists,
  keptBytes,
  mayHaveBegun,
  answerRows,
  dailySums,
  auditParts,
  quotas,
  ownSettings,
  sessions,
  openVocabularies,
  uploadedFiles,
  taggedCalls,
  cachedAnswers,
  batches,
  auditChannels,
  detailSums,
  refusals,
  adminTokens,
  rotatedKeys,
  movedFilms,
  webhookTries,
  switchReasons,
  refusedRoutes,
  filmsInBuckets,
  filesInBuckets,
];

/** Which file, and which versions are known. */
export interface MigrationOptions {
  readonly path: string;
  readonly migrations: readonly Migration[];
}

/**
 * Refuses a file that a newer program has written.
 *
 * @throws {StorageOpenError} Naming both versions and what to do.
 */
export function refuseNewerSchema(
  stored: number,
  { path, migrations }: MigrationOptions,
): void {
  if (stored <= migrations.length) return;
  throw new StorageOpenError(
    `Cannot open the database ${path}: it has schema version ${stored} and this program knows versions up to ${migrations.length}. Nothing was changed; start a newer tollgate, or restore a backup that this one wrote`,
  );
}

/**
 * Brings the schema to the current version in one transaction. A file that has
 * content is first copied beside itself as `<path>.backup-v<version>`, and the
 * copy is checked.
 *
 * @throws {StorageOpenError} If the copy is not good; nothing is migrated then.
 */
export function migrate(database: DatabaseSync, options: MigrationOptions): void {
  const { migrations } = options;
  const stored = schemaVersion(database);
  refuseNewerSchema(stored, options);
  if (stored === migrations.length) return;
  if (stored > 0) backUp(database, { path: options.path, version: stored });
  database.exec("BEGIN IMMEDIATE");
  try {
    // For changes to the schema's own text: this process alone has the file open.
    setDefensive(database, false);
    for (const migration of migrations.slice(stored)) database.exec(migration);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
    database.exec("COMMIT");
  } catch (cause) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw cause;
  } finally {
    setDefensive(database, true);
  }
}

/** Both runtimes have it, their types do not yet. */
function setDefensive(database: DatabaseSync, isOn: boolean): void {
  (database as DatabaseSync & { enableDefensive(isOn: boolean): void }).enableDefensive(isOn);
}

/** The schema version a database says it has; 0 for an empty one. */
export function schemaVersion(database: DatabaseSync): number {
  return database.prepare("PRAGMA user_version").get()!.user_version as number;
}

/** This process is the only one with the file open, so a merged log and a copy of bytes suffice. */
function backUp(
  database: DatabaseSync,
  { path, version }: { readonly path: string; readonly version: number },
): void {
  const copy = `${path}.backup-v${version}`;
  const part = `${copy}.part`;
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  copyFileSync(path, part);
  chmodSync(part, 0o600);
  syncPath(part);
  const found = inspectDatabaseFile(part).schemaVersion;
  if (found !== version) {
    throw new StorageOpenError(
      `Cannot migrate the database ${path}: its backup ${part} has schema version ${found} instead of ${version}. Nothing was migrated`,
    );
  }
  // Looking at it has left an empty log and index beside it.
  for (const suffix of ["-wal", "-shm"]) rmSync(`${part}${suffix}`, { force: true });
  renameSync(part, copy);
  syncPath(dirname(copy));
}

function syncPath(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
