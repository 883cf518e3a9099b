/**
 * A provider of kind `gemini` with a fake upstream, asked as callers of each dialect ask it.
 *
 * @module
 */

import { createCompletionIds } from "../../../src/dialects/base/completion_ids.ts";
import type { Answer, AnswerEvent } from "../../../src/dialects/base/answer.ts";
import type { Provider as ProviderSettings, Route } from "../../../src/domain/catalogue.ts";
import { type Clock, systemClock } from "../../../src/domain/clock.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import type { Provider } from "../../../src/providers/contract/provider.ts";
import { createGemini } from "../../../src/providers/gemini/provider.ts";
import { serve, withConversions } from "../../../src/providers/serve.ts";
import { createTransport } from "../../../src/providers/transport/transport.ts";
import { type FakeUpstream, type Script, startFakeUpstream } from "../../support/fake_upstream.ts";
import {
  chatCall,
  chatRoute,
  never,
  providerSettings,
  readAll,
} from "../../support/provider_parts.ts";
import { SEALS } from "../../support/thought_seals.ts";

export const KEY = "AIza-studio-key-0123456789";

export interface Bench extends AsyncDisposable {
  readonly upstream: FakeUpstream;
  readonly provider: Provider;
  chat(body?: JsonObject, route?: Partial<Route>): Promise<Answer>;
  chatStream(body?: JsonObject, route?: Partial<Route>): Promise<AnswerEvent[]>;
  message(body?: JsonObject): Promise<Answer>;
  messageStream(body?: JsonObject): Promise<AnswerEvent[]>;
  /** The body of the last request. */
  sent(): JsonObject;
}

export interface BenchOptions {
  readonly script: Script;
  readonly settings?: Partial<ProviderSettings>;
  readonly clock?: Clock;
  readonly secrets?: (reference: string) => string | undefined;
}

const HELLO = { max_tokens: 100, messages: [{ role: "user", content: "Hello" }] };

/** A route to a model of the newest. */
export function geminiRoute(changes: Parameters<typeof chatRoute>[0] = {}): Route {
  return chatRoute({ upstreamModel: "gemini-3.1-pro", ...changes });
}

export async function bench(options: BenchOptions): Promise<Bench> {
  const { script, settings, clock = systemClock, secrets = () => KEY } = options;
  const upstream = await startFakeUpstream(script);
  const transport = createTransport({ clock });
  const provider = withConversions(
    createGemini(
      providerSettings({
        kind: "gemini",
        baseUrl: upstream.url.replace(/\/v1$/, ""),
        auth: { kind: "header", name: "x-goog-api-key" },
        ...settings,
      }),
      { transport, clock, random: Math.random, secrets },
    ),
    { clock, ids: createCompletionIds(Math.random), seals: SEALS },
  );
  const call = (body: JsonObject, route?: Partial<Route>) =>
    chatCall(body, { route: geminiRoute(route) });
  const chats = serve("openai_chat");
  const messages = serve("anthropic_messages");
  return {
    upstream,
    provider,
    chat: (body = {}, route) => chats.answer(provider, call(body, route), never()),
    chatStream: async (body = {}, route) =>
      await readAll(await chats.stream(provider, call({ ...body, stream: true }, route), never())),
    message: (body = {}) => messages.answer(provider, call({ ...HELLO, ...body }), never()),
    messageStream: async (body = {}) =>
      await readAll(
        await messages.stream(provider, call({ ...HELLO, ...body, stream: true }), never()),
      ),
    sent: () => upstream.requests.at(-1)!.json(),
    async [Symbol.asyncDispose]() {
      transport.close();
      await upstream.stop();
    },
  };
}
