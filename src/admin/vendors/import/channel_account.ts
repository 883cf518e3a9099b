/**
 * The account of a channel of One API or New API: its address, and variables for its keys.
 *
 * @module
 */

import { asArray, asObject, type JsonObject, nonEmptyString } from "../../../domain/json_value.ts";
import type { AccountSettings, ImportDraft } from "./import_draft.ts";

/** Keys that a provider has at most. */
const MOST_KEYS = 100;

/** What of it is told: never a key. */
export function channelAccount(
  channel: JsonObject,
  { vendor, address, number, place, draft }: {
    readonly vendor: string | undefined;
    readonly address: string | undefined;
    /** Its own among the channels. */
    readonly number: number;
    readonly place: string;
    readonly draft: ImportDraft;
  },
): AccountSettings {
  const variable = `CHANNEL_${number}_KEY`;
  const keys = keysOf(channel);
  const names = Array.from(
    { length: Math.min(Math.max(keys.length, 1), MOST_KEYS) },
    (_none, index) => index === 0 ? variable : `${variable}_${index + 1}`,
  );
  const where = names.length === 1
    ? `its key in the variable ${variable}`
    : `its ${names.length} keys in the variables ${names[0]} to ${names.at(-1)}`;
  draft.notes.note(
    vendor === "vertex"
      ? `${place}: put the service account's key file into the variable ${variable}`
      : `${place}: put ${where}`,
  );
  const references = names.map((name) => `env:${name}`);
  const base = address === undefined ? {} : { base_url: address };
  const organization = nonEmptyString(channel.openai_organization);
  const common = {
    ...base,
    api_key: references.length === 1 ? references[0] : references,
    ...(organization !== undefined && { headers: { "openai-organization": organization } }),
  };
  if (vendor === "azure") return { ...common, ...azureSettings(channel, address) };
  if (vendor === "bedrock") return bedrockSettings(keys[0], { variable, place, draft });
  if (vendor === "vertex") return vertexSettings(channel, { key: keys[0], variable });
  return {
    ...common,
    ...((vendor === "ollama" || vendor === "vllm") &&
      { auth: keys.length > 0 ? "bearer" : "none" }),
    ...((vendor === "ollama" || vendor === "vllm") && keys.length === 0 && { api_key: undefined }),
  };
}

/** Of several keys those that are enabled: a line each, or a list of JSON. */
function keysOf(channel: JsonObject): readonly string[] {
  const text = nonEmptyString(channel.key)?.trim() ?? "";
  if (text === "") return [];
  const info = asObject(channel.channel_info) ?? asObject(parsed(channel.channel_info)) ?? {};
  const list = text.startsWith("[")
    ? asArray(parsed(text)).map((one) => JSON.stringify(one))
    : text.startsWith("{")
    ? [text]
    : text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const states = asObject(info.multi_key_status_list) ?? {};
  return list.filter((_key, index) => Number(states[String(index)] ?? 1) === 1);
}

/** JSON in a text; `undefined` where it is none. */
export function parsed(text: unknown): unknown {
  if (typeof text !== "string" || text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function azureSettings(channel: JsonObject, address: string | undefined): AccountSettings {
  const version = nonEmptyString(channel.other) ??
    nonEmptyString(asObject(parsed(channel.config))?.api_version);
  return {
    ...(address === undefined && { base_url: "https://RESOURCE.openai.azure.com" }),
    ...(version !== undefined && /^\d{4}-\d\d-\d\d/.test(version) &&
      { azure_paths: "deployments", api_version: version }),
  };
}

/** `id|secret|region` or `key|region`: the last of them is no secret. */
function bedrockSettings(
  key: string | undefined,
  { variable, place, draft }: {
    readonly variable: string;
    readonly place: string;
    readonly draft: ImportDraft;
  },
): AccountSettings {
  const parts = key?.split("|") ?? [];
  const last = parts.at(-1) ?? "";
  const region = /^[a-z]{2}(?:-gov)?-[a-z]+-\d$/.test(last) ? last : "us-east-1";
  if (parts.length !== 3) return { aws_region: region, api_key: `env:${variable}` };
  draft.notes.note(
    `${place}: of its key the first part belongs in ${variable}_ID, the second in ${variable}_SECRET`,
  );
  return {
    aws_region: region,
    api_key: undefined,
    aws: { access_key_id: `env:${variable}_ID`, secret_access_key: `env:${variable}_SECRET` },
  };
}

function vertexSettings(
  channel: JsonObject,
  { key, variable }: { readonly key: string | undefined; readonly variable: string },
): AccountSettings {
  const other = nonEmptyString(channel.other);
  const regions = asObject(parsed(other));
  const region = regions === undefined ? other : nonEmptyString(regions.default);
  return {
    project: nonEmptyString(asObject(parsed(key))?.project_id) ?? "PROJECT",
    location: region !== undefined && /^[a-z0-9-]+$/.test(region) ? region : "global",
    credentials: `env:${variable}`,
  };
}
