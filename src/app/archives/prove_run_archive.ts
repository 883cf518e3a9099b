/**
 * Proves an archive of sealed runs before it gets its name, and reads one that has it. It needs nothing
 * but the file.
 *
 * @module
 */

import type { ArchiveProof } from "../../admin/base/archive_report.ts";
import { checkRunArchive } from "../../admin/archives/check_run_archive.ts";
import { hashDocument } from "../../admin/ledger_check/check_checkpoints.ts";
import type { RunArchiveDocument } from "../../domain/run_archive.ts";
import type { ArchiveSeal } from "../../storage/ports/archive_seal.ts";
import { StorageOpenError } from "../../storage/ports/storage_open_error.ts";
import { restAsLong } from "../jobs/rest_as_long.ts";
import type { JobOf } from "../jobs/worker_protocol.ts";
import { MAINTENANCE } from "../database/maintenance.ts";

/**
 * Reads what was written, has the file state it, and makes that last.
 *
 * @throws {StorageOpenError} When a run is not as it was sealed, or something else does not add up.
 */
export async function proveRuns(
  { part, onStep, ...begun }: JobOf<"prove_runs">,
): Promise<ArchiveSeal> {
  const { facts } = await requireProof(part, onStep);
  const { number, previous, beforeMs, now } = begun;
  const document: RunArchiveDocument = {
    number,
    previous,
    before: new Date(beforeMs).toISOString(),
    written_at: new Date(now).toISOString(),
    ...facts,
  };
  const text = JSON.stringify(document);
  MAINTENANCE.archives.seal(part, { document: text, sha256: hashDocument(text) });
  using archive = MAINTENANCE.archives.openRuns(part);
  const stated = archive.stated();
  if (stated?.document !== text) {
    throw new StorageOpenError(`the archive ${part} is not what was written`);
  }
  return stated;
}

/**
 * Proves an archive that an earlier try has left under its name.
 *
 * @throws {StorageOpenError} When it is none, or not whole.
 */
export async function takeUpRuns(
  { file, onStep }: JobOf<"take_up_runs">,
): Promise<ArchiveSeal> {
  const { stated, document } = await requireProof(file, onStep);
  if (stated !== undefined && document !== undefined) return stated;
  throw new StorageOpenError(`the archive ${file} is not whole`);
}

async function requireProof(file: string, onStep: () => void) {
  const rest = restAsLong();
  const pause = () => {
    onStep();
    return rest();
  };
  using archive = MAINTENANCE.archives.openRuns(file);
  archive.checkPages();
  const { facts, document, differences, omitted } = await checkRunArchive(archive, pause);
  const count = differences.length + omitted;
  if (count === 0) return { facts, document, stated: archive.stated() };
  const { table, id, detail } = differences[0]!;
  throw new StorageOpenError(
    `what was written is not what was sealed, and nothing is dropped: ${count} differences, such as ${table} ${id}: ${detail}. See tollgate ledger verify`,
  );
}

/**
 * Examines an archive of sealed runs, whose bytes do not change.
 *
 * @throws {StorageOpenError} If it is no such archive, damaged or unfinished, or of a newer format.
 */
export async function examineRunArchive(file: string): Promise<ArchiveProof> {
  using archive = MAINTENANCE.archives.openRuns(file);
  archive.checkPages();
  const stated = archive.stated();
  if (stated === undefined) {
    throw new StorageOpenError(
      `Cannot use the archive ${file}: its writing was broken off, so nothing depends on it. Remove it`,
    );
  }
  const { facts, document, differences, omitted } = await checkRunArchive(
    archive,
    () => Promise.resolve(),
  );
  return {
    file,
    sha256: stated.sha256,
    number: document?.number ?? 0,
    before: document?.before ?? "",
    from_seq: 0,
    to_seq: 0,
    runs: facts.runs.length,
    calls: facts.calls,
    projects: 0,
    differences,
    omitted,
  };
}
