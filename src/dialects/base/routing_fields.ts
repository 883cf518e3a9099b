/**
 * The gateway's own request fields (section 2.1 of the service specification, and what OpenRouter's
 * callers are used to), the same on every POST: read strictly, never forwarded.
 *
 * @module
 */

import * as z from "zod";
import { boundedList, boundedRecord } from "../../documents/bounded.ts";
import { MOST_TAG_CHARACTERS, MOST_TAGS, TAG_NAME, TAG_VALUE } from "../../domain/tags.ts";
import { RISK_LEVELS, type RiskLevel } from "../../domain/catalogue.ts";
import { ROUTING_PREFERENCES, type SourceWishes } from "../../domain/request_facts.ts";
import { GatewayError } from "../../errors.ts";
import { preferenceOf, providerObject, providerWishes } from "./provider_fields.ts";

const name = z.string().min(1).max(200);

/** The logical model that is asked. */
export const modelField = name.describe("Logical model id or alias: GET /v1/models lists them");

/** Models that a request may name besides its first one. */
const MOST_MODELS = 10;

/** What OpenRouter's callers write for "the models in their order", where a route's id is expected. */
const IN_ORDER = "fallback";

/** What only OpenRouter itself does with a request. */
function elsewhere(what: string): string {
  return `Tollgate ${what}: leave it out (a route whose upstream is OpenRouter can set it)`;
}

/** Fields that steer the choice of a source. */
export const routingFields = {
  provider: z.union([name, providerObject]).nullish().describe(
    "Restricts the choice to one provider, by its id; or what is asked of providers, as an object",
  ),
  route: name.nullish().describe(
    "Picks one exact route, by its id; no other route is tried. 'fallback' means nothing: it is what OpenRouter calls the order of 'models'",
  ),
  models: boundedList(name, { most: MOST_MODELS }).nullish().describe(
    "Models that are tried in this order when 'model' has no route left or fails before its first byte",
  ),
  routing_preference: z.enum(ROUTING_PREFERENCES).nullish().describe(
    "What the choice tends to",
  ),
  source_policy: z.strictObject({
    exclude_risk_levels: boundedList(z.enum(RISK_LEVELS), { most: 100 }).nullish()
      .describe(
        "Routes of these risk levels are left out",
      ),
  }).nullish().describe("Finer constraints on sources"),
  tags: boundedRecord(
    z.string().regex(TAG_NAME, "Expected 1 to 32 letters, digits, '_', '.' or '-' as a tag's name"),
    z.string().regex(
      TAG_VALUE,
      `Expected 1 to ${MOST_TAG_CHARACTERS} characters, none of them a control character`,
    ),
    { most: MOST_TAGS },
  ).nullish().describe("Kept with the call, for reports"),
  // Loose: whoever sends an answer's usage back with a conversation asks for nothing.
  usage: z.object({ include: z.boolean().nullish() }).nullish().describe(
    "With include: true the usage in the answer says what it cost",
  ),
  transforms: boundedList(z.unknown(), { most: 0, tooLong: elsewhere("does not shorten prompts") })
    .nullish(),
  plugins: boundedList(z.unknown(), { most: 0, tooLong: elsewhere("runs no plugins") }).nullish(),
};

/** The fields as they stand in a checked body. */
export type RoutingFields = z.infer<z.ZodObject<typeof routingFields>>;

const NO_LEVELS: readonly RiskLevel[] = [];

/**
 * What the caller wishes of its source.
 *
 * @throws {GatewayError} `invalid_value` where two fields prefer different things.
 */
export function sourceWishes(fields: RoutingFields): SourceWishes {
  const { provider, route } = fields;
  const excluded = fields.source_policy?.exclude_risk_levels ?? NO_LEVELS;
  const wishes = {
    provider: typeof provider === "string" ? provider : undefined,
    route: route === null || route === IN_ORDER ? undefined : route,
    preference: fields.routing_preference ?? undefined,
    excludeRiskLevels: excluded.length === 0 ? excluded : [...new Set(excluded)],
  };
  if (typeof provider !== "object" || provider === null) return wishes;
  const sorted = preferenceOf(provider);
  const preference = wishes.preference ?? sorted;
  if (sorted !== undefined && sorted !== preference) {
    throw new GatewayError(
      "invalid_value",
      "'routing_preference' and 'provider.sort' ask for different orders: leave out one of them",
      { param: "provider.sort" },
    );
  }
  const providers = providerWishes(provider, () => Object.keys(forwardedBody(fields)));
  return { ...wishes, preference, ...(providers !== undefined && { providers }) };
}

/** The further models that a request may be served by, in their order. */
export function furtherModels({ model, models }: RoutingFields & { readonly model: string }) {
  if (models === null || models === undefined) return undefined;
  const further = [...new Set(models)].filter((one) => one !== model);
  return further.length === 0 ? undefined : further;
}

/** The body with its first model as `model`, where it names several and none alone. */
export function withFirstModel(body: unknown): unknown {
  if (typeof body !== "object" || body === null || !("models" in body) || "model" in body) {
    return body;
  }
  const { models } = body;
  return Array.isArray(models) && typeof models[0] === "string"
    ? { ...body, model: models[0] }
    : body;
}

/** Our own fields, and those by which other gateways let a caller redirect a request or its credentials. */
const NEVER_FORWARDED: ReadonlySet<string> = new Set([
  ...Object.keys(routingFields),
  "base_url",
  "api_base",
  "api_key",
  "headers",
  "extra_headers",
  "litellm_params",
]);

/** The body to forward: without what never is. Most have nothing of it, and are not copied. */
export function forwardedBody(
  body: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  for (const name in body) {
    if (NEVER_FORWARDED.has(name)) {
      return Object.fromEntries(Object.entries(body).filter(([one]) => !NEVER_FORWARDED.has(one)));
    }
  }
  return body;
}
