/**
 * Settings, routes and calls for tests of providers, complete with defaults.
 *
 * @module
 */

import { type Clock, systemClock } from "../../src/domain/clock.ts";
import {
  type BodyRules,
  DEFAULT_TIMEOUTS,
  type Provider as ProviderSettings,
  type ProviderTimeouts,
  type Route,
} from "../../src/domain/catalogue.ts";
import {
  createOpenAiCompatible,
  type OpenAiCompatible,
} from "../../src/providers/openai_compatible/provider.ts";
import type { ProviderCall } from "../../src/providers/contract/provider.ts";
import type { AnswerEvent, AnswerStream } from "../../src/dialects/base/answer.ts";
import { UpstreamError } from "../../src/domain/upstream_error.ts";
import type { JsonObject } from "../../src/domain/json_value.ts";
import type { Transport } from "../../src/providers/transport/contract.ts";
import { createTransport } from "../../src/providers/transport/transport.ts";

/** The key that {@linkcode openAiCompatible} sends unless told otherwise. */
export const TEST_KEY = "upstream-key-0123456789";

/** Settings of a provider. */
export function providerSettings(changes: Partial<ProviderSettings> = {}): ProviderSettings {
  return {
    id: "acme",
    kind: "openai_compatible",
    baseUrl: "http://127.0.0.1:1/v1",
    apiKeys: ["env:ACME_KEY"],
    auth: { kind: "bearer" },
    official: true,
    headers: {},
    query: {},
    timeouts: DEFAULT_TIMEOUTS,
    ...changes,
  };
}

/** Time limits: the defaults, with some changed. */
export function timeouts(changes: Partial<ProviderTimeouts>): ProviderTimeouts {
  return { ...DEFAULT_TIMEOUTS, ...changes };
}

/** A route; body rules may be given in part. */
export function chatRoute(
  changes: Partial<Omit<Route, "body">> & { readonly body?: Partial<BodyRules> } = {},
): Route {
  const { body, ...rest } = changes;
  return {
    id: "acme/model",
    modelId: "model",
    providerId: "acme",
    upstreamModel: "upstream-model",
    riskLevel: "low",
    priority: 0,
    weight: 1,
    enabled: true,
    maintenance: false,
    supports: {},
    limits: {},
    prices: {
      version: 1,
      routeId: "acme/model",
      currency: "USD",
      cost: undefined,
      sale: { kind: "free" },
    },
    video: undefined,
    ...rest,
    body: { set: {}, default: {}, drop: [], ...body },
  };
}

/** A call with one user message. */
export function chatCall(
  body: JsonObject = {},
  options: { route?: Route; outputTokensCap?: number } = {},
): ProviderCall {
  return {
    route: options.route ?? chatRoute(),
    body: { model: "model", messages: [{ role: "user", content: "Hello" }], ...body },
    outputTokensCap: options.outputTokensCap,
  };
}

/** A provider against an upstream. */
export function openAiCompatible(
  baseUrl: string,
  options: {
    settings?: Partial<ProviderSettings>;
    secrets?: (reference: string) => string | undefined;
    clock?: Clock;
    transport?: Transport;
    random?: () => number;
  } = {},
): OpenAiCompatible {
  const clock = options.clock ?? systemClock;
  return createOpenAiCompatible(providerSettings({ baseUrl, ...options.settings }), {
    transport: options.transport ?? createTransport({ clock }),
    secrets: options.secrets ?? (() => TEST_KEY),
    clock,
    random: options.random ?? Math.random,
  });
}

/** A signal that is never aborted. */
export function never(): AbortSignal {
  return new AbortController().signal;
}

/** Every event until the proper end. */
export async function readAll(stream: AnswerStream): Promise<AnswerEvent[]> {
  const events: AnswerEvent[] = [];
  while (true) {
    const more = await stream.next();
    if (more === undefined) return events;
    events.push(...more);
  }
}

/** Every event until the failure that must come. */
export async function readUntilFailure(
  stream: AnswerStream,
): Promise<{ events: AnswerEvent[]; error: UpstreamError }> {
  const events: AnswerEvent[] = [];
  while (true) {
    try {
      const more = await stream.next();
      if (more === undefined) throw new Error("The stream ended properly");
      events.push(...more);
    } catch (error) {
      if (error instanceof UpstreamError) return { events, error };
      throw error;
    }
  }
}

/** The {@linkcode UpstreamError} that a promise must reject with. */
export async function failureOf(promise: Promise<unknown>): Promise<UpstreamError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof UpstreamError) return error;
    throw error;
  }
  throw new Error("Nothing failed");
}

/** A chunk as OpenAI sends it. */
export function chunk(fields: JsonObject = {}, choice?: JsonObject): JsonObject {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "upstream-model",
    choices: choice === undefined ? [] : [{ index: 0, delta: {}, finish_reason: null, ...choice }],
    ...fields,
  };
}

/** A chunk with text. */
export function textChunk(content: string, finishReason: string | null = null): JsonObject {
  return chunk({}, { delta: { content }, finish_reason: finishReason });
}

/** A complete answer as OpenAI sends it. */
export function completion(fields: JsonObject = {}): JsonObject {
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "upstream-model",
    choices: [{
      index: 0,
      message: { role: "assistant", content: "Hi", refusal: null },
      logprobs: null,
      finish_reason: "stop",
    }],
    usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
    ...fields,
  };
}
