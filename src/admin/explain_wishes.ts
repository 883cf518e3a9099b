/**
 * What a question about routes says of the source that its caller wants, field by field as requests do.
 *
 * @module
 */

import * as z from "zod";
import { SORTS } from "../dialects/base/provider_fields.ts";
import { RISK_LEVELS } from "../domain/catalogue.ts";
import { tryParseAmount } from "../domain/money.ts";
import {
  type ProviderWishes,
  ROUTING_PREFERENCES,
  type SourceWishes,
} from "../domain/request_facts.ts";
import { GatewayError } from "../errors.ts";
import { listField } from "./base/fields.ts";
import { optionWords } from "./base/option_words.ts";

const ids = (what: string) =>
  listField(z.string().min(1).max(200).toLowerCase())
    .describe(`as the request's provider.${what}; may be repeated`)
    .register(optionWords, { placeholder: "id", repeats: true });

const price = (what: string) =>
  z.string().refine(
    (text) => tryParseAmount(text) !== undefined,
    "Expected a price such as 2.50",
  ).optional().describe(`as the request's provider.max_price.${what}`)
    .register(optionWords, { placeholder: "price" });

/** The fields. */
export const wishFields = {
  models: listField(z.string().min(1).max(200)).describe(
    "as the request's models: those that serve when the one before cannot; may be repeated",
  ).register(optionWords, { placeholder: "name", repeats: true }),
  provider: z.string().min(1).optional().describe("as the request's provider"),
  route: z.string().min(1).optional().describe("as the request's route"),
  routing_preference: z.enum(ROUTING_PREFERENCES).optional()
    .describe("as the request's routing_preference").register(optionWords, { placeholder: "name" }),
  exclude_risk_levels: listField(z.enum(RISK_LEVELS))
    .describe("low, medium or high; may be repeated")
    .register(optionWords, { option: "exclude-risk-level", placeholder: "level", repeats: true }),
  provider_order: ids("order"),
  provider_only: ids("only"),
  provider_ignore: ids("ignore"),
  provider_sort: z.enum(Object.keys(SORTS)).optional().describe("as the request's provider.sort")
    .register(optionWords, { placeholder: "name" }),
  without_fallbacks: z.boolean().default(false)
    .describe("as the request's provider.allow_fallbacks: false"),
  require_parameters: z.boolean().default(false)
    .describe("as the request's provider.require_parameters"),
  parameters: listField(z.string().min(1).max(128)).describe(
    "a field of the request that require_parameters is about, such as seed; may be repeated",
  ).register(optionWords, { option: "parameter", placeholder: "field", repeats: true }),
  max_price_prompt: price("prompt"),
  max_price_completion: price("completion"),
  max_price_request: price("request"),
  max_price_image: price("image"),
};

type Asked = z.output<z.ZodObject<typeof wishFields>>;

/**
 * The wishes of such a request.
 *
 * @throws {GatewayError} `invalid_value` where two fields prefer different things.
 */
export function wishesOf(question: Asked): SourceWishes {
  const { provider_order: order, provider_only: only, provider_ignore: ignore } = question;
  const maxPrices = Object.fromEntries(
    Object.entries({
      input: question.max_price_prompt,
      output: question.max_price_completion,
      request: question.max_price_request,
      image: question.max_price_image,
    }).filter(([, most]) => most !== undefined),
  );
  const providers: ProviderWishes = {
    ...(order !== undefined && { order }),
    ...(only !== undefined && { only }),
    ...(ignore !== undefined && { ignore }),
    ...(question.without_fallbacks && { noFallbacks: true }),
    ...(Object.keys(maxPrices).length > 0 && { maxPrices }),
    ...(question.require_parameters && { parameters: question.parameters ?? [] }),
  };
  return {
    provider: question.provider,
    route: question.route,
    preference: preferenceOf(question),
    excludeRiskLevels: question.exclude_risk_levels ?? [],
    ...(Object.keys(providers).length > 0 && { providers }),
  };
}

function preferenceOf({ provider_sort: sort, routing_preference: preference }: Asked) {
  const sorted = sort === undefined ? undefined : SORTS[sort];
  if (sorted === undefined || preference === undefined || sorted === preference) {
    return preference ?? sorted;
  }
  throw new GatewayError(
    "invalid_value",
    "'routing_preference' and 'provider_sort' ask for different orders: leave out one of them",
    { param: "provider_sort" },
  );
}
