/**
 * The one place that puts a caller's dialect and a provider's together: what the
 * provider does not speak itself is converted into what it speaks.
 *
 * @module
 */

import type { Capability } from "../domain/capabilities.ts";
import type { Answer, AnswerStream } from "../dialects/answer.ts";
import { UpstreamError } from "../domain/upstream_error.ts";
import type { Dialect, Exchange, Provider, ProviderCall } from "./provider.ts";
import { ResponseEvents } from "./responses_over_chat/response_events.ts";
import { toChatCall } from "./responses_over_chat/to_chat_call.ts";
import { toResponse, type ToResponseOptions } from "./responses_over_chat/to_response.ts";

/** How a call in one dialect is put to any provider. */
export interface Serving {
  /** @throws {UpstreamError} */
  answer(provider: Provider, call: ProviderCall, signal: AbortSignal): Promise<Answer>;
  /** @throws {UpstreamError} */
  stream(provider: Provider, call: ProviderCall, signal: AbortSignal): Promise<AnswerStream>;
}

/**
 * Serves calls in a dialect by providers that {@linkcode withConversions} has completed. What the
 * provider itself speaks is asked of it as it is: nothing is added to that path.
 */
export function serve(dialect: Dialect): Serving {
  return {
    answer: (provider, call, signal) => exchangeOf(provider, dialect).answer(call, signal),
    stream: (provider, call, signal) => exchangeOf(provider, dialect).stream(call, signal),
  };
}

/** Serves calls of a capability that has one wire format. */
export function answerOf(capability: Capability): Serving["answer"] {
  return ({ id, answers }, call, signal) => {
    const ask = answers[capability];
    if (ask === undefined) throw lacking(id, capability);
    return ask(call, signal);
  };
}

function exchangeOf({ id, speaks }: Provider, dialect: Dialect): Exchange {
  const exchange = speaks[dialect];
  if (exchange === undefined) throw lacking(id, dialect);
  return exchange;
}

/** Planning leaves such routes out; the catalogue may have changed since. */
function lacking(id: string, what: string): UpstreamError {
  return new UpstreamError("operator", `Provider '${id}' serves no calls of ${what}`);
}

/** The provider with every dialect that can be made of what it speaks. Made once, not for each call. */
export function withConversions(provider: Provider, options: ToResponseOptions): Provider {
  const { openai_chat: chat, openai_responses: own } = provider.speaks;
  if (chat === undefined) return provider;
  const converted = responsesOverChat(chat, options);
  const openai_responses = own === undefined ? converted : ownWhereItIs(own, converted);
  return {
    id: provider.id,
    speaks: { ...provider.speaks, openai_responses },
    answers: provider.answers,
    videos: provider.videos,
    rendersFilms: provider.rendersFilms,
    check: (signal) => provider.check(signal),
    keyStates: () => provider.keyStates(),
    secretsChanged: () => provider.secretsChanged(),
  };
}

/** Of one account's models some may have an API that the others lack: the route says so. */
function ownWhereItIs(own: Exchange, converted: Exchange): Exchange {
  const { isOn } = own;
  if (isOn === undefined) return own;
  return {
    answer: (call, signal) => (isOn(call.route) ? own : converted).answer(call, signal),
    stream: (call, signal) => (isOn(call.route) ? own : converted).stream(call, signal),
  };
}

function responsesOverChat(chat: Exchange, options: ToResponseOptions): Exchange {
  return {
    async answer(call, signal) {
      return toResponse(await chat.answer(toChatCall(call), signal), call, options);
    },
    async stream(call, signal) {
      return new ResponseEvents(await chat.stream(toChatCall(call), signal), call, options);
    },
  };
}
