/**
 * An event of the Responses API as the gateway takes it.
 *
 * @module
 */

import type { AnswerEvent } from "../../../dialects/base/answer.ts";
import type { JsonObject } from "../../../domain/json_value.ts";

/** @param text What the model wrote in it. */
export function providerEvent(chunk: JsonObject, text = ""): AnswerEvent {
  return {
    chunk,
    text,
    thoughts: bringsThoughts(chunk) ? text.length : 0,
    usage: undefined,
    usageBody: undefined,
    finished: false,
    empty: false,
  };
}

/** Whether the text of an event is of thoughts, or of their summary. */
function bringsThoughts({ type }: JsonObject): boolean {
  return typeof type === "string" && type.startsWith("response.reasoning");
}
