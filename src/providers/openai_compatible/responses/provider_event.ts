/**
 * An event of the Responses API as the gateway takes it.
 *
 * @module
 */

import type { AnswerEvent } from "../../../dialects/answer.ts";
import type { JsonObject } from "../../../domain/json_value.ts";
import { bringsThoughts } from "../../../dialects/openai_responses/thoughts.ts";

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
