/**
 * How large films become, before they are made.
 *
 * @module
 */

import type { VideoWork } from "../../domain/call.ts";
import { FRAMES_PER_SECOND } from "@tollgate/render";
import { readVideoSize } from "../../domain/video_size.ts";
import type { VideoTask } from "../../domain/video_task.ts";
import type { ContentFiles } from "./content_files.ts";

/** A generous H.264 film of moving pictures: bits for each pixel of each frame. */
const BITS_PER_PIXEL = 0.25;
/** For a size that cannot be read: one large film. */
const UNKNOWN_SIZE_PIXELS = 1920 * 1080;

/** Bytes to keep free for a film. */
export function estimateContentBytes({ size, seconds }: VideoWork): number {
  const read = readVideoSize(size);
  const pixels = read === undefined ? UNKNOWN_SIZE_PIXELS : read.width * read.height;
  return Math.ceil(pixels * seconds * FRAMES_PER_SECOND * BITS_PER_PIXEL / 8);
}

/** Bytes that the film of a task will take beside those that are on disk already. */
export function contentBytesToCome(
  task: VideoTask,
  files: Pick<ContentFiles, "partBytes">,
): number {
  return Math.max(0, estimateContentBytes(task) - files.partBytes(task.id));
}
