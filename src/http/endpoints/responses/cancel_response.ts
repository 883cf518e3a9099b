/**
 * `POST /v1/responses/{id}/cancel`.
 *
 * @module
 */

import { responseViewSchema } from "../../../dialects/openai_responses/view.ts";
import { NO_BODY } from "../shape/body_kind.ts";
import { repeatableEndpoint } from "../shape/repeatable_endpoint.ts";
import { countKept, responseNotFound } from "./find_kept.ts";

/** See the module's text. */
export const cancelResponse = repeatableEndpoint({
  path: "/responses/{id}/cancel",
  id: "cancelResponse",
  summary: "Give up an answer that is being made in the background",
  callsModel: false,
  body: NO_BODY,
  answer: { schema: responseViewSchema },
  errors: [404, 429, 503],
  toRequest: ({ context, caller, stay }) => ({ id: context.req.param("id")!, caller, stay }),
  serve: (deps) => ({
    async answer(question, { remember }) {
      await countKept(deps, question);
      const { id, caller: { project } } = question;
      const kept = await deps.responses.cancel(project.id, id, remember);
      if (kept === undefined) throw responseNotFound();
      return kept.body;
    },
  }),
});
