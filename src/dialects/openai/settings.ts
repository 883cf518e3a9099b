/**
 * Settings of a request that OpenAI's dialects have alike.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { OtherBlock } from "../turns/blocks.ts";
import type { Settings, TurnsRequest } from "../turns/turns_request.ts";
import { OPENAI } from "./family.ts";
import { CONDITIONS, MOST_TERM_CHARACTERS, NO_TERMS, type Terms } from "../../domain/terms.ts";

/** OpenAI takes 128. */
export const MOST_TOOLS = 1_000;

/**
 * What becomes of a field: `read` is said in the neutral form, `own` only the dialect has and others
 * may leave out, `needed` others have to refuse.
 */
export type Place = "read" | "own" | "needed";

/** Fields of all dialects that say only whose a request is, and how it is cached and served. */
const PASSING: ReadonlySet<string> = new Set([
  "safety_identifier",
  "prompt_cache_key",
  "prompt_cache_retention",
  "prompt_cache_options",
  "service_tier",
]);

type IsRight = (value: unknown) => boolean;

const isNumber: IsRight = (value) => typeof value === "number";
const isText: IsRight = (value) => typeof value === "string";
const isTexts: IsRight = (value) => isText(value) || (Array.isArray(value) && value.every(isText));

/** By their names on the wire: ours, and what a value has to be. */
const SETTINGS: ReadonlyMap<string, readonly [name: keyof Settings, isRight: IsRight]> = new Map([
  ["temperature", ["temperature", isNumber]],
  ["top_p", ["topP", isNumber]],
  ["top_k", ["topK", isNumber]],
  ["stop", ["stop", isTexts]],
  ["seed", ["seed", isNumber]],
  ["presence_penalty", ["presencePenalty", isNumber]],
  ["frequency_penalty", ["frequencyPenalty", isNumber]],
  ["user", ["user", isText]],
]);

/**
 * The fields of a request that its dialect does not read by themselves; nulls are none. What nobody
 * here knows goes to OpenAI's dialects alone.
 *
 * @param of The dialect.
 * @param placeOf Where it puts a field; `undefined` for one that is not its own.
 */
export function readFields(
  body: Readonly<JsonObject>,
  of: string,
  placeOf: (field: string, value: unknown) => Place | undefined,
): Pick<TurnsRequest, "settings" | "shared" | "extra" | "others"> {
  const settings: JsonObject = {};
  const shared: JsonObject = {};
  const own: JsonObject = {};
  const others: OtherBlock[] = [];
  for (const field in body) {
    const value = body[field];
    if (value === null || value === undefined) continue;
    const place = placeOf(field, value);
    if (place === "read") continue;
    const [setting, isRight] = SETTINGS.get(field) ?? [];
    if (setting !== undefined && isRight!(value)) settings[setting] = value;
    else if (place === "own") own[field] = value;
    else if (PASSING.has(field)) shared[field] = value;
    else {
      const what = `'${field.slice(0, 64)}'`;
      const family = place === "needed" ? of : OPENAI.name;
      others.push({ type: "other", of: family, value: { [field]: value }, at: field, what });
    }
  }
  return {
    settings,
    shared: { of: OPENAI.name, fields: shared },
    extra: { of, fields: own },
    others,
  };
}

/** The settings under their names on the wire. */
export function settingFields(settings: Settings): JsonObject {
  const fields: JsonObject = {};
  for (const [field, [name]] of SETTINGS) {
    if (settings[name] !== undefined) fields[field] = settings[name];
  }
  return fields;
}

/** An upstream that is left to choose, and what it usually has. */
const USUAL: ReadonlySet<string> = new Set(CONDITIONS.serviceTier.usual);

/**
 * The tier that a body names, {@linkcode NO_TERMS} for the usual one and for what no price can name;
 * `undefined` where it names none, which says nothing of what serves.
 */
export function tierOf({ service_tier: tier }: Readonly<JsonObject>): Terms | undefined {
  if (typeof tier !== "string") return undefined;
  return USUAL.has(tier) || tier.length > MOST_TERM_CHARACTERS ? NO_TERMS : { serviceTier: tier };
}
