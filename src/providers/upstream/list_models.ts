/**
 * The models that an upstream lists, and what its list says of them.
 *
 * @module
 */

import {
  asCount,
  asObject,
  isObject,
  type JsonObject,
  nonEmptyString,
} from "../../domain/json_value.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { ListedModel } from "../contract/provider.ts";
import type { ModelList } from "./model_list.ts";
import type { Endpoint } from "./endpoint.ts";

/** More than any vendor has; what is beyond is left out. */
export const MOST_MODELS = 10_000;
const MOST_NAME_CHARACTERS = 200;
/** More than any context has. */
const MOST_TOKENS = 1_000_000_000;
/** Per token, as OpenRouter lists prices: up to so many digits behind the point. */
const PER_TOKEN = /^(\d{1,6})(?:\.(\d{1,20}))?$/;
const DIGITS_OF_MILLION = 6;
/** Of a price, that are kept. */
const MOST_DIGITS = 8;
/** Before the point, that a price has at most. */
const DIGITS_OF_PRICE = 6;

/** OpenRouter's names of rates by ours. */
const RATES: Readonly<Record<string, string>> = {
  input: "prompt",
  cached_input: "input_cache_read",
  cache_write: "input_cache_write",
  output: "completion",
};

/**
 * Asks for the list, with the key whose turn it is.
 *
 * @throws {UpstreamError} Also where it has none.
 */
export async function listModels(
  endpoint: Endpoint,
  { modelsIn, supportsIn, wholePath, path }: ModelList,
  signal: AbortSignal,
): Promise<readonly ListedModel[]> {
  return await endpoint.withKeys(async (credential) => {
    const request = { method: "GET", path: wholePath ?? path, credential } as const;
    const response = await endpoint.send(request, signal);
    const isAnswer = (body: JsonObject) => modelsIn(body) !== undefined;
    const models = modelsIn(await endpoint.jsonOf(response, { isAnswer }));
    if (models === undefined) {
      throw new UpstreamError("broken", "The upstream answered with no model list", {
        status: 200,
      });
    }
    const listed = models.flatMap((model) => modelOf(model, supportsIn));
    const named = new Map(listed.map((model) => [model.name, model]));
    return [...named.values()].slice(0, MOST_MODELS);
  });
}

function modelOf(
  value: unknown,
  supportsIn: ModelList["supportsIn"],
): readonly ListedModel[] {
  if (!isObject(value)) return [];
  const name = nonEmptyString(value.id) ?? nonEmptyString(value.modelId) ??
    nonEmptyString(value.name)?.replace(/^models\//, "");
  if (name === undefined || name.length > MOST_NAME_CHARACTERS) return [];
  if (!/^[\x21-\x7e]+$/.test(name)) return [];
  const provider = asObject(value.top_provider) ?? {};
  const contextTokens = firstCount(
    value.context_length,
    value.context_window,
    value.max_model_len,
    value.max_context_length,
    value.max_input_tokens,
    value.inputTokenLimit,
  );
  const maxOutputTokens = firstCount(
    provider.max_completion_tokens,
    value.max_completion_tokens,
    value.outputTokenLimit,
  );
  const cost = costOf(asObject(value.pricing));
  const supports = supportsIn?.(value);
  return [{
    name,
    ...(contextTokens !== undefined && { contextTokens }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(supports !== undefined && { supports }),
    ...(cost !== undefined && { cost }),
  }];
}

function firstCount(...values: readonly unknown[]): number | undefined {
  return values.map(asCount).find((count) => count !== undefined && count <= MOST_TOKENS);
}

/** Per million, in a catalogue file's words; `undefined` where a rate that every route needs is not told. */
function costOf(pricing: JsonObject | undefined): Readonly<Record<string, string>> | undefined {
  const rates = Object.entries(RATES).flatMap(([ours, theirs]) => {
    const rate = perMillion(pricing?.[theirs]);
    return rate === undefined ? [] : [[ours, rate] as const];
  });
  const cost = Object.fromEntries(rates);
  return cost.input === undefined || cost.output === undefined ? undefined : cost;
}

/** Exact: the point moves, and nothing is rounded; what has more digits than a price is no price. */
function perMillion(value: unknown): string | undefined {
  const [found, whole, fraction = ""] = typeof value === "string"
    ? PER_TOKEN.exec(value) ?? []
    : [];
  if (found === undefined) return undefined;
  const digits = fraction.padEnd(DIGITS_OF_MILLION, "0");
  const before = `${whole}${digits.slice(0, DIGITS_OF_MILLION)}`.replace(/^0+(?=\d)/, "");
  const after = digits.slice(DIGITS_OF_MILLION).replace(/0+$/, "");
  if (after.length > MOST_DIGITS || before.length > DIGITS_OF_PRICE) return undefined;
  return `${before}.${after.padEnd(2, "0")}`;
}
