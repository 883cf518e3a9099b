/**
 * `GET /v1/videos`: a project's tasks, newest first unless asked otherwise.
 *
 * @module
 */

import { GatewayError } from "../../../errors.ts";
import { pageOf, pageQuery, pageSchema } from "../../schemas/page.ts";
import { videoView, videoViewSchema } from "../../schemas/video_view.ts";
import { jsonEndpoint } from "../shape/json_endpoint.ts";

/** See the module's text. */
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
