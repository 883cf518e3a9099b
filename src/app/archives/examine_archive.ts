/**
 * Reads an archive from its first byte to its last: pages, rows, sums, and what it states.
 *
 * @module
 */

import type { ArchiveProof } from "../../admin/base/archive_report.ts";
import { checkArchive } from "../../admin/archives/check_archive.ts";
import { StorageOpenError } from "../../storage/ports/storage_open_error.ts";
import { MAINTENANCE } from "../database/maintenance.ts";

/**
 * Examines the archive `file`, whose bytes do not change. It needs nothing but the file.
 *
 * @throws {StorageOpenError} If it is no archive, damaged or unfinished, or of a newer format.
 */
export async function examineArchive(file: string): Promise<ArchiveProof> {
  if (MAINTENANCE.archives.isOfRuns(file)) {
    const { examineRunArchive } = await import("./prove_run_archive.ts");
    return await examineRunArchive(file);
  }
  using archive = MAINTENANCE.archives.open(file);
  archive.checkPages();
  const seal = archive.seal();
  const checked = await checkArchive(archive, () => Promise.resolve());
  if (seal === undefined || checked === undefined) {
    throw new StorageOpenError(
      `Cannot use the archive ${file}: its writing was broken off, so nothing depends on it. Remove it`,
    );
  }
  const { document, differences, omitted } = checked;
  return {
    file,
    sha256: seal.sha256,
    number: document?.number ?? 0,
    before: document?.before ?? "",
    from_seq: document?.from_seq ?? 0,
    to_seq: document?.to_seq ?? 0,
    calls: document?.calls ?? 0,
    projects: Object.keys(document?.projects ?? {}).length,
    differences,
    omitted,
  };
}
