/**
 * What a chat request needs that only upstreams of this dialect have.
 *
 * @module
 */

import { asArray, type JsonObject } from "../../domain/json_value.ts";
import type { RequestFacts } from "../../domain/request_facts.ts";

/** Fields without which an answer would be another one, unless they ask for what every answer is. */
export const OWN_FIELDS = ["n", "modalities", "audio", "web_search_options"] as const;

/** Whether one of them asks for what every answer is. */
export function isPlain(field: string, value: unknown): boolean {
  switch (field) {
    case "n":
      return value === 1;
    case "modalities":
      return asArray(value).every((one) => one === "text");
    default:
      return false;
  }
}

/** The first of them, which decides about a route. */
export function ownNeed(body: Readonly<JsonObject>): RequestFacts["ownOnly"] {
  for (const field of OWN_FIELDS) {
    const value = body[field];
    if (value === undefined || value === null || isPlain(field, value)) continue;
    return { dialect: "openai_chat", what: field === "n" ? "'n' of more than 1" : `'${field}'` };
  }
  return undefined;
}
