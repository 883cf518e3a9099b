/**
 * The provider of every upstream that speaks OpenAI's protocol. A vendor is
 * configuration only: base URL, authentication, headers, query, body rules.
 *
 * @module
 */

import type { Provider as ProviderSettings } from "../../domain/catalogue.ts";
import { createCompletionIds } from "../../dialects/base/completion_ids.ts";
import type { ProviderOptions } from "../kind.ts";
import { readOwnSettings } from "../own_settings.ts";
import type { Ask, Exchange, Provider } from "../provider.ts";
import type { VideoUpstream } from "../video_upstream.ts";
import { Chat } from "./chat.ts";
import { checkKeys, type ModelList } from "../upstream/check_keys.ts";
import { outputLimitField } from "./convert_request.ts";
import { embed } from "./embed.ts";
import { Endpoint } from "../upstream/endpoint.ts";
import { OPENAI_ERRORS } from "./error_body.ts";
import { createResponses } from "./responses/respond.ts";
import { OWN_SETTINGS } from "./settings.ts";
import { createVideoUpstream } from "./videos/video_upstream.ts";

const MODEL_LIST: ModelList = {
  path: "/models",
  // Some look-alikes have a name of their own for it.
  modelsIn: ({ data, models }) =>
    Array.isArray(data) ? data : Array.isArray(models) ? models : undefined,
};

/** What such an upstream has. */
export interface OpenAiCompatible extends Provider {
  readonly speaks: { readonly openai_chat: Exchange; readonly openai_responses: Exchange };
  readonly answers: { readonly embeddings: Ask };
  readonly videos: VideoUpstream;
}

/**
 * Creates a provider of kind `openai_compatible`.
 *
 * @throws {TypeError} When the settings have no usable base URL.
 */
export function createOpenAiCompatible(
  settings: ProviderSettings,
  options: ProviderOptions,
): OpenAiCompatible {
  const endpoint = new Endpoint(settings, { ...options, errors: OPENAI_ERRORS });
  const ids = createCompletionIds(options.random);
  const own = readOwnSettings(OWN_SETTINGS, settings);
  const limitField = own.output_limit_field ?? outputLimitField(endpoint.baseUrl);
  return {
    id: settings.id,
    speaks: {
      openai_chat: new Chat(endpoint, { ids, limitField }),
      openai_responses: createResponses(endpoint, ids),
    },
    answers: { embeddings: (call, signal) => embed(endpoint, call, signal) },
    videos: createVideoUpstream(endpoint, own.video_form),
    check: (signal) => checkKeys(endpoint, MODEL_LIST, signal),
    keyStates: () => endpoint.keys.states(),
    secretsChanged: () => endpoint.keys.lookUpAgain(),
  };
}
