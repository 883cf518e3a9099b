/**
 * `GET /v1/responses/{id}`: an answer that is kept.
 *
 * @module
 */

import { GatewayError } from "../../../errors.ts";
import { isLong, textInPieces } from "../../../idempotency/text_parts.ts";
import { jsonTextResponse } from "../../answers/json_response.ts";
import { stayingParts } from "../../answers/staying_parts.ts";
import { lookIn } from "../../callers/arrive.ts";
import { responseViewSchema } from "../../../dialects/openai_responses/view.ts";
import { keyedEndpoint } from "../shape/keyed_endpoint.ts";
import { findKept } from "./find_kept.ts";

/** See the module's text. */
export const retrieveResponse = keyedEndpoint({
  method: "GET",
  path: "/responses/{id}",
  id: "retrieveResponse",
  summary: "An answer that is kept",
  answer: { schema: responseViewSchema },
  errors: [400, 404],
  respond: (deps) => async ({ context: { env, req }, caller }) => {
    if (req.query("stream") === "true") {
      throw new GatewayError(
        "not_supported",
        "'stream' is not supported here: ask again until the status is no longer 'queued' or 'in_progress'",
        { param: "stream" },
      );
    }
    const stay = lookIn(deps, caller);
    try {
      const { body } = await findKept(deps, { id: req.param("id")!, caller, stay });
      const content = isLong(body.length) ? stayingParts(textInPieces(body), stay) : body;
      return jsonTextResponse(content, env.identity.requestId);
    } finally {
      stay.leave();
    }
  },
});
