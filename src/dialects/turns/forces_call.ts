/**
 * Whether a request makes its model call a tool.
 *
 * @module
 */

import type { ModelTraits } from "../../domain/model_traits.ts";
import type { TurnsRequest } from "./turns_request.ts";

/**
 * Claude refuses to think where it is made to call (400, "Thinking may not be enabled when tool_choice
 * forces tool use"): the call is what the caller relies on, so that the thoughts are left out.
 */
export function forcesCall(
  { tools, choice }: Pick<TurnsRequest, "tools" | "choice">,
  { forcedTools }: ModelTraits,
): boolean {
  return forcedTools === true && tools.length > 0 &&
    (choice?.mode === "required" || choice?.mode === "named");
}
