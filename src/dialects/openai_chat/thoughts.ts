/**
 * What a model writes before its answer, where that stands in fields of its own.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";

/**
 * The thoughts in a chat message or delta, under any of the names that vendors
 * have for them; "" for none.
 */
export function thoughtsOf(message: JsonObject): string {
  const { reasoning_content, reasoning } = message;
  if (typeof reasoning_content === "string" && reasoning_content !== "") return reasoning_content;
  return typeof reasoning === "string" ? reasoning : "";
}
