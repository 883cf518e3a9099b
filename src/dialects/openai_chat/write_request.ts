/**
 * A request in the neutral form as a chat request.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import { OPENAI } from "../openai/family.ts";
import { settingFields } from "../openai/settings.ts";
import { ownExtra } from "../turns/extra.ts";
import { fieldsOf } from "../turns/refusals.ts";
import type { WriteOptions } from "../base/turns_format.ts";
import type { OutputFormat, TurnsRequest } from "../turns/turns_request.ts";
import { OPENAI_CHAT } from "./name.ts";
import { writeMessages } from "./write_messages.ts";
import { writeTools } from "./write_tools.ts";

/**
 * Writes a request.
 *
 * @throws {NotCarried} For what chat cannot do, by name.
 */
export function writeRequest(request: TurnsRequest, options: WriteOptions): JsonObject {
  const { format, verbosity, effort, logprobs, maxOutputTokens } = request;
  return {
    ...fieldsOf(request.others, [OPENAI_CHAT, OPENAI.name]),
    ...ownExtra(OPENAI.name, request.shared),
    ...ownExtra(OPENAI_CHAT, request.extra),
    ...settingFields(request.settings),
    model: request.model,
    messages: writeMessages(request, options),
    ...writeTools(request),
    ...(format !== undefined && { response_format: responseFormat(format) }),
    ...(verbosity !== undefined && { verbosity }),
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(logprobs !== undefined && {
      logprobs: true,
      ...(logprobs.top !== undefined && { top_logprobs: logprobs.top }),
    }),
    // Whoever sends it gives it the name that the upstream knows.
    ...(maxOutputTokens !== undefined && { max_completion_tokens: maxOutputTokens }),
  };
}

function responseFormat(format: OutputFormat): JsonObject {
  if (format.type === "json") return { type: "json_object" };
  const { type: _, ...schema } = format;
  return { type: "json_schema", json_schema: schema };
}
