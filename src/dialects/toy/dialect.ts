/**
 * A tiny line protocol: `{ "model", "say" }` in, lines of text out.
 *
 * @module
 */

import * as z from "zod";
import type { JsonObject } from "../../domain/json_value.ts";
import { completionTokens, promptTokens, type Work } from "../../domain/work.ts";
import { answerFields } from "../answer_facts.ts";
import type { Dialect, Family } from "../dialect.ts";
import { NO_MEDIA, promptSize } from "../prompt_size.ts";
import { modelField, routingFields } from "../routing_fields.ts";
import { ToyAnswerWriter } from "./answer_writer.ts";

const TOY: Family = {
  name: "toy",
  keyPlaces: [{ header: "x-toy-key", pattern: /^(\S+)$/, shown: "x-toy-key: sk-tg-…" }],
  errorSchema: z.object({ oops: z.string(), code: z.string().nullable() }),
  errorBody: ({ message, code }) => ({ oops: message, code }),
  rateLimits: {
    requests: { limit: "x-toy-most", remaining: "x-toy-left", reset: "x-toy-until" },
    tokens: {
      limit: "x-toy-most-tokens",
      remaining: "x-toy-left-tokens",
      reset: "x-toy-tokens-until",
    },
    writeReset: (milliseconds) => `${Math.ceil(milliseconds / 1000)}`,
  },
};

/** See the module's text. */
export const toy = {
  name: "toy",
  title: "the toy",
  family: TOY,
  capability: "chat",
  request: z.looseObject({
    model: modelField,
    say: z.string().min(1),
    stream: z.boolean().nullish(),
    ...routingFields,
  }),
  answer: z.looseObject({ said: z.string(), ...answerFields }),
  facts: ({ bodyBytes }, stream) => ({
    capability: "chat",
    stream,
    tools: false,
    vision: false,
    jsonSchema: false,
    images: 0,
    ...promptSize(bodyBytes, NO_MEDIA),
    maxOutputTokens: undefined,
    choices: 1,
  }),
  prompt: ({ say }) => ({ texts: [String(say)], otherTokens: 0 }),
  usageBody: tallyOf,
  writer: () => ({
    frame: ({ chunk }) => "line" in chunk ? `+${JSON.stringify(chunk.line)}\n` : "",
    tail: (facts) => `.${JSON.stringify(facts)}\n`,
    errorFrame: (error) => `!${JSON.stringify(TOY.errorBody(error))}\n\n`,
  }),
  callers: {
    readRequest: ({ model, say }) => ({
      model,
      instructions: [],
      turns: [{
        role: "user",
        blocks: [{ type: "text", text: String(say), at: "say" }],
        at: "say",
      }],
      tools: [],
      settings: {},
      shared: { of: "toy", fields: {} },
      extra: { of: "toy", fields: {} },
      others: [],
    }),
    answerWriter: () => new ToyAnswerWriter(tallyOf),
  },
} satisfies Dialect;

function tallyOf(work: Work): JsonObject {
  return { prompt_tokens: promptTokens(work), completion_tokens: completionTokens(work) };
}
