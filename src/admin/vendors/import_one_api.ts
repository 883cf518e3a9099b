/**
 * Channels of One API and New API as a catalogue: the JSON that `GET /api/channel/` of either answers, or
 * a list of channels.
 *
 * @module
 */

import {
  asArray,
  asObject,
  isObject,
  type JsonObject,
  nonEmptyString,
} from "../../domain/json_value.ts";
import { vendorOf, VENDORS } from "../../vendors/presets.ts";
import type { ImportDraft } from "./import_draft.ts";

/** Numbers that mean the same in both; of others the address tells. */
const TYPES: Readonly<Record<number, string>> = {
  1: "openai",
  3: "azure",
  14: "anthropic",
  20: "openrouter",
  24: "gemini",
  33: "bedrock",
};

/** Fields that are carried over, or say nothing here. */
const READ: ReadonlySet<string> = new Set([
  "id",
  "type",
  "key",
  "name",
  "status",
  "weight",
  "priority",
  "models",
  "model_mapping",
  "base_url",
  "created_time",
  "test_time",
  "response_time",
  "balance",
  "balance_updated_time",
  "used_quota",
]);

/** Adds what a list of channels has. */
export function importOneApi(value: unknown, draft: ImportDraft): void {
  const data = isObject(value) ? value.data ?? value.channels : value;
  const channels = isObject(data) ? asArray(data.items) : asArray(data);
  if (channels.length === 0) draft.note("There are no channels in it");
  for (const [index, one] of channels.entries()) {
    addChannel(asObject(one) ?? {}, `channel ${Number(asObject(one)?.id ?? index)}`, draft);
  }
}

function addChannel(channel: JsonObject, place: string, draft: ImportDraft): void {
  const base = nonEmptyString(channel.base_url)?.replace(/\/+$/, "");
  const address = base !== undefined && URL.canParse(base) ? base : undefined;
  const byType = TYPES[Number(channel.type)];
  const found = address && vendorOf({ kind: "openai_compatible", baseUrl: address });
  const vendor = found ?? (address !== undefined && byType === "openai" ? undefined : byType);
  if (vendor === undefined && address === undefined) {
    return draft.note(
      `${place} is of type ${Number(channel.type)}, which is not known: it is left out`,
    );
  }
  for (const [field, told] of Object.entries(channel)) {
    const isSaid = told !== null && told !== "" && told !== 0 && told !== "{}";
    if (isSaid && !READ.has(field)) draft.noEqual(`${place}: ${field.slice(0, 60)}`);
  }
  const variable = `CHANNEL_${Number(channel.id ?? 0)}_KEY`;
  draft.note(`${place}: put its key in the variable ${variable}`);
  const isUsual = found !== undefined && VENDORS.includes(found);
  const account = {
    api_key: `env:${variable}`,
    ...(address !== undefined && !isUsual && { base_url: versioned(address, vendor) }),
    ...(vendor === "azure" && address === undefined &&
      { base_url: "https://RESOURCE.openai.azure.com" }),
    ...(vendor === "bedrock" && { aws_region: "us-east-1" }),
  };
  const { priority, weight } = channel;
  const settings = {
    ...(Number(channel.status ?? 1) !== 1 && { enabled: false }),
    ...(typeof weight === "number" && weight > 0 && { weight }),
  };
  if (typeof priority === "number" && priority !== 0) {
    draft.note(`${place}: priority ${priority}: there the largest goes first, here the smallest`);
  }
  const mapping = mappingOf(channel.model_mapping);
  for (const model of (nonEmptyString(channel.models) ?? "").split(",")) {
    const name = model.trim();
    if (name === "") continue;
    const kind = /embed/i.test(name) ? "embedding" : "chat";
    const upstream = mapping[name] ?? name;
    draft.add({ model: name, kind, vendor, account, upstream, settings });
  }
}

/** Theirs leaves the version out of the address. */
function versioned(address: string, vendor: string | undefined): string {
  return vendor !== undefined || /\/v\d/.test(address) ? address : `${address}/v1`;
}

function mappingOf(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== "string" || value === "") return {};
  try {
    const mapping: unknown = JSON.parse(value);
    return Object.fromEntries(
      Object.entries(asObject(mapping) ?? {}).flatMap(([from, to]) =>
        typeof to === "string" && to !== "" ? [[from, to]] : []
      ),
    );
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
