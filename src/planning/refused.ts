/**
 * The error for a request that no route is left for.
 *
 * @module
 */

import { GatewayError } from "../errors.ts";
import { refusalFor } from "../routing/refusal.ts";
import type { RouteQuestion, Selection } from "../routing/route_request.ts";

/** What `refusalFor` decides, as an error with `error.routes`. */
export function refused(question: RouteQuestion, selection: Selection): GatewayError {
  const { error, message, ...options } = refusalFor(question, selection);
  return new GatewayError(error, message, options);
}
