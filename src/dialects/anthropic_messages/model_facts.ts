/**
 * What an upstream says of its models, in a catalogue file's words for what routes support.
 *
 * @module
 */

import { asCount, asObject, type JsonObject } from "../../domain/json_value.ts";
import { EFFORTS } from "../../domain/model_traits.ts";

/** Members of `supports`; nothing of what is not told: `capabilities` may be `null`. */
export function modelFacts(
  { capabilities, max_input_tokens, max_tokens }: JsonObject,
): Readonly<JsonObject> {
  const told = asObject(capabilities) ?? {};
  const schemas = isSupported(told.structured_outputs);
  const effort = asObject(told.effort);
  const most = EFFORTS.findLast((one) => isSupported(effort?.[one]) === true);
  const types = asObject(asObject(told.thinking)?.types);
  return Object.fromEntries(
    Object.entries({
      context_tokens: asCount(max_input_tokens),
      max_output_tokens: asCount(max_tokens),
      vision: isSupported(told.image_input),
      thinking: thinkingOf(isSupported(told.thinking), types),
      thinking_off: isSupported(types?.disabled),
      most_effort: most,
      schemas_by: schemas === undefined ? undefined : schemas ? "field" : "tool",
    }).filter(([, value]) => value !== undefined),
  );
}

function thinkingOf(thinks: boolean | undefined, types: JsonObject | undefined) {
  if (thinks === false) return "none";
  if (isSupported(types?.adaptive) === true) return "effort";
  return isSupported(types?.enabled) === true ? "budget" : undefined;
}

function isSupported(value: unknown): boolean | undefined {
  const supported = asObject(value)?.supported;
  return typeof supported === "boolean" ? supported : undefined;
}
