/**
 * Which events of the Responses API bring thoughts.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";

/** Whether the text of an event is of thoughts, or of their summary. */
export function bringsThoughts({ type }: JsonObject): boolean {
  return typeof type === "string" && type.startsWith("response.reasoning");
}
