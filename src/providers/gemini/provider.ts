/**
 * The provider of Google's models by a key of AI Studio.
 *
 * @module
 */

import * as z from "zod";
import { createCompletionIds } from "../../dialects/base/completion_ids.ts";
import { GEMINI_ERRORS } from "../../dialects/gemini/read_error.ts";
import { boundedList } from "../../documents/bounded.ts";
import type { Provider as ProviderSettings } from "../../domain/catalogue.ts";
import type { ProviderOptions } from "../contract/kind.ts";
import type { Conversation, Exchange, Provider } from "../contract/provider.ts";
import type { VideoUpstream } from "../contract/video_upstream.ts";
import { checkKeys } from "../upstream/check_keys.ts";
import type { ModelList } from "../upstream/model_list.ts";
import { listModels } from "../upstream/list_models.ts";
import { Endpoint } from "../upstream/endpoint.ts";
import { readOwnSettings } from "../upstream/settings.ts";
import { embed, studioForm } from "./embed.ts";
import { Generate } from "./generate.ts";
import { Images } from "./images/images.ts";
import { studioForm as veoForm, Veo } from "./videos/veo.ts";

const ADDRESS = "https://generativelanguage.googleapis.com";
const VERSION = "/v1beta";

/** As Google writes them. */
export const SAFETY_SETTINGS = boundedList(
  z.strictObject({
    category: z.string().regex(/^HARM_CATEGORY_[A-Z_]{1,64}$/).describe(
      "HARM_CATEGORY_HARASSMENT, _HATE_SPEECH, _SEXUALLY_EXPLICIT, _DANGEROUS_CONTENT or another.",
    ),
    threshold: z.enum([
      "OFF",
      "BLOCK_NONE",
      "BLOCK_ONLY_HIGH",
      "BLOCK_MEDIUM_AND_ABOVE",
      "BLOCK_LOW_AND_ABOVE",
    ]).describe("From which likelihood on it is blocked; OFF switches the filter off."),
  }),
  { most: 32 },
).optional().describe(
  "What Google's own filters let through, as its API has it. A route has its own by " +
    "set: { safetySettings: … }. Default: Google's.",
);

/** What the catalogue file may say of such an upstream alone, by its keys there. */
export const OWN_SETTINGS = { safety_settings: SAFETY_SETTINGS };

/** The first of its models, which says whether the key is taken. */
const MODEL_LIST: ModelList = {
  path: "/models?pageSize=1",
  wholePath: "/models?pageSize=1000",
  isPart: true,
  modelsIn: ({ models }) => Array.isArray(models) ? models : undefined,
};

/** What such an upstream has. */
export interface Gemini extends Provider {
  readonly speaks: {
    readonly gemini: Conversation;
    readonly openai_embeddings: Exchange;
    readonly openai_images: Conversation;
    readonly openai_image_edits: Conversation;
  };
  readonly videos: VideoUpstream;
}

/** Where a model is: a name, or one with what it is before it, such as `tunedModels/mine`. */
export function modelPath(model: string): string {
  const parts = model.split("/").map(encodeURIComponent);
  return parts.length === 1 ? `/models/${parts[0]}` : `/${parts.join("/")}`;
}

/**
 * Creates a provider of kind `gemini`.
 *
 * @throws {TypeError} When the settings have no usable base URL.
 */
export function createGemini(settings: ProviderSettings, options: ProviderOptions): Gemini {
  const own = readOwnSettings(OWN_SETTINGS, settings);
  const { baseUrl = ADDRESS } = settings;
  const endpoint = new Endpoint({
    ...settings,
    // Its own clients leave the version out of the address.
    baseUrl: /\/v\d+[a-z]*\d*\/*$/.test(baseUrl) ? baseUrl : baseUrl + VERSION,
  }, { ...options, errors: GEMINI_ERRORS });
  const embedding = { endpoint, form: studioForm(modelPath) };
  const generate = new Generate(endpoint, {
    providerId: settings.id,
    ids: createCompletionIds(options.random),
    pathOf: modelPath,
    countBody: (body, model) => ({
      generateContentRequest: { model: modelPath(model).slice(1), ...body },
    }),
    hasCallIds: true,
    safetySettings: own.safety_settings,
  });
  return {
    id: settings.id,
    speaks: {
      gemini: generate,
      openai_embeddings: { answer: (call, signal) => embed(embedding, call, signal) },
      openai_images: new Images(endpoint, modelPath),
      openai_image_edits: new Images(endpoint, modelPath, "edit"),
    },
    counts: { gemini: { ask: (call, signal) => generate.countTokens(call, signal) } },
    videos: new Veo(endpoint, veoForm(endpoint.baseUrl, modelPath)),
    check: (signal) => checkKeys(endpoint, MODEL_LIST, signal),
    listModels: (signal) => listModels(endpoint, MODEL_LIST, signal),
    keyStates: () => endpoint.keys.states(),
    secretsChanged: () => endpoint.secretsChanged(),
  };
}
