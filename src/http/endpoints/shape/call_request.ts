/**
 * What the engine is handed of a checked body, whatever the model is asked for.
 *
 * @module
 */

import type { ModelRequestFields } from "../../../dialects/base/dialect.ts";
import type { CallRequest } from "../../../gateway/call_request.ts";
import type { JsonObject } from "../../../domain/json_value.ts";
import type { Once } from "../../idempotency/repeatable_post.ts";
import { forwardedBody, sourceWishes } from "../../../dialects/base/routing_fields.ts";
import type { Arrived } from "./repeatable_endpoint.ts";

/**
 * Makes it, to be served for as long as somebody waits for its answer.
 *
 * @param body To be forwarded; fields of the gateway that are still in it are left out.
 */
export function callRequest(
  { context: { env }, caller, stay, fields, body: { bytes } }: Arrived<ModelRequestFields>,
  body: JsonObject,
  { signal, remember }: Once,
): CallRequest {
  return {
    identity: env.identity,
    caller,
    stay,
    note: env.note,
    model: fields.model,
    wishes: sourceWishes(fields),
    body: forwardedBody(body),
    bodyBytes: bytes,
    signal,
    remember,
    arrivedAt: env.arrivedAt,
  };
}
