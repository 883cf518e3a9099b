/**
 * The provider that is always there: models inside the gateway, which need no
 * network and no key.
 *
 * @module
 */

import type { Clock, Random } from "../../domain/clock.ts";
import type { Provider as ProviderSettings } from "../../domain/catalogue.ts";
import type { ChatFaults } from "../../domain/chat_faults.ts";
import { BUILTIN_CHAT_MODEL, parseChatFaults } from "../../domain/chat_faults.ts";
import { type Provider, type ProviderCall, UpstreamError } from "../provider.ts";
import type { BuiltinCall, BuiltinChatModel } from "./chat_model.ts";
import { createEcho } from "./echo.ts";

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

  function find(call: ProviderCall, signal: AbortSignal): [BuiltinChatModel, BuiltinCall] {
    const { upstreamModel } = call.route;
    const name = upstreamModel.split(":", 1)[0]!;
    const model = chatModels.get(name);
    if (model === undefined) {
      throw new UpstreamError(
        "operator",
        `Cannot call the built-in model '${name}': there is ${[...chatModels.keys()].join(", ")}`,
      );
    }
    const faults = faultsOf(upstreamModel);
    return [model, { call, faults, timeouts: settings.timeouts, signal }];
  }

  return {
    id: settings.id,
    videos: undefined,
    // `async`, so that an unknown model rejects like every other failure.
    async chat(call, signal) {
      const [model, builtinCall] = find(call, signal);
      return await model.chat(builtinCall);
    },
    async chatStream(call, signal) {
      const [model, builtinCall] = find(call, signal);
      return await model.chatStream(builtinCall);
    },
    check: () =>
      Promise.resolve({
        ok: true,
        checked: true,
        detail: [...chatModels.keys()].join(", "),
        milliseconds: 0,
      }),
  };
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
