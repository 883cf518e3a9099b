/**
 * `GET /v1/videos`: a project's tasks, newest first unless asked otherwise.
 *
 * @module
 */

import * as z from "zod";
import { GatewayError } from "../../../errors.ts";
import type { ApiDeps } from "../../context/api_deps.ts";
import { jsonResponse } from "../../answers/json_response.ts";
import { callerOf } from "../../callers/authenticate.ts";
import type { AppContext } from "../../context/request_context.ts";
import { videoView } from "../../schemas/video_view.ts";
import { validate } from "../../bodies/validate.ts";

const DEFAULT_LIMIT = 20;

/** The query of a list. */
export const videoListQuery = z.object({
  limit: z.string().regex(
    /^(?:\d|[1-9]\d|100)$/,
    "Expected a whole number from 0 to 100, in digits alone",
  )
    .transform(Number).optional().describe("At most 100; 20 by default"),
  order: z.enum(["asc", "desc"]).optional().describe("By creation; desc by default"),
  after: z.string().optional().describe("Id of the task that the page comes after"),
});

/** Makes the handler. */
export function listVideos(deps: ApiDeps): (context: AppContext) => Promise<Response> {
  return async (context) => {
    const { project } = callerOf(context, deps);
    const { limit = DEFAULT_LIMIT, order = "desc", after } = validate(
      videoListQuery,
      context.req.query(),
    );
    const page = await deps.videos.page({ projectId: project.id, limit, order, after });
    if (page === undefined) {
      throw new GatewayError(
        "invalid_value",
        "Invalid value for 'after': it must be the id of a video of this project, such as a page's 'last_id'",
        { param: "after" },
      );
    }
    const options = deps.videoViews();
    const data = page.tasks.map((task) => videoView(task, options));
    return jsonResponse({
      object: "list",
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: page.hasMore,
    }, context.env.identity.requestId);
  };
}
