/**
 * OpenAI's Responses API: the conversation as a list of items.
 *
 * @module
 */

import type { Dialect } from "../dialect.ts";
import { OPENAI } from "../openai/family.ts";
import { responseFacts, responsePrompt } from "./facts.ts";
import { responseRequest } from "./request.ts";
import { ResponseWriter } from "./stream_writer.ts";
import { responseUsageBody } from "./usage_body.ts";
import { responseViewSchema } from "./view.ts";

/** See the module's text. */
export const openaiResponses: Dialect = {
  name: "openai_responses",
  family: OPENAI,
  capability: "responses",
  request: responseRequest,
  answer: responseViewSchema,
  facts: responseFacts,
  prompt: responsePrompt,
  usageBody: (usage) => responseUsageBody(usage),
  writer: (_body, model) => new ResponseWriter({ model }),
};
