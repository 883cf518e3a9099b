/**
 * The caller's body as an upstream gets it: the same, with the model's name
 * swapped, the route's rules applied and what the gateway itself needs added.
 *
 * @module
 */

import type { JsonObject, ProviderCall } from "../provider.ts";
import { isObject } from "../json_value.ts";

/** How the body is converted. */
export interface ConvertOptions {
  readonly stream: boolean;
  /** The field that carries the gateway's own output limit; see {@linkcode outputLimitField}. */
  readonly limitField: OutputLimitField;
}

/** The two names of the output limit. */
export type OutputLimitField = "max_tokens" | "max_completion_tokens";

/**
 * Hosts of OpenAI and Azure, whose reasoning models refuse `max_tokens` and whose
 * other models take both.
 */
const NEWER_NAME_HOSTS =
  /^(api\.openai\.com|.*\.openai\.azure\.com|.*\.cognitiveservices\.azure\.com|.*\.services\.ai\.azure\.com)$/;

/**
 * The name under which the gateway sends an output limit of its own. `max_tokens`
 * is what most compatible servers take (Mistral refuses the newer name, Ollama
 * and LM Studio ignore it); OpenAI's and Azure's own hosts get the newer one. A
 * route that drops `max_tokens` gets the newer name too.
 */
export function outputLimitField(baseUrl: string): OutputLimitField {
  return NEWER_NAME_HOSTS.test(new URL(baseUrl).hostname) ? "max_completion_tokens" : "max_tokens";
}

/**
 * Builds the upstream body. Order: the caller's fields, `default` where there is
 * none, `set`, the gateway's output limit and `stream_options`, `drop` last;
 * `model` and `stream` are always the gateway's.
 */
export function convertRequest(call: ProviderCall, options: ConvertOptions): JsonObject {
  const { route } = call;
  const rules = route.body;
  const body: JsonObject = { ...call.body };
  for (const field in rules.default) {
    if (body[field] === undefined) body[field] = rules.default[field];
  }
  Object.assign(body, rules.set);
  body.model = route.upstreamModel;
  if (call.outputTokensCap !== undefined) addLimit(body, call.outputTokensCap, call, options);
  if (options.stream) {
    body.stream = true;
    const given = isObject(body.stream_options) ? body.stream_options : undefined;
    body.stream_options = { ...given, include_usage: true };
  } else {
    if (body.stream !== undefined) body.stream = false;
    delete body.stream_options;
  }
  for (const field of rules.drop) {
    if (field !== "model" && field !== "stream") delete body[field];
  }
  return body;
}

/** A limit of the route stands, unless the one that the hold was sized for is lower. */
function addLimit(
  body: JsonObject,
  cap: number,
  call: ProviderCall,
  options: ConvertOptions,
): void {
  const { drop } = call.route.body;
  let isSet = false;
  for (const field of ["max_tokens", "max_completion_tokens"] as const) {
    const value = body[field];
    if (typeof value === "number") {
      body[field] = Math.min(value, cap);
      isSet ||= !drop.includes(field);
    } else if (value === null) {
      delete body[field];
    }
  }
  if (isSet) return;
  body[drop.includes("max_tokens") ? "max_completion_tokens" : options.limitField] = cap;
}
