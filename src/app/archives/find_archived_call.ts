/**
 * What lies where an archive was written, of whichever kind that is: the very archive, and a call in it.
 *
 * @module
 */

import type { ArchivedCall, KnownArchive } from "../../admin/base/archive_report.ts";
import type { StoredCall } from "../../domain/call.ts";
import type { ArchiveSeal } from "../../storage/ports/archive_seal.ts";
import { StorageOpenError } from "../../storage/ports/storage_open_error.ts";
import { answersInTime } from "./answering_file.ts";

/** Where one was written, and SHA-256 of what it states. */
type Place = Pick<KnownArchive, "file" | "sha256">;

/** One that is open. */
interface OpenArchive {
  stated(): ArchiveSeal | undefined;
  call(callId: number): StoredCall | undefined;
}

/** Looks for a call in a file, which may be gone, another archive, or none that this program can read. */
export async function findArchivedCall(place: Place, callId: number): Promise<ArchivedCall> {
  return await lookInto<ArchivedCall>(place, (archive) => {
    const call = archive.call(callId);
    return call === undefined ? { kind: "not_in_it" } : { kind: "found", call };
  }) ?? { kind: "unreadable" };
}

/** Whether the file is there and states what was noted: of several nodes each may have one of that name. */
export async function isInPlace(place: Place): Promise<boolean> {
  return await lookInto(place, () => true) ?? false;
}

/** Gives `undefined` where the archive is not there, or cannot be read. */
async function lookInto<Found>(
  { file, sha256 }: Place,
  look: (archive: OpenArchive) => Found,
): Promise<Found | undefined> {
  if (!await answersInTime(file)) return undefined;
  const { MAINTENANCE: { archives } } = await import("../database/maintenance.ts");
  const lookAt = (archive: OpenArchive) =>
    archive.stated()?.sha256 === sha256 ? look(archive) : undefined;
  try {
    if (archives.isOfRuns(file)) {
      using archive = archives.openRuns(file);
      return lookAt(archive);
    }
    using archive = archives.open(file);
    return lookAt({
      stated: () => archive.seal(),
      call(callId) {
        const call = archive.calls(callId - 1, 1)[0];
        return call?.callId === callId ? call : undefined;
      },
    });
  } catch (error) {
    if (!(error instanceof StorageOpenError)) throw error;
    return undefined;
  }
}
