/**
 * The form of an answer in words for the model, where an upstream has no field for it.
 *
 * @module
 */

import type { OutputFormat } from "./turns_request.ts";

const JSON_WORDS = "Answer with one JSON object, and with nothing before or after it.";

/** What it is told. */
export function wordsOfFormat(format: OutputFormat): string {
  return format.type === "json"
    ? JSON_WORDS
    : `${JSON_WORDS} It has this JSON schema: ${JSON.stringify(format.schema)}`;
}
