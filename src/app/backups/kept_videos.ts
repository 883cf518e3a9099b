/**
 * The films that tasks say they have, and films that no task has.
 *
 * @module
 */

import type { VideoTask } from "../../domain/video_task.ts";
import type { VideoStore } from "../../storage/ports/storage.ts";

/** A film that should lie in `<data>/videos`. */
export interface StoredVideo {
  readonly taskId: string;
  readonly bytes: number;
}

/** A film that should be in the bucket. */
export interface BucketVideo {
  /** Below the prefix. */
  readonly key: string;
  readonly bytes: number;
}

const SLICE = 500;

/** Every film that is kept in the data dir, in order of creation. */
export async function* keptVideos(videos: Pick<VideoStore, "list">): AsyncGenerator<StoredVideo> {
  for await (const { id, file } of tasksWithFilm(videos)) {
    if (file!.key === undefined) yield { taskId: id, bytes: file!.bytes };
  }
}

/** Every film that is kept in the bucket, in order of creation. */
export async function* keptInBucket(videos: Pick<VideoStore, "list">): AsyncGenerator<BucketVideo> {
  for await (const { file } of tasksWithFilm(videos)) {
    if (file!.key !== undefined) yield { key: file!.key, bytes: file!.bytes };
  }
}

async function* tasksWithFilm(videos: Pick<VideoStore, "list">): AsyncGenerator<VideoTask> {
  let afterCallId: number | undefined;
  for (;;) {
    const query = { status: "completed", order: "asc", limit: SLICE, afterCallId } as const;
    const tasks = await videos.list(query);
    for (const task of tasks) {
      if (task.file !== undefined && task.fileRemovedAt === undefined) yield task;
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
