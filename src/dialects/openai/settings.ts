/**
 * Settings of a request that OpenAI's dialects have alike.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { Settings } from "../turns/turns_request.ts";

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

/** Our name of a field that is a setting; `undefined` for others, and for a value that is none. */
export function settingOf(field: string, value: unknown): keyof Settings | undefined {
  const [name, isRight] = SETTINGS.get(field) ?? [];
  return isRight?.(value) === true ? name : undefined;
}

/** The settings under their names on the wire. */
export function settingFields(settings: Settings): JsonObject {
  const fields: JsonObject = {};
  for (const [field, [name]] of SETTINGS) {
    if (settings[name] !== undefined) fields[field] = settings[name];
  }
  return fields;
}
