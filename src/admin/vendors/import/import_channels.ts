/**
 * Channels of One API and New API as a catalogue: the JSON that `GET /api/channel/` of either answers, a
 * list of channels, or a dump of the table `channels`.
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
import type { PriceList } from "../../../vendors/price_list.ts";
import { vendorOf } from "../../../vendors/presets.ts";
import { channelAccount, parsed } from "./channel_account.ts";
import { type ChannelForm, type ChannelType, channelType } from "./channel_types.ts";
import type { ImportDraft } from "./import_draft.ts";

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
  "openai_organization",
  "other",
  "param_override",
  "channel_info",
  "created_time",
  "test_time",
  "test_model",
  "response_time",
  "balance",
  "balance_updated_time",
  "used_quota",
  "other_info",
  "remark",
]);

/** Only New API has them. */
const NEW_FIELDS = ["channel_info", "auto_ban", "tag", "setting", "settings", "param_override"];

interface Import {
  readonly form: ChannelForm;
  readonly prices: PriceList;
  readonly draft: ImportDraft;
  /** Largest first, as they are tried there. */
  readonly priorities: readonly number[];
}

/** Adds what a list of channels has. */
export function importChannels(
  value: unknown,
  { form, prices, draft }: Omit<Import, "priorities">,
): void {
  const data = isObject(value) ? value.data ?? value.channels : value;
  const channels = (isObject(data) ? asArray(data.items) : asArray(data)).map((one) =>
    asObject(one) ?? {}
  );
  if (channels.length === 0) draft.notes.note("There are no channels in it");
  const isNew = channels.some((one) => NEW_FIELDS.some((field) => one[field] !== undefined));
  if (isNew && form === "one-api") {
    draft.notes.note("These are channels of New API, and are read as such");
  }
  const priorities = [...new Set(channels.map(priorityOf))].sort((one, other) => other - one);
  const whole: Import = { form: isNew ? "new-api" : form, prices, draft, priorities };
  const taken = new Set<number>();
  for (const [index, channel] of channels.entries()) {
    let number = Number.isSafeInteger(channel.id) ? channel.id as number : index;
    // Two of one number would be told one variable for their keys.
    while (taken.has(number)) number++;
    taken.add(number);
    addChannel(channel, number, whole);
  }
}

function priorityOf({ priority }: JsonObject): number {
  return Number.isSafeInteger(Number(priority)) ? Number(priority) : 0;
}

function addChannel(channel: JsonObject, number: number, whole: Import): void {
  const { form, draft, prices, priorities } = whole;
  const place = `channel ${number}`;
  const typeNumber = Number(channel.type);
  const type = channelType(form, typeNumber);
  const told = nonEmptyString(channel.base_url)?.replace(/\/+$/, "");
  const given = told !== undefined && URL.canParse(told) ? told : undefined;
  if (type === undefined && given === undefined) {
    return draft.notes.note(
      `${place} is of type ${typeNumber}, which is not known: it is left out`,
    );
  }
  if (type?.lacks) {
    return draft.notes.note(
      `${place} is of type ${typeNumber} (${type.name}), whose API has no equal here: it is left out`,
    );
  }
  nameUnread(channel, place, draft);
  const { vendor, address } = ownerOf(type, given);
  if (vendor === undefined && address === undefined) {
    return draft.notes.note(`${place} (${type?.name}) has no address: it is left out`);
  }
  const account = channelAccount(channel, { vendor, address, number, place, draft });
  const weight = Number(channel.weight);
  const rank = priorities.indexOf(priorityOf(channel));
  const settings = {
    ...(Number(channel.status ?? 1) !== 1 && { enabled: false }),
    ...(weight > 0 && { weight }),
    ...(rank > 0 && { priority: rank }),
    ...overrides(channel, place, draft),
  };
  const mapping = mappingOf(channel, place, draft);
  const names = (nonEmptyString(channel.models) ?? "").split(",").map((name) => name.trim());
  for (const name of names.filter((one) => one !== "")) {
    const upstream = mappedName(name, mapping);
    draft.add({
      place,
      model: name,
      kind: kindOf(vendor, upstream, prices),
      vendor,
      account,
      upstream,
      settings,
    });
  }
}

/** Whose it is: a vendor of ours by its address or its type, or a server at an address. */
function ownerOf(
  type: ChannelType | undefined,
  given: string | undefined,
): { readonly vendor?: string | undefined; readonly address?: string | undefined } {
  if (given === undefined) return { vendor: type?.vendor, address: type?.baseUrl };
  const found = vendorOf({ kind: "openai_compatible", baseUrl: given });
  if (found !== undefined && (type?.vendor === undefined || type.vendor === found)) {
    return { vendor: found };
  }
  const isOpenAi = type?.vendor === undefined || type.vendor === "openai";
  // Theirs leave the version out of the address, but for those of other dialects.
  if (isOpenAi || type.vendor === "ollama") {
    const address = /\/v\d/.test(given) ? given : `${given}/v1`;
    return { vendor: isOpenAi ? undefined : type.vendor, address };
  }
  return { vendor: type.vendor, address: addressOf(type.vendor, given) };
}

function addressOf(vendor: string, given: string): string {
  const hasVersion = /\/v\d/.test(given);
  const isBare = vendor === "anthropic" || vendor === "gemini" || vendor === "azure";
  return hasVersion || isBare ? given : `${given}/v1`;
}

/** As the list of prices has it, else what its name says. */
function kindOf(vendor: string | undefined, upstream: string, prices: PriceList): string {
  const row = vendor === undefined ? undefined : prices.find(vendor, upstream);
  if (row !== undefined) return row.kind;
  const said = Object.entries(NAMES).find(([, name]) => name.test(upstream));
  return said?.[0] ?? "chat";
}

/** First what is more particular. */
const NAMES: Readonly<Record<string, RegExp>> = {
  rerank: /rerank/i,
  embedding: /embed|\bbge-|m3e/i,
  moderation: /moderation/i,
  transcription: /whisper|transcri/i,
  speech: /\btts\b|-tts/i,
  image: /dall-e|gpt-image|imagen|flux|stable-diffusion|-image\b/i,
  video: /\bsora|\bveo-|-video\b/i,
};

function nameUnread(channel: JsonObject, place: string, { notes }: ImportDraft): void {
  for (const [field, told] of Object.entries(channel)) {
    if (!isSaid(told) || READ.has(field)) continue;
    if (field === "group") {
      const groups = String(told).slice(0, 60);
      if (groups !== "default") {
        notes.note(
          `${place} is for the groups '${groups}': who may use a model is said by a project's models here`,
        );
      }
      continue;
    }
    // What they keep together as JSON is told by its parts.
    const parts = Object.entries(asObject(parsed(told)) ?? asObject(told) ?? {})
      .filter(([, value]) => isSaid(value));
    if (parts.length === 0 && !isEmptyJson(told)) notes.noEqual(field, place);
    for (const [part] of parts) notes.noEqual(`${field}.${part}`, place);
  }
}

function isSaid(told: unknown): boolean {
  return told !== null && told !== undefined && told !== "" && told !== 0 && told !== false &&
    !isEmptyJson(told);
}

function isEmptyJson(told: unknown): boolean {
  return told === "{}" || told === "[]" || told === "null" ||
    (isObject(told) && Object.keys(told).length === 0);
}

/** Fields that a channel puts into every request. */
function overrides(channel: JsonObject, place: string, { notes }: ImportDraft): JsonObject {
  const override = asObject(parsed(channel.param_override)) ?? asObject(channel.param_override);
  if (override === undefined) return {};
  const taken = Object.entries(override).filter(([field]) => {
    const isOwned = ["model", "messages", "input", "stream", "n", "operations"].includes(field);
    if (isOwned) notes.noEqual(`param_override.${field}`, place);
    return !isOwned;
  });
  return taken.length === 0 ? {} : { set: Object.fromEntries(taken) };
}

function mappingOf(
  channel: JsonObject,
  place: string,
  { notes }: ImportDraft,
): Readonly<Record<string, string>> {
  const told = channel.model_mapping;
  const mapping = asObject(parsed(told)) ?? asObject(told);
  if (mapping === undefined && isSaid(told)) {
    notes.noEqual("model_mapping, which is no JSON", place);
  }
  return Object.fromEntries(
    Object.entries(mapping ?? {}).flatMap(([from, to]) =>
      typeof to === "string" && to !== "" ? [[from, to]] : []
    ),
  );
}

/** A mapping may lead on to another; one that leads back ends where it does. */
function mappedName(name: string, mapping: Readonly<Record<string, string>>): string {
  const seen = new Set([name]);
  let mapped = name;
  for (;;) {
    const next = Object.hasOwn(mapping, mapped) ? mapping[mapped]! : undefined;
    if (next === undefined || seen.has(next)) return mapped;
    seen.add(next);
    mapped = next;
  }
}
