/**
 * What the gateway itself says in a Response object, whoever made the answer.
 *
 * @module
 */

import type { ResponseStatus, StoredResponse } from "../../domain/stored_response.ts";
import type { JsonObject } from "../../providers/provider.ts";
import type { ResponsePlan } from "./response_plan.ts";

/** How long answers are kept. */
const KEPT_MS = 30 * 86_400_000;

/** Puts the gateway's fields into a Response object, in place. */
export function makeOwn(response: JsonObject, { id, own, createdAt }: ResponsePlan): JsonObject {
  return Object.assign(response, own, { id, created_at: Math.floor(createdAt / 1000) });
}

/** A Response object as it is kept. */
export function storedResponse(plan: ResponsePlan, response: JsonObject): StoredResponse {
  const { id, call, input, previousId, isBackground, createdAt } = plan;
  return {
    id,
    callId: call.identity.callId,
    projectId: call.caller.project.id,
    status: response.status as ResponseStatus,
    isBackground,
    previousId,
    input: JSON.stringify(input),
    body: JSON.stringify(response),
    createdAt,
    expiresAt: createdAt + KEPT_MS,
  };
}
