/**
 * The provider of Google's cloud: models of Google's and of Anthropic's, of one project in one place.
 *
 * @module
 */

import * as z from "zod";
import { createCompletionIds } from "../../dialects/base/completion_ids.ts";
import { GEMINI_ERRORS } from "../../dialects/gemini/read_error.ts";
import type { Provider as ProviderSettings, Route } from "../../domain/catalogue.ts";
import type { ProviderOptions } from "../contract/kind.ts";
import type { Provider } from "../contract/provider.ts";
import { embed } from "../gemini/embed.ts";
import { Generate } from "../gemini/generate.ts";
import { Images } from "../gemini/images/images.ts";
import { SAFETY_SETTINGS } from "../gemini/provider.ts";
import { Veo } from "../gemini/videos/veo.ts";
import { checkKeys } from "../upstream/check_keys.ts";
import type { ModelList } from "../upstream/model_list.ts";
import { Endpoint } from "../upstream/endpoint.ts";
import { readOwnSettings, secretReference } from "../upstream/settings.ts";
import { claudeOnVertex, isClaude } from "./claude.ts";
import { googleTokens } from "./google_tokens.ts";
import { vertexEmbedding, vertexFilms } from "./forms.ts";

/** What the catalogue file may say of such an upstream alone, by its keys there. */
export const OWN_SETTINGS = {
  project: z.string().regex(/^[a-z0-9][a-z0-9.:-]{3,100}$/, "Expected the id of a project")
    .optional()
    .describe("The project's id at Google; required for a vertex provider."),
  location: z.string().regex(/^[a-z0-9-]{2,40}$/, "Expected a location such as europe-west4")
    .default("global").describe(
      "Where its models are asked: a region such as europe-west4, us or eu, or global (default).",
    ),
  credentials: secretReference.optional().describe(
    "The key file of a service account, as JSON: file:/path, env:NAME or credential:NAME; required " +
      "for a vertex provider.",
  ),
  safety_settings: SAFETY_SETTINGS,
};

/** A few models of its catalogue, which say that the token is taken. */
const MODEL_LIST: ModelList = {
  path: "/v1beta1/publishers/google/models?pageSize=1",
  isPart: true,
  modelsIn: ({ publisherModels, models }) =>
    [publisherModels, models].find((list) => Array.isArray(list)) as unknown[] | undefined,
};

/**
 * Creates a provider of kind `vertex`.
 *
 * @throws {TypeError} When the settings say no project, or no credentials.
 */
export function createVertex(settings: ProviderSettings, options: ProviderOptions): Provider {
  const own = readOwnSettings(OWN_SETTINGS, settings);
  const { id } = settings;
  const { project, location, credentials } = own;
  if (project === undefined || credentials === undefined) {
    throw new TypeError(`Cannot create provider '${id}': project and credentials must be given`);
  }
  const authority = googleTokens(credentials, settings, options);
  const at = {
    ...settings,
    baseUrl: settings.baseUrl ?? addressOf(location),
    auth: { kind: "none" as const },
  };
  const place = `/projects/${encodeURIComponent(project)}/locations/${location}`;
  const endpoint = new Endpoint(at, { ...options, errors: GEMINI_ERRORS, authority });
  const modelPath = (model: string) =>
    `/v1beta1${place}/publishers/google/models/${encodeURIComponent(model)}`;
  const generate = new Generate(endpoint, {
    providerId: id,
    ids: createCompletionIds(options.random),
    pathOf: modelPath,
    countBody: ({ contents, systemInstruction, tools }) => ({ contents, systemInstruction, tools }),
    hasCallIds: false,
    safetySettings: own.safety_settings,
    isOn: (route: Route) => !isClaude(route),
  });
  const claude = claudeOnVertex(at, { ...options, authority }, place);
  const embedding = { endpoint, form: vertexEmbedding(modelPath) };
  return {
    id,
    speaks: {
      anthropic_messages: claude.conversation,
      gemini: generate,
      openai_embeddings: { answer: (call, signal) => embed(embedding, call, signal) },
      openai_images: new Images(endpoint, modelPath),
      openai_image_edits: new Images(endpoint, modelPath, "edit"),
    },
    counts: {
      anthropic_messages: { ask: claude.countTokens, isOn: isClaude },
      gemini: {
        ask: (call, signal) => generate.countTokens(call, signal),
        isOn: (route) => !isClaude(route),
      },
    },
    videos: new Veo(endpoint, vertexFilms(modelPath)),
    check: (signal) => checkKeys(endpoint, MODEL_LIST, signal),
    keyStates: () => endpoint.keys.states(),
    secretsChanged: () => endpoint.secretsChanged(),
  };
}

/** https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations */
function addressOf(location: string): string {
  switch (location) {
    case "global":
      return "https://aiplatform.googleapis.com";
    case "us":
    case "eu":
      return `https://aiplatform.${location}.rep.googleapis.com`;
    default:
      return `https://${location}-aiplatform.googleapis.com`;
  }
}
