/**
 * The films that tasks say they have, and films that no task has.
 *
 * @module
 */

import type { VideoStore } from "../../storage/ports/storage.ts";

/** A film that should lie in `<data>/videos`. */
export interface StoredVideo {
  readonly taskId: string;
  readonly bytes: number;
}

const SLICE = 500;

/** Every film that is kept, in order of creation. */
export async function* keptVideos(videos: Pick<VideoStore, "list">): AsyncGenerator<StoredVideo> {
  let afterCallId: number | undefined;
  for (;;) {
    const query = { status: "completed", order: "asc", limit: SLICE, afterCallId } as const;
    const tasks = await videos.list(query);
    for (const { id, file, fileRemovedAt } of tasks) {
      if (file !== undefined && fileRemovedAt === undefined) {
        yield { taskId: id, bytes: file.bytes };
      }
    }
    if (tasks.length < SLICE) return;
    afterCallId = tasks.at(-1)!.callId;
  }
}

/** Those of the ids whose films no task needs. */
export async function withoutTask(
  videos: Pick<VideoStore, "idsWithoutContent">,
  taskIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const unknown = new Set<string>();
  for (let first = 0; first < taskIds.length; first += SLICE) {
    const slice = taskIds.slice(first, first + SLICE);
    for (const id of await videos.idsWithoutContent(slice)) unknown.add(id);
  }
  return unknown;
}
