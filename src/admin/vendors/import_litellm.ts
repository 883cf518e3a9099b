/**
 * LiteLLM's proxy configuration as a catalogue.
 *
 * @module
 */

import { asArray, asObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import type { ImportDraft } from "./import_draft.ts";

/** Its names of vendors by ours. */
const VENDORS: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  azure: "azure",
  azure_ai: "azure",
  bedrock: "bedrock",
  deepseek: "deepseek",
  fireworks_ai: "fireworks",
  gemini: "gemini",
  groq: "groq",
  hosted_vllm: "vllm",
  lm_studio: "lmstudio",
  mistral: "mistral",
  ollama: "ollama",
  ollama_chat: "ollama",
  openai: "openai",
  openrouter: "openrouter",
  together_ai: "together",
  vertex_ai: "vertex",
  xai: "xai",
};

const KINDS: Readonly<Record<string, string>> = {
  chat: "chat",
  completion: "chat",
  responses: "chat",
  embedding: "embedding",
  moderation: "moderation",
  rerank: "rerank",
};

/** Fields of a deployment that are carried over, or say nothing here. */
const READ: ReadonlySet<string> = new Set([
  "model",
  "api_key",
  "api_base",
  "base_url",
  "api_version",
  "rpm",
  "tpm",
  "max_parallel_requests",
  "weight",
  "order",
  "input_cost_per_token",
  "output_cost_per_token",
  "cache_read_input_token_cost",
  "cache_creation_input_token_cost",
  "aws_region_name",
  "aws_access_key_id",
  "aws_secret_access_key",
  "vertex_project",
  "vertex_location",
  "vertex_credentials",
]);

const RATES: Readonly<Record<string, string>> = {
  input: "input_cost_per_token",
  cached_input: "cache_read_input_token_cost",
  cache_write: "cache_creation_input_token_cost",
  output: "output_cost_per_token",
};

/** Adds what a configuration has. */
export function importLiteLlm(config: JsonObject, draft: ImportDraft): void {
  for (const [index, value] of asArray(config.model_list).entries()) {
    addDeployment(asObject(value) ?? {}, `model_list[${index}]`, draft);
  }
  const router = asObject(config.router_settings) ?? {};
  for (const [alias, target] of Object.entries(asObject(router.model_group_alias) ?? {})) {
    const model = nonEmptyString(target) ?? nonEmptyString(asObject(target)?.model);
    if (model !== undefined) draft.alias(alias, model);
  }
  for (const [section, value] of Object.entries(config)) {
    if (section === "model_list") continue;
    const names = Object.keys(asObject(value) ?? {});
    if (names.length === 0) draft.noEqual(section);
    for (const name of names) if (name !== "model_group_alias") draft.noEqual(`${section}.${name}`);
  }
}

function addDeployment(entry: JsonObject, place: string, draft: ImportDraft): void {
  const params = asObject(entry.litellm_params) ?? {};
  const info = asObject(entry.model_info) ?? {};
  const name = nonEmptyString(entry.model_name);
  const told = nonEmptyString(params.model);
  if (name === undefined || told === undefined) {
    return draft.note(`${place} names no model: it is left out`);
  }
  const mode = nonEmptyString(info.mode) ?? "chat";
  const kind = KINDS[mode];
  if (kind === undefined) {
    return draft.note(`${place} is of mode '${mode.slice(0, 40)}': it is left out`);
  }
  const [prefix, ...rest] = told.split("/");
  const vendor = rest.length > 0 ? VENDORS[prefix!] : "openai";
  if (vendor === undefined) {
    return draft.note(
      `${place} is of '${prefix!.slice(0, 40)}', which is not known: it is left out`,
    );
  }
  const upstream = rest.length > 0 ? rest.join("/") : told;
  const account = accountOf(params, { vendor, place, draft });
  for (const field of Object.keys(params)) {
    if (!READ.has(field)) draft.noEqual(`${place}.litellm_params.${field}`);
  }
  draft.add({
    model: name,
    kind,
    vendor: account.base_url !== undefined && vendor === "openai" ? undefined : vendor,
    account,
    upstream: upstream.replace(/^(?:converse|invoke)\//, ""),
    cost: costOf({ ...info, ...params }),
    settings: settingsOf(params),
  });
}

function accountOf(
  params: JsonObject,
  { vendor, place, draft }: {
    readonly vendor: string;
    readonly place: string;
    readonly draft: ImportDraft;
  },
): JsonObject {
  const reference = (field: string) => {
    const value = nonEmptyString(params[field]);
    if (value === undefined) return undefined;
    const name = /^os\.environ\/([A-Za-z_][A-Za-z0-9_]*)$/.exec(value)?.[1];
    if (name !== undefined) return `env:${name}`;
    const variable = `${vendor}_${field}`.toUpperCase();
    draft.note(`${place}.litellm_params.${field} is a secret: put it in the variable ${variable}`);
    return `env:${variable}`;
  };
  const base = nonEmptyString(params.api_base) ?? nonEmptyString(params.base_url);
  const isOwn = base?.startsWith("os.environ/") === true;
  if (isOwn) draft.note(`${place}.litellm_params.api_base is in a variable: write it as base_url`);
  const api_key = reference("api_key");
  const version = nonEmptyString(params.api_version);
  const id = reference("aws_access_key_id");
  const secret = reference("aws_secret_access_key");
  const given: JsonObject = {
    ...(base !== undefined && !isOwn && { base_url: addressOf(base, vendor) }),
    ...(vendor === "azure" && base === undefined &&
      { base_url: "https://RESOURCE.openai.azure.com" }),
    ...(api_key !== undefined && { api_key }),
    ...(vendor === "azure" && version !== undefined && {
      azure_paths: "deployments",
      api_version: version,
    }),
    ...(vendor === "bedrock" &&
      { aws_region: nonEmptyString(params.aws_region_name) ?? "us-east-1" }),
    ...(id !== undefined && secret !== undefined && {
      aws: { access_key_id: id, secret_access_key: secret },
    }),
    ...(vendor === "vertex" && {
      project: nonEmptyString(params.vertex_project) ?? "PROJECT",
      location: nonEmptyString(params.vertex_location) ?? "global",
      credentials: reference("vertex_credentials") ?? "env:GOOGLE_CREDENTIALS",
    }),
  };
  return given;
}

/** Ours name the version in the address. */
function addressOf(base: string, vendor: string): string {
  const address = base.replace(/\/+$/, "");
  return vendor === "ollama" && !/\/v1$/.test(address) ? `${address}/v1` : address;
}

function costOf(told: JsonObject): Readonly<Record<string, string>> | undefined {
  const rates = Object.entries(RATES).flatMap(([ours, theirs]) => {
    const rate = perMillion(told[theirs]);
    return rate === undefined ? [] : [[ours, rate] as const];
  });
  return rates.length === 0 ? undefined : Object.fromEntries(rates);
}

/** A binary fraction per token as a decimal per million: as many digits as were meant. */
function perMillion(value: unknown): string | undefined {
  const rate = typeof value === "string" ? Number(value) : value;
  if (typeof rate !== "number" || !Number.isFinite(rate) || rate < 0) return undefined;
  return Number((rate * 1e6).toPrecision(12)).toFixed(8).replace(/(\.\d\d\d*?)0+$/, "$1");
}

function settingsOf(
  { rpm, tpm, max_parallel_requests: concurrent, weight, order }: JsonObject,
): JsonObject {
  const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;
  const limits = {
    ...(isCount(rpm) && { requests_per_minute: rpm }),
    ...(isCount(tpm) && { tokens_per_minute: tpm }),
    ...(isCount(concurrent) && { concurrent }),
  };
  return {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(typeof weight === "number" && weight > 0 && { weight }),
    ...(isCount(order) && { priority: order }),
  };
}
