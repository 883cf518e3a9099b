/**
 * `GET /v1/videos/{id}` (section 4.5 of the service specification).
 *
 * @module
 */

import type { ApiDeps } from "../../context/api_deps.ts";
import { jsonResponse } from "../../answers/json_response.ts";
import type { AppContext } from "../../context/request_context.ts";
import { videoView } from "../../schemas/video_view.ts";
import { ownVideo } from "./own_video.ts";
import { POLL_AFTER } from "./poll_after.ts";

/** Makes the handler. */
export function showVideo(deps: ApiDeps): (context: AppContext) => Promise<Response> {
  return async (context) => {
    const task = await ownVideo(context, deps);
    const { requestId } = context.env.identity;
    return jsonResponse(videoView(task, deps.videoViews()), requestId, 200, POLL_AFTER);
  };
}
