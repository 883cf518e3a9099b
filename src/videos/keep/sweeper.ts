/**
 * Removes files that no task needs any more: what a crash left between a file and
 * its row.
 *
 * @module
 */

import type { Sessions } from "../../domain/session.ts";
import type { VideoStore } from "../../storage/ports/storage.ts";
import type { ContentFiles, FolderEntry } from "../files/content_files.ts";
import type { TaskBook } from "../task/task_book.ts";

/** What the sweeper needs. */
export interface SweeperOptions {
  readonly book: TaskBook;
  readonly videos: VideoStore;
  readonly files: ContentFiles;
  readonly sessions: Sessions;
}

const SLICE = 500;

/**
 * Sweeps the folder once, at boot, before any task is worked on or created:
 * parts that ended sessions have left are begun again, and everything goes that is named after a task
 * which does not exist, has failed or has lost its film. Gives the number of files
 * removed.
 */
export async function sweepOrphans(
  { book, videos, files, sessions }: SweeperOptions,
): Promise<number> {
  let removed = 0;
  let slice: FolderEntry[] = [];
  const open = new Set([...book.openTasks()].map(({ id }) => id));
  for await (const entry of files.entries()) {
    if (entry.kind === "part") {
      // Of our own there is none yet: a database that was restored counts sessions again, and what
      // has our number is of one that has ended.
      if (entry.session !== sessions.own && !sessions.hasEnded(entry.session)) continue;
      await files.removeEntry(entry);
      removed++;
    } else if (entry.kind === "input" && !open.has(entry.taskId)) {
      await files.removeReference(entry.taskId);
      removed++;
    } else if (!open.has(entry.taskId)) slice.push(entry);
    if (slice.length < SLICE) continue;
    removed += await removeUnneeded(slice);
    slice = [];
  }
  return removed + await removeUnneeded(slice);

  async function removeUnneeded(entries: readonly FolderEntry[]): Promise<number> {
    if (entries.length === 0) return 0;
    const unneeded = new Set(await videos.idsWithoutContent(entries.map(({ taskId }) => taskId)));
    const orphans = entries.filter(({ taskId }) => unneeded.has(taskId));
    for (const taskId of new Set(orphans.map((orphan) => orphan.taskId))) {
      await files.removeAll(taskId);
    }
    return orphans.length;
  }
}
