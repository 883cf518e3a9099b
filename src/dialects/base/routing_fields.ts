/**
 * The gateway's own request fields (section 2.1 of the service specification),
 * the same on every POST: read strictly, never forwarded.
 *
 * @module
 */

import * as z from "zod";
import { boundedList } from "../../documents/bounded.ts";
import { RISK_LEVELS } from "../../domain/catalogue.ts";
import { ROUTING_PREFERENCES, type SourceWishes } from "../../domain/request_facts.ts";

const name = z.string().min(1).max(200);

/** The logical model that is asked. */
export const modelField = name.describe("Logical model id or alias: GET /v1/models lists them");

/** Fields that steer the choice of a source. */
export const routingFields = {
  provider: name.nullish().describe("Restricts the choice to one provider, by its id"),
  route: name.nullish().describe("Picks one exact route, by its id; no other route is tried"),
  routing_preference: z.enum(ROUTING_PREFERENCES).nullish().describe(
    "What the choice tends to",
  ),
  source_policy: z.strictObject({
    exclude_risk_levels: boundedList(z.enum(RISK_LEVELS), { most: 100 }).nullish()
      .describe(
        "Routes of these risk levels are left out",
      ),
  }).nullish().describe("Finer constraints on sources"),
};

/** The fields as they stand in a checked body. */
export type RoutingFields = z.infer<z.ZodObject<typeof routingFields>>;

/** What the caller wishes of its source. */
export function sourceWishes(fields: RoutingFields): SourceWishes {
  return {
    provider: fields.provider ?? undefined,
    route: fields.route ?? undefined,
    preference: fields.routing_preference ?? undefined,
    excludeRiskLevels: [...new Set(fields.source_policy?.exclude_risk_levels)],
  };
}

/**
 * The body to forward: without our own fields, and without the fields by which
 * other gateways let a caller redirect a request or its credentials.
 */
export function forwardedBody(body: Record<string, unknown>): Record<string, unknown> {
  const {
    provider: _provider,
    route: _route,
    routing_preference: _preference,
    source_policy: _policy,
    base_url: _baseUrl,
    api_base: _apiBase,
    api_key: _apiKey,
    headers: _headers,
    extra_headers: _extraHeaders,
    litellm_params: _litellmParams,
    ...forwarded
  } = body;
  return forwarded;
}
