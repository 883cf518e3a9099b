/**
 * The task that a path names.
 *
 * @module
 */

import type { VideoTask } from "../../../domain/video_task.ts";
import { GatewayError } from "../../../errors.ts";
import type { ApiDeps } from "../../context/api_deps.ts";
import type { Asked } from "../shape/keyed_endpoint.ts";

/**
 * The caller's own task.
 *
 * @throws {GatewayError} `video_not_found`, for another project's as for none.
 */
export async function ownVideo(
  { context, caller: { project } }: Asked,
  { videos }: Pick<ApiDeps, "videos">,
): Promise<VideoTask> {
  const task = await videos.findOwn(project.id, context.req.param("id")!);
  if (task === undefined) throw videoNotFound();
  return task;
}

/** The one answer for deleted, foreign and never existing tasks. */
export function videoNotFound(): GatewayError {
  return new GatewayError(
    "video_not_found",
    "There is no such video: the id must be the one that creating it answered, and GET /v1/videos lists those of this project",
  );
}
