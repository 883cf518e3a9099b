/**
 * Requests whose answer is one JSON object, to an upstream that speaks OpenAI's protocol, at any of
 * its paths.
 *
 * @module
 */

import type { Answer } from "../../../dialects/base/answer.ts";
import type { JsonObject } from "../../../domain/json_value.ts";
import { UpstreamError } from "../../../domain/upstream_error.ts";
import type { ProviderCall } from "../../contract/provider.ts";
import { applyRules, dropFields } from "../../contract/body_rules.ts";
import type { Endpoint, EndpointRequest } from "../../upstream/endpoint.ts";

/** How an answer is asked for and read. */
export interface JsonQuestion {
  /** Behind the base URL. */
  readonly path: string;
  /** Makes the answer of the upstream's body; `undefined` when it is none. */
  readonly read: (body: JsonObject) => Answer | undefined;
  /** What it should have been, for the operator's log. */
  readonly title: string;
  readonly maxBytes?: number;
}

/** A body as it is sent. */
export type SentBody = Pick<EndpointRequest, "body" | "contentType">;

/**
 * Asks.
 *
 * @throws {UpstreamError}
 */
export async function askJson(
  endpoint: Endpoint,
  { call, sent, question: { path, read, title, maxBytes }, signal }: {
    readonly call: ProviderCall;
    readonly sent: SentBody;
    readonly question: JsonQuestion;
    readonly signal: AbortSignal;
  },
): Promise<Answer> {
  return await endpoint.withKeys(async (credential) => {
    const request = { method: "POST", path, ...sent, credential } as const;
    const response = await endpoint.send(request, signal);
    const answer = await endpoint.jsonOf(response, {
      maxBytes,
      room: call.room,
      longTexts: call.longTexts,
    });
    const found = read(answer);
    if (found !== undefined) return found;
    throw new UpstreamError("broken", `The upstream's answer is no ${title}`, {
      status: response.status,
    });
  });
}

/** The caller's body as the upstream gets it: nulls left out, the model's name swapped, the route's rules applied. */
export function bodyFor({ route, body: asked }: ProviderCall, own: JsonObject = {}): JsonObject {
  const body: JsonObject = {};
  for (const field in asked) if (asked[field] !== null) body[field] = asked[field];
  Object.assign(body, own);
  applyRules(body, route.body);
  body.model = route.upstreamModel;
  dropFields(body, route.body);
  return body;
}
