/**
 * The provider of Amazon Bedrock, whose models are asked in one of its APIs.
 *
 * @module
 */

import * as z from "zod";
import { ANTHROPIC_ERRORS } from "../../dialects/anthropic_messages/read_error.ts";
import { OPENAI_ERRORS } from "../../dialects/openai/read_error.ts";
import type { DialectName } from "../../dialects/registry.ts";
import type { Provider as ProviderSettings } from "../../domain/catalogue.ts";
import { createAnthropic, OWN_SETTINGS as ANTHROPIC_SETTINGS } from "../anthropic/provider.ts";
import type { ProviderOptions } from "../contract/kind.ts";
import type { Provider } from "../contract/provider.ts";
import {
  createOpenAiCompatible,
  OWN_SETTINGS as OPENAI_SETTINGS,
} from "../openai_compatible/provider.ts";
import type { Authority } from "../upstream/authority.ts";
import { checkKeys } from "../upstream/check_keys.ts";
import { Endpoint } from "../upstream/endpoint.ts";
import { listModels } from "../upstream/list_models.ts";
import type { ModelList } from "../upstream/model_list.ts";
import { Converse, ERRORS } from "./converse.ts";
import { readOwnSettings, secretReference } from "../upstream/settings.ts";
import { advised } from "./advise.ts";
import { awsErrors } from "./errors.ts";
import { awsSignature } from "./signature.ts";

/** What the catalogue file may say of such an upstream alone, by its keys there. */
export const OWN_SETTINGS = {
  ...ANTHROPIC_SETTINGS,
  output_limit_field: OPENAI_SETTINGS.output_limit_field,
  aws_region: z.string().regex(
    /^[a-z]{2,4}(-[a-z]+)+-\d{1,2}$/,
    "Expected a region such as us-east-1",
  )
    .optional().describe(
      "The region whose endpoints are asked, such as us-east-1; required for a bedrock provider.",
    ),
  bedrock_api: z.enum(["converse", "openai", "anthropic"]).default("converse").describe(
    "In which of its APIs models are asked. converse: the one for all models. openai: chat and responses, for those that it lists. " +
      "anthropic: Messages, for Claude.",
  ),
  aws: z.strictObject({
    access_key_id: z.string().regex(/^[\x21-\x7e]{1,4096}$/).describe("It, or a reference to it."),
    secret_access_key: secretReference.describe("env:NAME, file:/path or credential:NAME."),
    session_token: secretReference.optional().describe(
      "Of credentials that end. Default: they do not.",
    ),
  }).optional().describe(
    "Credentials that sign each request in the place of a key of Bedrock's. Default: none.",
  ),
};

type Own = ReturnType<typeof readOwnSettings<typeof OWN_SETTINGS>>;

/** Dialects that the upstream of these settings speaks itself, of those that only some kinds do. */
export function nativeDialects({ own }: ProviderSettings): readonly DialectName[] {
  switch (own?.bedrock_api) {
    case "anthropic":
      return ["anthropic_messages"];
    case "openai":
      return ["openai_chat"];
    default:
      return [];
  }
}

/**
 * Creates a provider of kind `bedrock`.
 *
 * @throws {TypeError} When the settings say no region.
 */
export function createBedrock(settings: ProviderSettings, options: ProviderOptions): Provider {
  const own = readOwnSettings(OWN_SETTINGS, settings);
  const region = own.aws_region;
  if (region === undefined) {
    throw new TypeError(`Cannot create provider '${settings.id}': aws_region must be given`);
  }
  const authority = own.aws && awsSignature(own.aws, { id: settings.id, region }, options);
  const at = { ...settings, baseUrl: settings.baseUrl ?? addressOf(own.bedrock_api, region) };
  switch (own.bedrock_api) {
    case "converse":
      return createConverse(at, options, { authority, region });
    case "anthropic":
      return withAdvice(
        createAnthropic(at, options, { authority, errors: awsErrors(ANTHROPIC_ERRORS) }),
      );
    case "openai": {
      const output_limit_field = own.output_limit_field ?? "max_completion_tokens";
      const { speaks, check, listModels, keyStates, secretsChanged, id } = createOpenAiCompatible(
        { ...at, own: { output_limit_field } },
        options,
        { authority, errors: awsErrors(OPENAI_ERRORS) },
      );
      return {
        id,
        speaks: {
          openai_chat: speaks.openai_chat,
          openai_responses: speaks.openai_responses,
        },
        check: async (signal) => advised(await check(signal)),
        listModels,
        keyStates,
        secretsChanged,
      };
    }
  }
}

function withAdvice(provider: Provider): Provider {
  return { ...provider, check: async (signal) => advised(await provider.check(signal)) };
}

/** Models are listed at another address than they are asked at. */
const MODEL_LIST: ModelList = {
  path: "/foundation-models",
  isPart: true,
  modelsIn: ({ modelSummaries }) => Array.isArray(modelSummaries) ? modelSummaries : undefined,
};

function createConverse(
  settings: ProviderSettings,
  options: ProviderOptions,
  { authority, region }: { readonly authority: Authority | undefined; readonly region: string },
): Provider {
  const parts = { ...options, authority, errors: ERRORS };
  const endpoint = new Endpoint(settings, parts);
  const own = addressOf("converse", region);
  const baseUrl = settings.baseUrl === own
    ? own.replace("bedrock-runtime", "bedrock")
    : settings.baseUrl;
  const control = new Endpoint({ ...settings, baseUrl }, { ...parts, keys: endpoint.keys });
  return {
    id: settings.id,
    speaks: { bedrock_converse: new Converse(endpoint) },
    check: async (signal) => advised(await checkKeys(control, MODEL_LIST, signal)),
    listModels: (signal) => listModels(control, MODEL_LIST, signal),
    keyStates: () => endpoint.keys.states(),
    secretsChanged: () => endpoint.secretsChanged(),
  };
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/apis.html */
function addressOf(api: Own["bedrock_api"], region: string): string {
  switch (api) {
    case "converse":
      return `https://bedrock-runtime.${region}.amazonaws.com`;
    case "anthropic":
      return `https://bedrock-mantle.${region}.api.aws/anthropic`;
    case "openai":
      return `https://bedrock-runtime.${region}.amazonaws.com/openai/v1`;
  }
}
