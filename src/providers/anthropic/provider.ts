/**
 * The provider of every upstream that speaks Anthropic's dialect: Anthropic itself, and others that
 * offer it at an address of theirs.
 *
 * @module
 */

import * as z from "zod";
import { ANTHROPIC_ERRORS } from "../../dialects/anthropic_messages/read_error.ts";
import { modelFacts } from "../../dialects/anthropic_messages/model_facts.ts";
import { API_VERSIONS } from "../../dialects/anthropic_messages/schemas.ts";
import type { Provider as ProviderSettings } from "../../domain/catalogue.ts";
import type { ProviderOptions } from "../contract/kind.ts";
import type { Conversation, Provider } from "../contract/provider.ts";
import { checkKeys } from "../upstream/check_keys.ts";
import type { ModelList } from "../upstream/model_list.ts";
import { listModels } from "../upstream/list_models.ts";
import { Endpoint, type EndpointWays } from "../upstream/endpoint.ts";
import { readOwnSettings } from "../upstream/settings.ts";
import { Messages, usualPath } from "./messages.ts";

const ADDRESS = "https://api.anthropic.com";

/** What the catalogue file may say of such an upstream alone, by its keys there. */
export const OWN_SETTINGS = {
  anthropic_version: z.string().regex(/^[\x21-\x7e]{1,64}$/).default(API_VERSIONS[0]!).describe(
    "The API's version that requests name where their caller does not speak this dialect; the " +
      "others' own goes on as it is. Default: 2023-06-01.",
  ),
};

/** What such an upstream has. */
export interface Anthropic extends Provider {
  readonly speaks: { readonly anthropic_messages: Conversation };
}

/**
 * Creates a provider of kind `anthropic`.
 *
 * @param ways Those of another vendor that offers the same API.
 * @throws {TypeError} When the settings have no usable base URL.
 */
export function createAnthropic(
  settings: ProviderSettings,
  options: ProviderOptions,
  ways: EndpointWays = {},
): Anthropic {
  const own = readOwnSettings(OWN_SETTINGS, settings);
  const { baseUrl = ADDRESS, headers } = settings;
  const endpoint = new Endpoint({
    ...settings,
    baseUrl,
    headers: { "anthropic-version": own.anthropic_version, ...headers },
  }, { ...options, errors: ANTHROPIC_ERRORS, ...ways });
  // Its own clients leave the version out of the address, those of others have it there.
  const prefix = /\/v\d+\/*$/.test(baseUrl) ? "" : "/v1";
  const list: ModelList = {
    path: `${prefix}/models?limit=1`,
    wholePath: `${prefix}/models?limit=1000`,
    isPart: true,
    modelsIn: ({ data }) => Array.isArray(data) ? data : undefined,
    supportsIn: modelFacts,
  };
  const [, betas] = Object.entries(headers).find(([name]) => /^anthropic-beta$/i.test(name)) ?? [];
  const messages = new Messages(endpoint, { path: usualPath(prefix), betas });
  return {
    id: settings.id,
    speaks: { anthropic_messages: messages },
    counts: { anthropic_messages: { ask: (call, signal) => messages.countTokens(call, signal) } },
    check: (signal) => checkKeys(endpoint, list, signal),
    listModels: (signal) => listModels(endpoint, list, signal),
    async describeModel(name, signal) {
      const path = `${prefix}/models/${encodeURIComponent(name)}`;
      return modelFacts(
        await endpoint.withKeys(async (credential) =>
          await endpoint.jsonOf(await endpoint.send({ method: "GET", path, credential }, signal), {
            isAnswer: ({ id }) => id !== undefined,
          })
        ),
      );
    },
    keyStates: () => endpoint.keys.states(),
    secretsChanged: () => endpoint.secretsChanged(),
  };
}
