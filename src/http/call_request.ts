/**
 * What the engine is handed of a checked body, whatever the model is asked for.
 *
 * @module
 */

import type { Caller } from "../accounts/key_directory.ts";
import type { CallRequest } from "../gateway/call_request.ts";
import type { Stay } from "../limits/stay.ts";
import type { JsonObject } from "../domain/json_value.ts";
import type { JsonBody } from "./bodies/read_json.ts";
import type { Once } from "./idempotency/repeatable_post.ts";
import type { AppContext } from "./context/request_context.ts";
import { forwardedBody, type RoutingFields, sourceWishes } from "./schemas/routing_fields.ts";

/** A request that has been read and checked. */
export interface CheckedRequest {
  readonly caller: Caller;
  readonly stay: Stay;
  readonly json: JsonBody;
  /** The gateway's own fields of its body. */
  readonly fields: RoutingFields & { readonly model: string };
  /** The body to forward; fields of the gateway that are still in it are left out. */
  readonly body: JsonObject;
  readonly once: Once;
}

/** Makes it, to be served for as long as somebody waits for its answer. */
export function callRequest(
  { env: { identity, note, arrivedAt } }: AppContext,
  { caller, stay, json, fields, body, once }: CheckedRequest,
): CallRequest {
  return {
    identity,
    caller,
    stay,
    note,
    model: fields.model,
    wishes: sourceWishes(fields),
    body: forwardedBody(body),
    bodyBytes: json.bytes,
    signal: once.signal,
    remember: once.remember,
    arrivedAt,
  };
}
