/**
 * What OpenAI's Responses API has besides, refused by name.
 *
 * @module
 */

import { GatewayError } from "../../../errors.ts";
import type { ApiDeps } from "../../context/api_deps.ts";
import { callerOf } from "../../callers/authenticate.ts";
import type { AppContext } from "../../context/request_context.ts";

const INSTEAD = {
  input_tokens: "the answer's 'usage' says how many tokens the input had",
  compact: "go on from an answer with 'previous_response_id', or send a shorter 'input'",
} as const;

/** Makes the handler for one of them. */
export function unsupportedResponseOperation(
  deps: ApiDeps,
  name: keyof typeof INSTEAD,
): (context: AppContext) => never {
  return (context) => {
    callerOf(context, deps);
    throw new GatewayError(
      "not_supported",
      `'${name}' of responses is not supported here: ${INSTEAD[name]}`,
    );
  };
}
