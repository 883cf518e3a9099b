/**
 * Which films of a bucket are named by a task.
 *
 * @module
 */

import { isOpen, type VideoTask } from "../../domain/video_task.ts";
import type { SweptKind } from "../../objects/bucket_sweep.ts";
import type { VideoStore } from "../../storage/ports/storage.ts";
import { thumbnailKey } from "../files/bucket_films.ts";

const KEY = /^(video_[a-z2-7]{26})\/(?:(\d+)\.(?:mp4|webp)|input)$/;

/** Films, their thumbnails, and images that tasks refer to. */
export function filmObjects(videos: Pick<VideoStore, "find">): SweptKind {
  let last: { readonly id: string; readonly task: VideoTask | undefined } | undefined;
  return {
    begins: "video_",
    isOwn: (key) => KEY.test(key),
    async isNeeded(key) {
      const [, id, attempt] = KEY.exec(key)!;
      // Those of a task follow each other.
      if (last?.id !== id) last = { id: id!, task: await videos.find(id!) };
      return isNeeded(last?.task, { name: key, attempt: attempt && Number(attempt) });
    },
  };
}

function isNeeded(
  task: VideoTask | undefined,
  { name, attempt }: { readonly name: string; readonly attempt: number | "" | undefined },
): boolean {
  if (task === undefined) return false;
  if (isOpen(task)) return typeof attempt !== "number" || attempt >= task.attempt;
  const { file, fileRemovedAt } = task;
  if (file?.key === undefined || fileRemovedAt !== undefined) return false;
  return name === file.key || name === thumbnailKey(file.key);
}
