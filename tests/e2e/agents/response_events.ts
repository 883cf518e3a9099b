/**
 * The events of a streamed Response, as they came.
 *
 * @module
 */

import type { JsonObject } from "../../../src/domain/json_value.ts";

/** Every event's object, comments left out; of an answer that is no stream the body itself. */
export function responseEvents(text: string): readonly JsonObject[] {
  if (text.startsWith("{")) return [JSON.parse(text)];
  return text.split("\n").filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)));
}
