/**
 * The caller of a path that calls a model: its answer, whatever it is, tells what
 * the caller's limits leave.
 *
 * @module
 */

import type { Caller } from "../../accounts/key_directory.ts";
import type { ApiDeps } from "../context/api_deps.ts";
import { hasRateLimits } from "./rate_limit_headers.ts";
import type { AppContext } from "../context/request_context.ts";
import { callerOf } from "./authenticate.ts";

/**
 * As {@linkcode callerOf}.
 *
 * @throws {GatewayError} `project_key_invalid` or `project_key_disabled`.
 */
export function modelCallerOf(
  context: AppContext,
  deps: Pick<ApiDeps, "directory" | "clock">,
): Caller {
  const caller = callerOf(context, deps);
  if (hasRateLimits(caller)) context.env.limited = caller;
  return caller;
}
