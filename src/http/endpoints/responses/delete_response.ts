/**
 * `DELETE /v1/responses/{id}`.
 *
 * @module
 */

import { deletedSchema } from "../../schemas/deleted.ts";
import { jsonEndpoint } from "../shape/json_endpoint.ts";
import { responseNotFound } from "./find_kept.ts";

/** See the module's text. */
export const deleteResponse = jsonEndpoint({
  method: "DELETE",
  path: "/responses/{id}",
  id: "deleteResponse",
  summary: "Delete a kept answer",
  answer: deletedSchema("response"),
  errors: [404, 503],
  tell: ({ responses }) => async ({ context, caller: { project } }) => {
    const id = context.req.param("id")!;
    if (!await responses.remove(project.id, id)) throw responseNotFound();
    return { id, object: "response" as const, deleted: true as const };
  },
});
