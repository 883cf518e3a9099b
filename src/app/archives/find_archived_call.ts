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

/** Hears of a file that is there and cannot be read as it was written. */
export type DamageListener = (file: string, damage: string) => void;

/** Looks for a call in a file, which may be gone, another archive, or none that this program can read. */
export async function findArchivedCall(
  place: Place,
  callId: number,
  onDamage: DamageListener = () => {},
): Promise<ArchivedCall> {
  try {
    return await lookInto<ArchivedCall>(place, (archive) => {
      const call = archive.call(callId);
      return call === undefined ? { kind: "not_in_it" } : { kind: "found", call };
    }) ?? { kind: "unreadable" };
  } catch (error) {
    const damage = damageOf(error);
    if (damage === undefined) return { kind: "unreadable" };
    onDamage(place.file, damage);
    return { kind: "unreadable", damage };
  }
}

/** Whether the file is there and states what was noted: of several nodes each may have one of that name. */
export async function isInPlace(place: Place): Promise<boolean> {
  try {
    return await lookInto(place, () => true) ?? false;
  } catch {
    return false;
  }
}

/**
 * Gives `undefined` where another archive is there.
 *
 * @throws {StorageOpenError} If no archive is there that can be opened.
 * @throws {Error} What SQLite, or whoever reads its rows, says of a page that is not as it was written.
 */
async function lookInto<Found>(
  { file, sha256 }: Place,
  look: (archive: OpenArchive) => Found,
): Promise<Found | undefined> {
  if (!await answersInTime(file)) return undefined;
  const { MAINTENANCE: { archives } } = await import("../database/maintenance.ts");
  const lookAt = (archive: OpenArchive) =>
    archive.stated()?.sha256 === sha256 ? look(archive) : undefined;
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
}

/** What is wrong with a file, in one line and without its path; `undefined` where there is none. */
function damageOf(error: unknown): string | undefined {
  const said = error instanceof StorageOpenError ? error.cause : error;
  return said instanceof Error ? said.message.replaceAll(/\s+/g, " ") : undefined;
}
