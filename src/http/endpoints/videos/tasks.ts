/**
 * `GET /v1/videos`, `GET` and `DELETE /v1/videos/{id}` (section 4 of the service specification): a
 * project's own tasks.
 *
 * @module
 */

import { videoView, videoViewSchema } from "../../schemas/video_view.ts";
import { type Asked, deletingEndpoint, jsonEndpoint } from "../shape/keyed_endpoint.ts";
import { GatewayError } from "../../../errors.ts";
import { pageOf, pageQuery, pageSchema } from "../../schemas/page.ts";
import type { VideoTask } from "../../../domain/video_task.ts";
import type { ApiDeps } from "../../context/api_deps.ts";
import type { AnswerHeaders } from "../shape/endpoint.ts";

/** Read by OpenAI's Python SDK; section 8 of the service specification recommends 2 to 3 s. */
export const POLL_AFTER: AnswerHeaders = {
  "openai-poll-after-ms": {
    description: "After how many milliseconds to ask again",
    value: "2500",
  },
};

export const retrieveVideo = jsonEndpoint({
  path: "/videos/{id}",
  id: "retrieveVideo",
  summary: "How far a film is: ask every 2 to 3 seconds",
  answer: videoViewSchema,
  answerHeaders: POLL_AFTER,
  errors: [404],
  tell: (deps) => async (asked) => videoView(await ownVideo(asked, deps), deps.videoViews()),
});

export const listVideos = jsonEndpoint({
  path: "/videos",
  id: "listVideos",
  summary: "The films of this project, newest first",
  query: pageQuery({
    least: 0,
    order: "By creation; desc by default",
    after: "Id of the task that the page comes after",
  }),
  answer: pageSchema(videoViewSchema),
  errors: [400],
  tell: ({ videos, videoViews }) => async ({ caller: { project }, query }) => {
    const { limit, order, after } = query;
    const page = await videos.page({ projectId: project.id, limit, order, after });
    if (page === undefined) {
      throw new GatewayError(
        "invalid_value",
        "Invalid value for 'after': it must be the id of a video of this project, such as a page's 'last_id'",
        { param: "after" },
      );
    }
    const options = videoViews();
    return pageOf(page.tasks.map((task) => videoView(task, options)), page);
  },
});

export const deleteVideo = deletingEndpoint({
  path: "/videos/{id}",
  id: "deleteVideo",
  summary: "Delete a film, or give up one that is being made and pay for what is done of it",
  object: "video.deleted",
  async remove({ videos }, { projectId, id }) {
    if (await videos.removeOwn(projectId, id) === "missing") throw videoNotFound();
  },
});

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
