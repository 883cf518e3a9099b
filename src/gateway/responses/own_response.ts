/**
 * What the gateway itself says in a Response object, whoever made the answer.
 *
 * @module
 */

import { bytesOfResponse } from "../../accounts/kept_commits.ts";
import type { ResponseStatus, StoredResponse } from "../../domain/stored_response.ts";
import { GatewayError } from "../../errors.ts";
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

/**
 * A Response object to be kept in this turn of the event loop. Where there is no room
 * for it, the caller gets it all the same, and it says of itself, as OpenAI's do, that
 * it is not stored.
 *
 * @param shown Where it says so.
 * @throws {GatewayError} As {@linkcode takeRoom}, for one in the background.
 */
export function keptResponse(
  plan: ResponsePlan,
  response: JsonObject,
  shown = response,
): StoredResponse | undefined {
  const kept = storedResponse(plan, response);
  if (plan.isBackground) {
    // Its input is kept since it was asked for.
    takeRoom(plan, { input: "", body: kept.body });
    return kept;
  }
  if (plan.takeRoom(bytesOfResponse(kept)) === undefined) return kept;
  shown.store = false;
  return undefined;
}

/**
 * Takes the room for an answer in the background, which nobody could ask for otherwise.
 *
 * @throws {GatewayError} `kept_quota_reached`, `storage_full` when the disk has none.
 */
export function takeRoom(
  plan: ResponsePlan,
  response: Pick<StoredResponse, "input" | "body">,
): void {
  const refusal = plan.takeRoom(bytesOfResponse(response));
  if (refusal === undefined) return;
  const [name, whose] = refusal === "quota"
    ? ["kept_quota_reached", "This project has"] as const
    : ["storage_full", "The gateway's disk has"] as const;
  throw new GatewayError(
    name,
    `${whose} no room left to keep an answer, as 'background' needs; nothing was charged. Delete kept answers (DELETE /v1/responses/{id}), or send the request without 'background'`,
    { param: "background", retryAfterSeconds: 60 },
  );
}
