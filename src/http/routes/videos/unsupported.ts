/**
 * What OpenAI's Videos API had besides, refused by name.
 *
 * @module
 */

import { GatewayError } from "../../../errors.ts";
import type { ApiDeps } from "../../context/api_deps.ts";
import { callerOf } from "../../callers/authenticate.ts";
import type { AppContext } from "../../context/request_context.ts";

/** Makes the handler for one of them. */
export function unsupportedVideoOperation(
  deps: ApiDeps,
  name: "remix" | "edits" | "extensions" | "characters",
): (context: AppContext) => never {
  return (context) => {
    callerOf(context, deps);
    throw new GatewayError(
      "not_supported",
      `'${name}' of videos is not supported here: create a new video with POST /v1/videos, which takes an image as 'input_reference'`,
    );
  };
}
