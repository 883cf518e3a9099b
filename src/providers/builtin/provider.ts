/**
 * The provider that is always there: models inside the gateway, which need no
 * network and no key.
 *
 * @module
 */

import type { Clock, Random } from "../../domain/clock.ts";
import type { Provider as ProviderSettings } from "../../domain/catalogue.ts";
import type { ChatFaults } from "../../domain/chat_faults.ts";
import {
  BUILTIN_CHAT_MODEL,
  BUILTIN_EMBEDDING_MODEL,
  parseChatFaults,
} from "../../domain/chat_faults.ts";
import { BUILTIN_VIDEO_MODEL } from "@tollgate/render/faults";
import { createCompletionIds } from "../completion_ids.ts";
import type { Provider, ProviderCall } from "../provider.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import { ResponseEvents } from "../responses_over_chat/response_events.ts";
import { toChatCall } from "../responses_over_chat/to_chat_call.ts";
import { toResponse } from "../responses_over_chat/to_response.ts";
import type { BuiltinCall, BuiltinChatModel } from "./chat_model.ts";
import { createEcho } from "./echo.ts";
import { hashEmbed } from "./hash_embed/hash_embed.ts";

/** What built-in models need. */
export interface BuiltinOptions {
  readonly clock: Clock;
  readonly random: Random;
}

/** Creates a provider of kind `builtin`. */
export function createBuiltin(settings: ProviderSettings, options: BuiltinOptions): Provider {
  const chatModels: ReadonlyMap<string, BuiltinChatModel> = new Map([
    [BUILTIN_CHAT_MODEL, createEcho(options)],
  ]);

  const names = [...chatModels.keys(), BUILTIN_EMBEDDING_MODEL];

  function begin(call: ProviderCall, signal: AbortSignal): [name: string, BuiltinCall] {
    const { upstreamModel } = call.route;
    const name = upstreamModel.split(":", 1)[0]!;
    const faults = faultsOf(upstreamModel);
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
      if (name !== BUILTIN_EMBEDDING_MODEL) throw unknownModel(name, names);
      return await hashEmbed(builtinCall, options.clock);
    },
    check: () =>
      Promise.resolve({
        ok: true,
        checked: true,
        detail:
          `${[...names, BUILTIN_VIDEO_MODEL].join(", ")}: in the gateway itself, so nothing ` +
          "was asked; no film is rendered for a test",
        milliseconds: 0,
      }),
    keyStates: () => [],
    secretsChanged() {},
  };
  return provider;
}

function unknownModel(name: string, names: readonly string[]): UpstreamError {
  return new UpstreamError(
    "operator",
    `Cannot call the built-in model '${name}': there is ${names.join(", ")}`,
    { fault: "model" },
  );
}

/** @throws {UpstreamError} `operator` for a fault that does not exist. */
function faultsOf(upstreamModel: string): ChatFaults {
  try {
    return parseChatFaults(upstreamModel);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UpstreamError("operator", error.message);
  }
}
