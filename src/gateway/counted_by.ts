/**
 * What a call counts against the limits per minute.
 *
 * @module
 */

import type { Plan } from "../planning/plan_call.ts";
import type { PlacedRequest } from "../planning/take_permit.ts";
import { reservedTokens } from "../routing/constraints.ts";
import type { CallRequest } from "./call_request.ts";

/** A call as the limits of its project and key count it, until its usage is known. */
export function countedBy(
  { caller, stay: { permit } }: CallRequest,
  { facts }: Pick<Plan, "facts">,
): PlacedRequest {
  return { caller, permit, tokens: reservedTokens(facts) };
}
