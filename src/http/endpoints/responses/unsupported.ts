/**
 * What OpenAI's Responses API has besides.
 *
 * @module
 */

import type { Endpoint } from "../shape/endpoint.ts";
import { refusedEndpoint } from "../shape/refused_endpoint.ts";

const INSTEAD = {
  input_tokens: "the answer's 'usage' says how many tokens the input had",
  compact: "go on from an answer with 'previous_response_id', or send a shorter 'input'",
};

/** All of it. */
export const REFUSED_OF_RESPONSES: readonly Endpoint[] = Object.entries(INSTEAD).map((
  [name, instead],
) =>
  refusedEndpoint({
    method: "POST",
    path: `/responses/${name}`,
    message: `'${name}' of responses is not supported here: ${instead}`,
  })
);
