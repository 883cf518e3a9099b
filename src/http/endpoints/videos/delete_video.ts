/**
 * `DELETE /v1/videos/{id}` (section 4.7 of the service specification): in
 * whichever state, with its film.
 *
 * @module
 */

import { deletedSchema } from "../../schemas/deleted.ts";
import { jsonEndpoint } from "../shape/json_endpoint.ts";
import { videoNotFound } from "./own_video.ts";

/** See the module's text. */
export const deleteVideo = jsonEndpoint({
  method: "DELETE",
  path: "/videos/{id}",
  id: "deleteVideo",
  summary: "Delete a film, or give up one that is being made and pay for what is done of it",
  answer: deletedSchema("video.deleted"),
  errors: [404, 503],
  tell: ({ videos }) => async ({ context, caller: { project } }) => {
    const id = context.req.param("id")!;
    if (await videos.removeOwn(project.id, id) === "missing") throw videoNotFound();
    return { id, object: "video.deleted" as const, deleted: true as const };
  },
});
