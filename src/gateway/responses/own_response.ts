/**
 * What the gateway itself says in a Response object, whoever made the answer.
 *
 * @module
 */

import { bytesOfResponse } from "../../accounts/kept_commits.ts";
import type { ResponseStatus, StoredResponse } from "../../domain/stored_response.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import { responseHead } from "../../dialects/openai_responses/response_head.ts";
import type { RoomPromise } from "../../accounts/kept_room.ts";
import type { NoRoom } from "../../domain/kept_bytes.ts";
import type { CallRequest } from "../call_request.ts";

/** How long answers are kept. */
const KEPT_MS = 30 * 86_400_000;

/** The gateway's fields of a Response object. */
export function ownFields({ id, own, createdAt }: ResponsePlan): JsonObject {
  return { ...own, id, created_at: Math.floor(createdAt / 1000) };
}

/** Puts them into one, in place. */
export function makeOwn(response: JsonObject, plan: ResponsePlan): JsonObject {
  return Object.assign(response, ownFields(plan));
}

/** The Response object of an answer that has no output, by a logical model. */
export function pendingBody(
  plan: ResponsePlan,
  { model, status }: { readonly model: unknown; readonly status: ResponseStatus },
): JsonObject {
  return makeOwn({ ...responseHead(plan.call.body, { model }), status }, plan);
}

/** A Response object as it is kept. */
export function storedResponse(plan: ResponsePlan, response: JsonObject): StoredResponse {
  return { ...changedResponse(plan, response), input: JSON.stringify(plan.input) };
}

/**
 * A Response object that takes the place of one in the background. The input is kept since that
 * was asked for and stays as it is, so that a large one is not made into text and carried again.
 */
export function changedResponse(plan: ResponsePlan, response: JsonObject): StoredResponse {
  const { id, call, previousId, isBackground, createdAt } = plan;
  return {
    id,
    callId: call.identity.callId,
    projectId: call.caller.project.id,
    status: response.status as ResponseStatus,
    isBackground,
    previousId,
    input: "",
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
 */
export function keptResponse(
  plan: ResponsePlan,
  response: JsonObject,
  shown = response,
): StoredResponse | undefined {
  const kept = storedResponse(plan, response);
  if (plan.takeRoom(bytesOfResponse(kept)) === undefined) return kept;
  shown.store = false;
  return undefined;
}

/** What is known of a response before anyone is asked. */
export interface ResponsePlan {
  /** `resp_` and 40 characters of base32. */
  readonly id: string;
  /** Its `body` carries the whole conversation in `input`. */
  readonly call: CallRequest;
  /** Fields of the Response object that are the gateway's to say: `store`, `previous_response_id` … */
  readonly own: Readonly<JsonObject>;
  /** The request's own input items, with ids, without those of earlier answers. */
  readonly input: readonly JsonObject[];
  /** The whole of it, as it came and as it was kept: in the call, summaries of ours are opened. */
  readonly conversation: readonly JsonObject[];
  /** Wraps a summary of it for its project. */
  readonly sealSummary: (summary: string) => string;
  /** How many items of the call's `input` are from earlier answers. */
  readonly earlierItems: number;
  readonly previousId: string | undefined;
  readonly isStored: boolean;
  /** Takes room to keep so many bytes, for this turn: see `KeptRoom`. */
  readonly takeRoom: (bytes: number) => NoRoom | undefined;
  /** Has room promised to keep so many bytes, for what is still to be made. */
  readonly promiseRoom: (bytes: number) => RoomPromise | NoRoom;
  readonly isBackground: boolean;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}
