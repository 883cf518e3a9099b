/**
 * OpenAI's Responses API: the conversation as a list of items.
 *
 * @module
 */

import type { Dialect } from "../base/dialect.ts";
import { OPENAI } from "../openai/family.ts";
import { ResponseAnswerWriter } from "./answer_writer.ts";
import { asksForCompaction } from "./compaction.ts";
import { SummaryWriter } from "./summary_writer.ts";
import { responseFacts, responsePrompt } from "./facts.ts";
import {
  OPENAI_RESPONSES,
  RESPONSE_WORDS,
  responseRequest,
  responseViewSchema,
} from "./schemas.ts";
import { readRequest } from "./read_request.ts";
import { ResponseWriter } from "./stream_writer.ts";
import { responseUsageBody } from "./response_head.ts";

export const openaiResponses: Dialect = {
  name: OPENAI_RESPONSES,
  title: "the Responses API",
  onRoutes: "'supports: { responses: true }' in the catalogue",
  family: OPENAI,
  capability: "responses",
  request: responseRequest,
  answer: responseViewSchema,
  words: RESPONSE_WORDS,
  facts: responseFacts,
  prompt: responsePrompt,
  usageBody: (usage) => responseUsageBody(usage),
  callers: {
    readRequest,
    answerWriter: (body, parts, events) => {
      const writer = new ResponseAnswerWriter(body, parts, events);
      if (!asksForCompaction(body)) return writer;
      const { ids, sealSummary: seal } = parts;
      if (seal === undefined) throw new TypeError("Nobody seals the summary that is asked for");
      return new SummaryWriter(writer, { ids, seal });
    },
  },
  writer: (_body, model) => new ResponseWriter({ model }),
};
