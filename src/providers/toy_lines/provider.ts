/**
 * Makes providers of the toy kind. It speaks chat by asking in lines.
 *
 * @module
 */

import * as z from "zod";
import type { Answer, AnswerStream } from "../../dialects/answer.ts";
import { createCompletionIds } from "../../dialects/completion_ids.ts";
import { usageBody } from "../../dialects/openai/normalise_usage.ts";
import type { Provider as ProviderSettings } from "../../domain/catalogue.ts";
import { asArray, isObject } from "../../domain/json_value.ts";
import { applyRules, dropFields } from "../body_rules.ts";
import type { ProviderOptions } from "../kind.ts";
import { readOwnSettings } from "../own_settings.ts";
import type { Provider, ProviderCall } from "../provider.ts";
import { checkKeys } from "../upstream/check_keys.ts";
import { Endpoint } from "../upstream/endpoint.ts";
import { openEventStream, type StreamMedia } from "../upstream/open_event_stream.ts";
import { LineParser } from "./line_parser.ts";
import { LineReader, TOY_ERRORS } from "./line_reader.ts";

/** By their keys in the file. */
export const OWN_SETTINGS = {
  toy_mood: z.enum(["calm", "lively"]).default("calm").describe("How the toy talks."),
};

const LINES: StreamMedia = {
  accept: "application/x-toy-lines",
  type: /^application\/x-toy-lines\b/i,
  framing: (onEvent) => new LineParser(onEvent),
};

/** Creates a provider of kind `toy_lines`. */
export function createToyLines(settings: ProviderSettings, options: ProviderOptions): Provider {
  const endpoint = new Endpoint(settings, { ...options, errors: TOY_ERRORS });
  const { toy_mood: mood } = readOwnSettings(OWN_SETTINGS, settings);
  const ids = createCompletionIds(options.random);

  async function talk(
    call: ProviderCall,
    signal: AbortSignal,
  ): Promise<[AnswerStream, LineReader]> {
    const model = call.route.upstreamModel;
    const created = Math.floor(options.clock.now() / 1000);
    const reader = new LineReader({ id: ids.completion(), created, model }, endpoint.concealed);
    const stream = await openEventStream(endpoint, {
      path: "/talk",
      body: JSON.stringify({ mood, model, ...linesOf(call) }),
      reader,
      media: LINES,
      room: call.room,
      signal,
    });
    return [stream, reader];
  }

  return {
    id: settings.id,
    speaks: {
      openai_chat: {
        async answer(call, signal) {
          const [stream, reader] = await talk(call, signal);
          while (await stream.next() !== undefined);
          return answerOf(reader, call);
        },
        async stream(call, signal) {
          return (await talk(call, signal))[0];
        },
      },
    },
    answers: {},
    check: (signal) =>
      checkKeys(endpoint, {
        path: "/voices",
        modelsIn: ({ voices }) => Array.isArray(voices) ? voices : undefined,
      }, signal),
    keyStates: () => endpoint.keys.states(),
    secretsChanged: () => endpoint.keys.lookUpAgain(),
  };

  function answerOf({ said, usage }: LineReader, { route }: ProviderCall): Answer {
    const message = { role: "assistant", content: said, refusal: null };
    return {
      body: {
        id: ids.completion(),
        object: "chat.completion",
        created: Math.floor(options.clock.now() / 1000),
        model: route.upstreamModel,
        choices: [{ index: 0, message, logprobs: null, finish_reason: "stop" }],
        ...(usage !== undefined && { usage: usageBody(usage) }),
      },
      usage,
      text: () => said,
    };
  }
}

/** The conversation as lines, and how much may be said. */
function linesOf({ body: asked, route, outputTokensCap }: ProviderCall) {
  const body = { ...asked };
  applyRules(body, route.body);
  dropFields(body, route.body);
  const lines = asArray(body.messages).filter(isObject)
    .map(({ role, content }) => `${role}: ${typeof content === "string" ? content : ""}`);
  return { lines, most: outputTokensCap };
}
