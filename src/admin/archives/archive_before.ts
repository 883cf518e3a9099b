/**
 * Archives calls: first the file, whole and proved; then the checkpoint, from which on the
 * ledger goes on from it; then the rows are dropped. Broken off anywhere, it may be asked for again.
 *
 * @module
 */

import { commitChange } from "../base/commit_change.ts";
import type { AdminDeps } from "../base/deps.ts";
import { timeToJson } from "../base/fields.ts";
import type { WrittenArchive } from "../base/archive_report.ts";

/** What archiving is, whoever asks for it. */
export const ARCHIVING = { name: "calls.archive", changes: "archive" } as const;

/** Which calls go where. */
export interface ArchiveBefore {
  /** Milliseconds since the epoch: the beginning of a month. */
  readonly beforeMs: number;
  /** Absolute: a file, or a folder; `undefined` for the data dir's own. */
  readonly place: string | undefined;
}

/** Whom an archive is made for. */
export type ArchivingDeps = Pick<
  AdminDeps,
  "archives" | "changes" | "commits" | "storage" | "clock" | "origin"
>;

/**
 * Archives what is of a time before `beforeMs`; there must be something.
 *
 * @throws {GatewayError} `conflict`, `storage_full`, `shutting_down` or `internal_error`.
 */
export async function archiveBefore(
  deps: ArchivingDeps,
  { beforeMs, place }: ArchiveBefore,
): Promise<WrittenArchive> {
  const written = await deps.archives.write(beforeMs, place);
  const { archive, entry } = written;
  await commitChange({ ...deps, act: ARCHIVING }, {
    id: String(archive.number),
    entries: [entry],
    after: {
      file: archive.file,
      before: timeToJson(archive.beforeMs),
      calls: archive.calls,
      ...(archive.lastSeq !== undefined && { last_ledger_row: archive.lastSeq }),
      sha256: archive.sha256,
    },
  });
  await deps.archives.dropArchived();
  return written;
}
