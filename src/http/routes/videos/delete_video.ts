/**
 * `DELETE /v1/videos/{id}` (section 4.7 of the service specification): in
 * whichever state, with its film.
 *
 * @module
 */

import type { ApiDeps } from "../../context/api_deps.ts";
import { jsonResponse } from "../../answers/json_response.ts";
import { callerOf } from "../../callers/authenticate.ts";
import type { AppContext } from "../../context/request_context.ts";
import { videoNotFound } from "./own_video.ts";

/** Makes the handler. */
export function deleteVideo(deps: ApiDeps): (context: AppContext) => Promise<Response> {
  return async (context) => {
    const { project } = callerOf(context, deps);
    const id = context.req.param("id")!;
    if (await deps.videos.removeOwn(project.id, id) === "missing") throw videoNotFound();
    const deleted = { id, object: "video.deleted", deleted: true };
    return jsonResponse(deleted, context.env.identity.requestId);
  };
}
