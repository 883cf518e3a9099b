/**
 * The provider of every upstream that speaks OpenAI's protocol. A vendor is
 * configuration only: base URL, authentication, headers, query, body rules.
 *
 * @module
 */

import * as z from "zod";
import { CHAT_LIMIT_FIELDS } from "../../dialects/openai_chat/schemas.ts";
import type { Provider as ProviderSettings } from "../../domain/catalogue.ts";
import { createCompletionIds } from "../../dialects/base/completion_ids.ts";
import type { ProviderOptions } from "../contract/kind.ts";
import type { Conversation, Exchange, Provider } from "../contract/provider.ts";
import type { VideoUpstream } from "../contract/video_upstream.ts";
import { Chat, type ChatOptions } from "./chat/chat.ts";
import { checkKeys } from "../upstream/check_keys.ts";
import type { ModelList } from "../upstream/model_list.ts";
import { outputLimitField } from "./chat/convert_request.ts";
import { embed } from "./embed.ts";
import { createOthers, speaker, upstreamPaths } from "./other/others.ts";
import { listModels } from "../upstream/list_models.ts";
import { Endpoint, type EndpointWays } from "../upstream/endpoint.ts";
import { OPENAI_ERRORS } from "../../dialects/openai/read_error.ts";
import { createCompacting, createInputCounting } from "./responses/beside_answers.ts";
import { createResponses } from "./responses/respond.ts";
import { readOwnSettings } from "../upstream/settings.ts";
import { DEFAULT_VIDEO_FORM, VIDEO_FORMS } from "./videos/form_memory.ts";
import { OpenAiVideos } from "./videos/video_upstream.ts";

/** Where such upstreams list their models. */
export const OPENAI_MODEL_LIST: ModelList = {
  path: "/models",
  // Some look-alikes have a name of their own for it.
  modelsIn: ({ data, models }) =>
    Array.isArray(data) ? data : Array.isArray(models) ? models : undefined,
};

/** What the catalogue file may say of such an upstream alone, by its keys there. */
export const OWN_SETTINGS = {
  video_form: z.enum(VIDEO_FORMS).default(DEFAULT_VIDEO_FORM).describe(
    "How videos are created: multipart (OpenAI, vLLM-Omni) or json (SGLang Diffusion). " +
      "When an upstream refuses the one, the other is tried by itself, once, and remembered.",
  ),
  output_limit_field: z.enum(CHAT_LIMIT_FIELDS).optional().describe(
    "The name under which the upstream knows the output limit of a chat; a caller's limit is sent " +
      "under it, whichever name the caller used. Default: max_completion_tokens at OpenAI's and " +
      "Azure's own hosts, max_tokens elsewhere.",
  ),
  paths: upstreamPaths,
};

/** What an API of OpenAI's form has. */
export interface OpenAiExchanges {
  readonly openai_chat: Conversation;
  readonly openai_responses: Conversation;
  readonly openai_embeddings: Exchange;
}

/** What such an upstream has. */
export interface OpenAiCompatible extends Provider {
  readonly speaks: OpenAiExchanges & Partial<ReturnType<typeof createOthers>>;
  readonly videos: VideoUpstream;
}

/** The exchanges of an API of OpenAI's form, wherever it is. */
export function openAiExchanges(endpoint: Endpoint, options: ChatOptions): OpenAiExchanges {
  return {
    openai_chat: new Chat(endpoint, options),
    openai_responses: createResponses(endpoint, options.ids),
    openai_embeddings: { answer: (call, signal) => embed(endpoint, call, signal) },
  };
}

/**
 * Creates a provider of kind `openai_compatible`.
 *
 * @param ways Those of another vendor that offers the same API.
 * @throws {TypeError} When the settings have no usable base URL.
 */
export function createOpenAiCompatible(
  settings: ProviderSettings,
  options: ProviderOptions,
  ways: EndpointWays = {},
): OpenAiCompatible {
  const endpoint = new Endpoint(settings, { ...options, errors: OPENAI_ERRORS, ...ways });
  const ids = createCompletionIds(options.random);
  const own = readOwnSettings(OWN_SETTINGS, settings);
  const limitField = own.output_limit_field ?? outputLimitField(endpoint.baseUrl);
  return {
    id: settings.id,
    speaks: {
      ...openAiExchanges(endpoint, { ids, limitField }),
      ...createOthers(endpoint, { ids, paths: own.paths }),
    },
    counts: { openai_responses: createInputCounting(endpoint) },
    compacts: createCompacting(endpoint),
    speak: speaker(endpoint, { paths: own.paths }),
    videos: new OpenAiVideos(endpoint, own.video_form),
    check: (signal) => checkKeys(endpoint, OPENAI_MODEL_LIST, signal),
    listModels: (signal) => listModels(endpoint, OPENAI_MODEL_LIST, signal),
    keyStates: () => endpoint.keys.states(),
    secretsChanged: () => endpoint.secretsChanged(),
  };
}
