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
import type { Conversation, Exchange, Provider, ProviderCall } from "../contract/provider.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import { createEcho } from "./echo.ts";
import { hashEmbed } from "./hash_embed.ts";
import type { BuiltinCall } from "./patience.ts";

/** What the gateway has in itself. */
export interface Builtin extends Provider {
  readonly speaks: { readonly openai_chat: Conversation; readonly openai_embeddings: Exchange };
}

const NAMES: readonly string[] = [BUILTIN_CHAT_MODEL, BUILTIN_EMBEDDING_MODEL];

/** Creates a provider of kind `builtin`. */
export function createBuiltin(
  settings: ProviderSettings,
  options: Pick<ProviderOptions, "clock" | "random">,
): Builtin {
  const echo = createEcho(options);

  /** @throws {UpstreamError} `operator` for another model than this one, or a fault that does not exist. */
  function begin(model: string, call: ProviderCall, signal: AbortSignal): BuiltinCall {
    const { upstreamModel } = call.route;
    const name = upstreamModel.split(":", 1)[0]!;
    const faults = faultsOf(upstreamModel);
    if (name !== model) throw unknownModel(name);
    return { call, faults, timeouts: settings.timeouts, signal };
  }

  // `async`, so that an unknown model rejects like every other failure.
  return {
    id: settings.id,
    rendersVideos: true,
    speaks: {
      openai_chat: {
        answer: async (...call) => await echo.answer(begin(BUILTIN_CHAT_MODEL, ...call)),
        stream: async (...call) => await echo.stream(begin(BUILTIN_CHAT_MODEL, ...call)),
      },
      openai_embeddings: {
        answer: async (...call) =>
          await hashEmbed(begin(BUILTIN_EMBEDDING_MODEL, ...call), options.clock),
      },
    },
    check: () =>
      Promise.resolve({
        ok: true,
        checked: true,
        detail:
          `${[...NAMES, BUILTIN_VIDEO_MODEL].join(", ")}: in the gateway itself, so nothing ` +
          "was asked; no film is rendered for a test",
        milliseconds: 0,
      }),
    keyStates: () => [],
    secretsChanged() {},
  };
}

function unknownModel(name: string): UpstreamError {
  return new UpstreamError(
    "operator",
    `Cannot call the built-in model '${name}': there is ${NAMES.join(", ")}`,
    { fault: "model" },
  );
}

function faultsOf(upstreamModel: string): ChatFaults {
  try {
    return parseChatFaults(upstreamModel);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UpstreamError("operator", error.message);
  }
}
