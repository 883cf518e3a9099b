/**
 * The provider that is always there: models inside the gateway, which need no
 * network and no key.
 *
 * @module
 */

import type { Clock, Random } from "../../domain/clock.ts";
import type { Provider as ProviderSettings } from "../../domain/catalogue.ts";
import { createCompletionIds } from "../completion_ids.ts";
import { type Provider, type ProviderCall, UpstreamError } from "../provider.ts";
import { ResponseEvents } from "../responses_over_chat/response_events.ts";
import { toChatCall } from "../responses_over_chat/to_chat_call.ts";
import { toResponse } from "../responses_over_chat/to_response.ts";
import type { BuiltinCall, BuiltinChatModel } from "./chat_model.ts";
import { createEcho } from "./echo.ts";
import { NO_FAULTS, parseFaults } from "./faults.ts";
import { HASH_EMBED, hashEmbed } from "./hash_embed/hash_embed.ts";

/** What built-in models need. */
export interface BuiltinOptions {
  readonly clock: Clock;
  readonly random: Random;
}

/** Creates a provider of kind `builtin`. */
export function createBuiltin(settings: ProviderSettings, options: BuiltinOptions): Provider {
  const chatModels: ReadonlyMap<string, BuiltinChatModel> = new Map([
    ["echo-1", createEcho(options)],
  ]);

  const names = [...chatModels.keys(), HASH_EMBED];

  function begin(call: ProviderCall, signal: AbortSignal): [name: string, BuiltinCall] {
    const { upstreamModel } = call.route;
    const colon = upstreamModel.indexOf(":");
    const name = colon < 0 ? upstreamModel : upstreamModel.slice(0, colon);
    const faults = colon < 0 ? NO_FAULTS : parseFaults(upstreamModel.slice(colon + 1));
    return [name, { call, faults, timeouts: settings.timeouts, signal }];
  }

  function chatModel(call: ProviderCall, signal: AbortSignal): [BuiltinChatModel, BuiltinCall] {
    const [name, builtinCall] = begin(call, signal);
    const model = chatModels.get(name);
    if (model === undefined) throw unknownModel(name, names);
    return [model, builtinCall];
  }

  const conversion = { clock: options.clock, ids: createCompletionIds(options.random) };

  const provider: Provider = {
    id: settings.id,
    videos: undefined,
    // `async`, so that an unknown model rejects like every other failure.
    async chat(call, signal) {
      const [model, builtinCall] = chatModel(call, signal);
      return await model.chat(builtinCall);
    },
    async chatStream(call, signal) {
      const [model, builtinCall] = chatModel(call, signal);
      return await model.chatStream(builtinCall);
    },
    async respond(call, signal) {
      return toResponse(await provider.chat(toChatCall(call), signal), call, conversion);
    },
    async respondStream(call, signal) {
      const chat = await provider.chatStream(toChatCall(call), signal);
      return new ResponseEvents(chat, call, conversion);
    },
    async embed(call, signal) {
      const [name, builtinCall] = begin(call, signal);
      if (name !== HASH_EMBED) throw unknownModel(name, names);
      return await hashEmbed(builtinCall, options.clock);
    },
    check: () => Promise.resolve({ ok: true, detail: names.join(", "), milliseconds: 0 }),
  };
  return provider;
}

function unknownModel(name: string, names: readonly string[]): UpstreamError {
  return new UpstreamError(
    "operator",
    `Cannot call the built-in model '${name}': there is ${names.join(", ")}`,
  );
}
