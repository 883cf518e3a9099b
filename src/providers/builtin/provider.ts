/**
 * The provider that is always there: models inside the gateway, which need no
 * network and no key.
 *
 * @module
 */

import type { Provider as ProviderSettings } from "../../domain/catalogue.ts";
import type { ChatFaults } from "../../domain/chat_faults.ts";
import {
  BUILTIN_CHAT_MODEL,
  BUILTIN_EMBEDDING_MODEL,
  parseChatFaults,
} from "../../domain/chat_faults.ts";
import { BUILTIN_VIDEO_MODEL } from "@tollgate/render/faults";
import type { ProviderOptions } from "../contract/kind.ts";
import type { Ask, Exchange, Provider, ProviderCall } from "../contract/provider.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { BuiltinCall, BuiltinChatModel } from "./chat_model.ts";
import { createEcho } from "./echo.ts";
import { hashEmbed } from "./hash_embed.ts";

/** What the gateway has in itself. */
export interface Builtin extends Provider {
  readonly speaks: { readonly openai_chat: Exchange };
  readonly answers: { readonly embeddings: Ask };
}

/** Creates a provider of kind `builtin`. */
export function createBuiltin(
  settings: ProviderSettings,
  options: Pick<ProviderOptions, "clock" | "random">,
): Builtin {
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

  return {
    id: settings.id,
    rendersFilms: true,
    speaks: {
      openai_chat: {
        // `async`, so that an unknown model rejects like every other failure.
        async answer(call, signal) {
          const [model, builtinCall] = chatModel(call, signal);
          return await model.chat(builtinCall);
        },
        async stream(call, signal) {
          const [model, builtinCall] = chatModel(call, signal);
          return await model.chatStream(builtinCall);
        },
      },
    },
    answers: {
      async embeddings(call, signal) {
        const [name, builtinCall] = begin(call, signal);
        if (name !== BUILTIN_EMBEDDING_MODEL) throw unknownModel(name, names);
        return await hashEmbed(builtinCall, options.clock);
      },
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
