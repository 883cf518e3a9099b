/**
 * `POST /v1/toy/reverse`: what a chat model says to a text, backwards, paid by the character.
 *
 * @module
 */

import * as z from "zod";
import { answerFields } from "../../dialects/answer_facts.ts";
import { openaiChat } from "../../dialects/openai_chat/dialect.ts";
import { routingFields } from "../../dialects/routing_fields.ts";
import { serve } from "../../providers/serve.ts";
import { modelEndpoint } from "./shape/model_endpoint.ts";

const chat = serve("openai_chat");

/** See the module's text. */
export const createReverse = modelEndpoint({
  path: "/toy/reverse",
  id: "createReverse",
  summary: "What a model says to a text, backwards",
  dialect: {
    ...openaiChat,
    name: "toy_reverse",
    request: z.object({
      model: z.string(),
      text: z.string().min(1).max(1_000),
      ...routingFields,
    }),
    answer: z.object({ object: z.literal("reverse"), text: z.string(), ...answerFields }),
    facts: (request, stream) => ({
      ...openaiChat.facts(request, stream),
      asked: { character: charactersOf(request.body.messages) },
    }),
    writer: undefined,
  },
  forward: ({ text }) => ({ messages: [{ role: "user", content: text }] }),
  serving: {
    async answer(provider, call, signal) {
      const answer = await chat.answer(provider, call, signal);
      const { usage } = answer.body;
      const text = [...answer.text()].reverse().join("");
      return { ...answer, body: { object: "reverse", text, usage } };
    },
  },
});

function charactersOf(messages: unknown): number {
  const [{ content }] = messages as [{ content: string }];
  return [...content].length;
}
