/**
 * The provider of Azure OpenAI: OpenAI's API below a resource's address, or, of old, below each of its
 * deployments.
 *
 * @module
 */

import * as z from "zod";
import { createCompletionIds } from "../../dialects/base/completion_ids.ts";
import type { Provider as ProviderSettings, Route } from "../../domain/catalogue.ts";
import type { ProviderOptions } from "../contract/kind.ts";
import type { Conversation, Exchange } from "../contract/provider.ts";
import {
  OPENAI_MODEL_LIST,
  type OpenAiCompatible,
  openAiExchanges,
  OWN_SETTINGS as OPENAI_SETTINGS,
} from "../openai_compatible/provider.ts";
import { createOthers, speaker } from "../openai_compatible/other/others.ts";
import { OpenAiVideos } from "../openai_compatible/videos/video_upstream.ts";
import { checkKeys } from "../upstream/check_keys.ts";
import { listModels } from "../upstream/list_models.ts";
import { Endpoint } from "../upstream/endpoint.ts";
import { readOwnSettings, secretReference } from "../upstream/settings.ts";
import { AZURE_ERRORS } from "./errors.ts";
import { entraTokens } from "./entra_tokens.ts";
import { unknownDeployments } from "./unknown_deployments.ts";

/** Of the old addresses, which have to name one. */
const OLD_VERSION = "2024-10-21";

const plainText = z.string().regex(/^[\x21-\x7e]{1,512}$/, "Expected text without spaces");

/** What the catalogue file may say of such an upstream alone, by its keys there. */
export const OWN_SETTINGS = {
  ...OPENAI_SETTINGS,
  azure_paths: z.enum(["v1", "deployments"]).default("v1").describe(
    "v1: OpenAI's paths below the resource. deployments: the older ones, below each deployment.",
  ),
  api_version: z.string().regex(/^[\w.-]{1,64}$/, "Expected a version such as 2024-10-21")
    .optional().describe(
      "The query parameter api-version. Default: none with azure_paths v1 (preview for what is in " +
        `preview), ${OLD_VERSION} with deployments.`,
    ),
  entra: z.strictObject({
    tenant: plainText.describe("Its id or domain, or a reference to it."),
    client_id: plainText.describe("The application's id, or a reference to it."),
    client_secret: secretReference.describe("env:NAME, file:/path or credential:NAME."),
    authority: z.url({ protocol: /^https?$/ }).default("https://login.microsoftonline.com")
      .describe("Where tokens are had from."),
    scope: plainText.default("https://cognitiveservices.azure.com/.default").describe(
      "What they are for.",
    ),
  }).optional().describe(
    "The application that asks Microsoft Entra ID for tokens, which take the place of keys. " +
      "Default: none, and keys are sent.",
  ),
};

/**
 * Creates a provider of kind `azure`.
 *
 * @throws {TypeError} When the settings have no usable base URL.
 */
export function createAzure(
  settings: ProviderSettings,
  options: ProviderOptions,
): OpenAiCompatible {
  const own = readOwnSettings(OWN_SETTINGS, settings);
  const isOld = own.azure_paths === "deployments";
  const version = own.api_version ?? (isOld ? OLD_VERSION : undefined);
  const authority = own.entra && entraTokens(own.entra, settings, options);
  const query = { ...(version !== undefined && { "api-version": version }), ...settings.query };
  const parts = { ...options, errors: AZURE_ERRORS, authority };
  const baseUrl = addressOf(settings.baseUrl, own.azure_paths);
  const endpoint = new Endpoint({ ...settings, baseUrl, query }, parts);
  const ways: Ways = {
    ids: createCompletionIds(options.random),
    limitField: own.output_limit_field ?? "max_completion_tokens",
    paths: own.paths,
  };
  const below = ({ upstreamModel }: Pick<Route, "upstreamModel">) =>
    new Endpoint({
      ...settings,
      baseUrl: `${endpoint.baseUrl}/deployments/${encodeURIComponent(upstreamModel)}`,
      query,
    }, { ...parts, keys: endpoint.keys });
  const exchanges = azureExchanges(endpoint, ways);
  return {
    id: settings.id,
    speaks: isOld
      ? perDeployment(exchanges, (route) => azureExchanges(below(route), ways))
      : exchanges,
    speak: (call, signal) => speaker(isOld ? below(call.route) : endpoint, ways)(call, signal),
    videos: new OpenAiVideos(endpoint, own.video_form),
    check: async (signal) => {
      // It lists models, and routes name deployments.
      const { names: _models, ...check } = await checkKeys(endpoint, OPENAI_MODEL_LIST, signal);
      return check;
    },
    listModels: (signal) => listModels(endpoint, OPENAI_MODEL_LIST, signal),
    unknownModels: (names, signal) =>
      unknownDeployments(
        names.map((name) => ({
          name,
          endpoint: isOld ? below({ upstreamModel: name }) : endpoint,
        })),
        signal,
      ),
    keyStates: () => endpoint.keys.states(),
    secretsChanged: () => endpoint.secretsChanged(),
  };
}

/** The resource's address with what its API is below, however much of that was written. */
function addressOf(baseUrl: string | undefined, paths: "v1" | "deployments"): string | undefined {
  const resource = baseUrl?.replace(/\/+$/, "").replace(/\/openai(?:\/v1)?$/, "");
  return resource && `${resource}/openai${paths === "v1" ? "/v1" : ""}`;
}

/** How everything is asked. */
type Ways = Parameters<typeof openAiExchanges>[1] & Parameters<typeof createOthers>[1];
type AzureExchanges = ReturnType<typeof azureExchanges>;

/** What Azure has of OpenAI's API: no moderations, and no ranking. */
function azureExchanges(endpoint: Endpoint, ways: Ways) {
  const { openai_moderations: _moderations, rerank: _rerank, ...others } = createOthers(
    endpoint,
    ways,
  );
  return { ...openAiExchanges(endpoint, ways), ...others };
}

/** What is asked below a deployment; the Responses API never is. */
function perDeployment(
  base: AzureExchanges,
  below: (route: Route) => AzureExchanges,
): AzureExchanges {
  const moved = (name: keyof AzureExchanges): Exchange => {
    const { stream, isOn } = base[name] as Partial<Conversation>;
    return {
      answer: (call, signal) => below(call.route)[name].answer(call, signal),
      ...(stream && {
        stream: (call, signal) => (below(call.route)[name] as Conversation).stream(call, signal),
      }),
      ...(isOn && { isOn }),
    };
  };
  const names = Object.keys(base) as (keyof AzureExchanges)[];
  return {
    ...Object.fromEntries(names.map((name) => [name, moved(name)])) as unknown as AzureExchanges,
    openai_responses: base.openai_responses,
  };
}
