/**
 * LiteLLM's proxy configuration as a catalogue.
 *
 * @module
 */

import {
  asArray,
  asObject,
  isObject,
  type JsonObject,
  nonEmptyString,
} from "../../../domain/json_value.ts";
import type { ImportDraft } from "./import_draft.ts";
import { ACCOUNT_FIELDS, accountOf } from "./litellm_account.ts";
import { costOf, isPrice } from "./litellm_costs.ts";
import { ownerOf } from "./litellm_vendor.ts";

/** LiteLLM's modes by kinds of models. */
const KINDS: Readonly<Record<string, string>> = {
  chat: "chat",
  completion: "chat",
  responses: "chat",
  embedding: "embedding",
  moderation: "moderation",
  rerank: "rerank",
  image_generation: "image",
  image_edit: "image",
  audio_speech: "speech",
  audio_transcription: "transcription",
  video_generation: "video",
};

/** Fields of a request that a deployment may bring where its caller sends none. */
const DEFAULTS: ReadonlySet<string> = new Set([
  "temperature",
  "top_p",
  "max_tokens",
  "max_completion_tokens",
  "presence_penalty",
  "frequency_penalty",
  "stop",
  "seed",
  "reasoning_effort",
  "service_tier",
  "verbosity",
]);

const LIMITS: Readonly<Record<string, string>> = {
  rpm: "requests_per_minute",
  tpm: "tokens_per_minute",
  max_parallel_requests: "concurrent",
};

/** Fields of a deployment that are carried over, or say nothing here. */
const READ: ReadonlySet<string> = new Set([
  ...ACCOUNT_FIELDS,
  "model",
  "custom_llm_provider",
  "litellm_credential_name",
  ...Object.keys(LIMITS),
  "weight",
  "order",
]);

const SUPPORTS: Readonly<Record<string, string>> = {
  supports_function_calling: "tools",
  supports_vision: "vision",
  supports_response_schema: "json_schema",
  max_input_tokens: "context_tokens",
  max_output_tokens: "max_output_tokens",
};

/** What of `model_info` is read, or is LiteLLM's own book-keeping. */
const INFO_READ: ReadonlySet<string> = new Set([
  "mode",
  "base_model",
  "id",
  ...Object.keys(SUPPORTS),
]);

/** Sections that are read. */
const SECTIONS: ReadonlySet<string> = new Set(["model_list", "credential_list", "include"]);

/** Adds what a configuration has. */
export function importLiteLlm(config: JsonObject, draft: ImportDraft): void {
  const credentials = new Map(
    asArray(config.credential_list).map((one) => [
      nonEmptyString(asObject(one)?.credential_name),
      asObject(asObject(one)?.credential_values) ?? {},
    ]),
  );
  for (const [index, value] of asArray(config.model_list).entries()) {
    addDeployment(asObject(value) ?? {}, { place: `model_list[${index}]`, credentials, draft });
  }
  const router = asObject(config.router_settings) ?? {};
  const settings = asObject(config.litellm_settings) ?? {};
  for (const [alias, target] of Object.entries(asObject(router.model_group_alias) ?? {})) {
    const model = nonEmptyString(target) ?? nonEmptyString(asObject(target)?.model);
    if (model !== undefined) draft.alias(alias, model);
  }
  for (const section of [router, settings]) addFallbacks(section, draft);
  for (const [section, value] of Object.entries(config)) {
    if (SECTIONS.has(section)) continue;
    const names = Object.keys(asObject(value) ?? {});
    if (names.length === 0) draft.notes.noEqual(section);
    for (const name of names) {
      if (!isCarried(section, name)) draft.notes.noEqual(`${section}.${name}`);
    }
  }
}

function isCarried(section: string, name: string): boolean {
  if (section === "router_settings" && name === "model_group_alias") return true;
  return /^(?:router|litellm)_settings$/.test(section) &&
    (name === "fallbacks" || name === "default_fallbacks");
}

/** `fallbacks: [{ model: [others] }]`, and those of every model. */
function addFallbacks(section: JsonObject, draft: ImportDraft): void {
  for (const one of asArray(section.fallbacks)) {
    for (const [model, others] of Object.entries(asObject(one) ?? {})) {
      for (const other of asArray(others)) {
        if (model === "*") addDefault(other, draft);
        else if (typeof other === "string") draft.fallback(model, other);
        else draft.notes.noEqual("fallbacks with settings of their own", `fallbacks.${model}`);
      }
    }
  }
  for (const other of asArray(section.default_fallbacks)) addDefault(other, draft);
}

function addDefault(other: unknown, draft: ImportDraft): void {
  if (typeof other !== "string") return draft.notes.noEqual("default_fallbacks");
  const others = draft.models().filter((id) => id !== other);
  for (const model of others) draft.fallback(model, other);
}

function addDeployment(
  entry: JsonObject,
  { place, credentials, draft }: {
    readonly place: string;
    readonly credentials: ReadonlyMap<string | undefined, JsonObject>;
    readonly draft: ImportDraft;
  },
): void {
  const own = asObject(entry.litellm_params) ?? {};
  const credential = nonEmptyString(own.litellm_credential_name);
  const params = { ...credential !== undefined && credentials.get(credential), ...own };
  if (credential !== undefined && !credentials.has(credential)) {
    draft.notes.note(`${place} refers to a credential that is not in the file: write its api_key`);
  }
  const info = asObject(entry.model_info) ?? {};
  const name = nonEmptyString(entry.model_name);
  const told = nonEmptyString(params.model);
  if (name === undefined || told === undefined) {
    return draft.notes.note(`${place} names no model: it is left out`);
  }
  const mode = nonEmptyString(info.mode) ?? "chat";
  const kind = Object.hasOwn(KINDS, mode) ? KINDS[mode] : undefined;
  if (kind === undefined) {
    return draft.notes.note(`${place} is of mode '${mode.slice(0, 40)}': it is left out`);
  }
  const owner = ownerOf(told, nonEmptyString(params.custom_llm_provider));
  if (owner === undefined) {
    const prefix = nonEmptyString(params.custom_llm_provider) ?? told.split("/")[0]!;
    return draft.notes.note(
      `${place} is of '${prefix.slice(0, 40)}', which is not known: it is left out`,
    );
  }
  const { cost, unread } = costOf({ ...info, ...params }, kind);
  for (const field of unread) draft.notes.noEqual(field, place);
  const account = accountOf(params, { owner, place, draft });
  const isOwn = account.base_url !== undefined && owner.vendor === "openai";
  const takesDefaults = owner.vendor !== "gemini" && owner.vendor !== "vertex" &&
    owner.vendor !== "bedrock";
  if (isOwn && account.api_key === undefined) {
    draft.notes.note(
      `${place} has an address of its own and no key: LiteLLM sends OPENAI_API_KEY there, here ` +
        "nothing is sent until you write api_key",
    );
  }
  nameUnread({ entry, params, info }, { place, takesDefaults, draft });
  draft.add({
    place,
    model: name,
    kind,
    vendor: isOwn ? undefined : owner.vendor,
    server: owner.vendor === undefined ? owner.name : undefined,
    account,
    upstream: owner.upstream,
    pricedAs: nonEmptyString(info.base_model)?.replace(/^[a-z_]+\//, ""),
    cost,
    supports: supportsOf(info),
    settings: settingsOf({ ...entry, ...params }, takesDefaults ? params : {}),
  });
}

function nameUnread(
  { entry, params, info }: {
    readonly entry: JsonObject;
    readonly params: JsonObject;
    readonly info: JsonObject;
  },
  { place, takesDefaults, draft: { notes } }: {
    readonly place: string;
    readonly takesDefaults: boolean;
    readonly draft: ImportDraft;
  },
): void {
  const known = ["model_name", "litellm_params", "model_info", "rpm", "tpm"];
  for (const field of Object.keys(entry)) if (!known.includes(field)) notes.noEqual(field, place);
  for (const field of Object.keys(params)) {
    const isRead = READ.has(field) || isPrice(field) || (takesDefaults && DEFAULTS.has(field));
    if (!isRead) notes.noEqual(`litellm_params.${field}`, place);
  }
  for (const field of Object.keys(info)) {
    if (!INFO_READ.has(field) && !isPrice(field)) notes.noEqual(`model_info.${field}`, place);
  }
}

function supportsOf(info: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(SUPPORTS).flatMap(([theirs, ours]) => {
      const value = info[theirs];
      const said = typeof value === "boolean" ? value : countOf(value);
      return said === undefined ? [] : [[ours, said]];
    }),
  );
}

/** YAML 1.1 writes 20_000, too. */
function countOf(value: unknown): number | undefined {
  const told = typeof value === "string" && /^\d[\d_]*$/.test(value)
    ? Number(value.replaceAll("_", ""))
    : value;
  return Number.isSafeInteger(told) && (told as number) > 0 ? told as number : undefined;
}

function settingsOf(
  told: JsonObject,
  params: JsonObject,
): JsonObject {
  const limits = Object.fromEntries(
    Object.entries(LIMITS).flatMap(([theirs, ours]) => {
      const count = countOf(told[theirs]);
      return count === undefined ? [] : [[ours, count]];
    }),
  );
  const weight = Number(told.weight);
  const priority = countOf(told.order);
  const defaults = Object.fromEntries(
    Object.entries(params).filter(([field, value]) =>
      DEFAULTS.has(field) && value !== null && !isObject(value)
    ),
  );
  return {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(weight > 0 && { weight }),
    ...(priority !== undefined && { priority }),
    ...(Object.keys(defaults).length > 0 && { default: defaults }),
  };
}
