/**
 * `doctor`: every check in turn, each of which may fail alone. Changes nothing.
 *
 * @module
 */

import type { Catalogue } from "../../domain/catalogue.ts";
import { findForeignOwner } from "../../storage/ownership/data_dir_owner.ts";
import type { DatabaseDiagnosis, ReadOnlyStorage } from "../../storage/ports/maintenance.ts";
import type { DatabaseSettings } from "../../config/process_settings.ts";
import { DATABASE_FILES, hasDatabase } from "../database/driver.ts";
import { MAINTENANCE } from "../database/maintenance.ts";
import { movedAway } from "../database/moved_away.ts";
import { knownNode } from "../database/node_identity.ts";
import { examineArchives } from "./examine_archives.ts";
import { examineBooks } from "./examine_books.ts";
import {
  examinePrices,
  examineSecrets,
  examineSwitches,
  examineUpstreams,
} from "./examine_catalogue.ts";
import { examineBucket } from "./examine_bucket.ts";
import { examineClock } from "./examine_clock.ts";
import { examineDisk } from "./examine_disk.ts";
import { examineFiles } from "./examine_files.ts";
import { examineUploads } from "./examine_uploads.ts";
import { examineOidc } from "./examine_oidc.ts";
import { examineVideos } from "./examine_videos.ts";
import { examineServer } from "./examine_server.ts";
import { type Finding, problem, warning } from "./finding.ts";
import type { AskedServer, Patient } from "./patient.ts";

const NO_CATALOGUE: Catalogue = { currency: "USD", providers: [], models: [] };

/** Gives each finding as soon as it is made. */
export async function* diagnose(patient: Patient): AsyncGenerator<Finding> {
  const { dataDir } = patient;
  if (!await isFolder(dataDir)) {
    yield problem(
      "files",
      `There is no data dir ${dataDir}`,
      "Name one with --data-dir, or start tollgate serve, which makes it",
    );
    return;
  }
  yield* guarded("files", () => examineFiles(patient));
  yield* guarded("disk", () => examineDisk(patient));
  yield* guarded("server", () => examineServer(patient));
  yield* guarded("oidc", () => examineOidc(patient));
  const foreign = findForeignOwner(dataDir);
  const { server } = patient;
  if (server?.diagnose !== undefined && (patient.database === undefined || foreign !== undefined)) {
    yield* await foundByServer(server.diagnose, patient);
    return;
  }
  if (foreign !== undefined) {
    // What stands in it says which files root would open, and where root's secrets would go.
    yield warning(
      "database",
      `Not looked at, nor what is in it: ${dataDir} ${foreign.belongs}`,
      foreign.remedy,
    );
    return;
  }
  let isReadable = false;
  yield* guarded("database", async () => {
    const diagnosis = await diagnoseDatabase(patient);
    isReadable = diagnosis.isReadable;
    return diagnosis.remarks.map((remark) => ({ check: "database", ...remark }));
  });
  if (!isReadable) {
    yield* guarded("clock", () => examineClock(patient, undefined));
    return;
  }
  yield* ofContent(patient);
}

/** What is looked at from here anyway, whoever has the database. */
const HERE: ReadonlySet<string> = new Set(["files", "disk", "server", "oidc"]);

/** The running server knows its database server, and may be who alone is let in there. */
async function foundByServer(
  diagnose: NonNullable<AskedServer["diagnose"]>,
  { isOffline }: Patient,
): Promise<readonly Finding[]> {
  try {
    return (await diagnose({ isOffline })).filter(({ check }) => !HERE.has(check));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [
      problem(
        "database",
        `Not looked at: the server has it on a database server, and says of that: ${reason}`,
        `${NAME_IT}, to have it asked from here`,
      ),
    ];
  }
}

const NAME_IT =
  "Set TOLLGATE_DATABASE_URL, or database_url in the settings file, as the server has it";

/** Why what is in the data dir is not what a server there serves from; `undefined` where it is. */
function whyElsewhere(dataDir: string): DatabaseDiagnosis | undefined {
  const moved = movedAway(dataDir);
  if (moved !== undefined) {
    const remedy = `Set database_url (TOLLGATE_DATABASE_URL) to where it went. ${moved.orElse}`;
    return unreadable(moved.detail, remedy);
  }
  if (hasDatabase(dataDir) || knownNode(dataDir) === undefined) return undefined;
  const detail = `There is none in ${dataDir}, which was last served with a database server`;
  return unreadable(detail, `${NAME_IT}, to look at it`);
}

function unreadable(detail: string, remedy: string): DatabaseDiagnosis {
  return { remarks: [{ status: "problem", detail, remedy }], isReadable: false };
}

async function diagnoseDatabase(
  { dataDir, database, server, looked }: Patient,
): Promise<DatabaseDiagnosis> {
  if (database === undefined) {
    const elsewhere = whyElsewhere(dataDir);
    if (elsewhere !== undefined) return elsewhere;
    return MAINTENANCE.diagnose(DATABASE_FILES.fileIn(dataDir), { isServed: server !== undefined });
  }
  return await (looked ?? lookAhead(database));
}

/**
 * Begins to look at a database on a server, if it is on one. Who asks others of the same database meanwhile
 * waits for its silence once.
 */
export function lookAhead(database: DatabaseSettings): Promise<DatabaseDiagnosis>;
export function lookAhead(
  database: DatabaseSettings | undefined,
): Promise<DatabaseDiagnosis> | undefined;
export function lookAhead(
  database: DatabaseSettings | undefined,
): Promise<DatabaseDiagnosis> | undefined {
  if (database === undefined) return undefined;
  const looking = import("../database/look_at_server.ts").then(
    ({ diagnoseServer }) => diagnoseServer(database),
  );
  // Whoever waits for it has its error.
  looking.catch(() => {});
  return looking;
}

async function openLook({ dataDir, database }: Patient): Promise<ReadOnlyStorage> {
  if (database === undefined) return MAINTENANCE.openToRead(DATABASE_FILES.fileIn(dataDir));
  const { openServerLook } = await import("../database/look_at_server.ts");
  return await openServerLook(database);
}

async function* ofContent(patient: Patient): AsyncGenerator<Finding> {
  const read: { storage?: ReadOnlyStorage; catalogue?: Catalogue } = {};
  async function close(): Promise<void> {
    const { storage } = read;
    delete read.storage;
    await storage?.close();
  }
  /** What was read is of one moment: later ones need another look. */
  async function reopened(): Promise<ReadOnlyStorage> {
    await close();
    return read.storage = await openLook(patient);
  }
  try {
    yield* guarded("database", async () => {
      const { catalogue } = await reopened();
      read.catalogue = await catalogue.load() ?? NO_CATALOGUE;
      return [];
    });
    const { storage } = read;
    if (storage === undefined) return;
    yield* guarded("clock", () => examineClock(patient, storage));
    yield* guarded("books", () => examineBooks(storage));
    yield* guarded("archives", async () => {
      if (storage.runArchives === undefined) return await examineArchives(patient, storage);
      const { examineRunArchives } = await import("./examine_run_archives.ts");
      return await examineRunArchives(patient, storage.runArchives);
    });
    yield* guarded(
      "films",
      () => examineVideos(patient, storage.videos, async () => (await reopened()).videos),
    );
    yield* guarded("bucket", () => examineBucket(patient, read.storage ?? storage));
    yield* guarded("uploads", () => examineUploads(patient, read.storage ?? storage, reopened));
  } finally {
    // Before upstreams are waited for: while it is read, the log cannot be shortened.
    await close();
  }
  const { catalogue } = read;
  if (catalogue === undefined) return;
  yield* guarded("prices", () => examinePrices(catalogue));
  yield* guarded("routes", () => examineSwitches(catalogue));
  yield* guarded("secrets", () => examineSecrets(patient, catalogue));
  yield* guarded("upstreams", () => examineUpstreams(patient, catalogue));
}

/** A check that cannot be made is a finding too, and no reason to leave the others out. */
export async function* guarded(
  check: string,
  examine: () => readonly Finding[] | Promise<readonly Finding[]>,
): AsyncGenerator<Finding> {
  let findings: readonly Finding[];
  try {
    findings = await examine();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const mayNot = error instanceof Deno.errors.PermissionDenied || /EACCES/.test(reason);
    findings = [
      problem(
        check,
        `Cannot be looked at: ${reason}`,
        mayNot ? "Run this as the user that the server runs as" : "See the reason, then try again",
      ),
    ];
  }
  yield* findings;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return false;
    }
    throw error;
  }
}
