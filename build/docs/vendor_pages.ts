/**
 * A page for each vendor that is known by name, made of its preset, its kind of provider and the list
 * of prices.
 *
 * @module
 */

import { stringify } from "yaml";
import {
  capabilitiesOf,
  type Capability,
  capabilityOf,
  type ModelKind,
} from "../../src/domain/capabilities.ts";
import { kindNamed } from "../../src/providers/kinds.ts";
import type { ProviderKind } from "../../src/providers/contract/kind.ts";
import { LIST_CURRENCY, type PriceRow, shippedPrices } from "../../src/vendors/price_list.ts";
import { type Preset, PRESETS } from "../../src/vendors/presets.ts";
import servers from "../../src/vendors/servers.json" with { type: "json" };
import { code, page, prose, table } from "./markdown.ts";
import { VENDOR_NOTES } from "./vendor_notes.ts";

/** Where they are, from the project's root. */
export const VENDORS_FOLDER = "docs/vendors";

/** Where callers ask for each capability. */
const PATHS: Readonly<Record<Capability, string>> = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
  completions: "/v1/completions",
  embeddings: "/v1/embeddings",
  images: "/v1/images/generations",
  image_edits: "/v1/images/edits",
  transcriptions: "/v1/audio/transcriptions",
  translations: "/v1/audio/translations",
  speech: "/v1/audio/speech",
  moderations: "/v1/moderations",
  rerank: "/v1/rerank",
  videos: "/v1/videos",
};

/** What stands for a setting that only its operator knows. */
const ASKED: Readonly<Record<string, { readonly option: string; readonly example: string }>> = {
  base_url: { option: "--base-url", example: "https://my-resource.openai.azure.com" },
  aws_region: { option: "--region", example: "us-east-1" },
  project: { option: "--project", example: "my-project" },
  credentials: { option: "--credentials", example: "file:/etc/tollgate/google.json" },
};

/** Models that are named where the list of prices has none. */
const OWN_MODELS: Readonly<Record<string, string>> = {
  ollama: "qwen3:8b",
  vllm: "Qwen/Qwen3-8B",
  lmstudio: "qwen3-8b",
};

/**
 * Each page's text by its name.
 *
 * @throws {Error} Where a vendor has no notes, or asks for what has no example.
 */
export async function vendorPages(): Promise<ReadonlyMap<string, string>> {
  const { rows } = await shippedPrices();
  const byVendor = Map.groupBy(rows, ({ vendor }) => vendor);
  return new Map([
    ["README.md", contents(byVendor)],
    ...PRESETS.map((preset) =>
      [`${preset.vendor}.md`, vendorPage(preset, byVendor.get(preset.vendor) ?? [])] as const
    ),
  ]);
}

function contents(byVendor: ReadonlyMap<string, readonly PriceRow[]>): string {
  return page("Vendors", [
    "Whose models a gateway can offer, and by which line. What is here is what the program knows; " +
    "[vendors' own dialects](../vendors.md) has Google, Azure and Amazon in full, [engines](../engines/README.md) " +
    "who makes films.",
    table(
      ["vendor", "kind", "key", "models with a price"],
      PRESETS.map((preset) => [
        `[${preset.title}](${preset.vendor}.md)`,
        code(String(preset.provider.kind)),
        preset.key === undefined ? "" : code(preset.key),
        String(byVendor.get(preset.vendor)?.length ?? 0),
      ]),
    ),
    "## Others",
    "A vendor whose API is OpenAI's is a provider of kind `openai_compatible`, whoever it is. Of " +
    "these the address and the usual variable are known, so that " +
    "`tollgate import litellm` and `import new-api` need not be told them:",
    table(
      ["name", "base URL", "key"],
      Object.entries(servers).map(([name, one]) => [code(name), code(one.base_url), code(one.key)]),
    ),
    "Such a one is written as a file, and applied with `tollgate apply FILE`:",
    fence(
      "yaml",
      stringify({
        providers: [{
          id: "cerebras",
          kind: "openai_compatible",
          base_url: servers.cerebras.base_url,
          api_key: `env:${servers.cerebras.key}`,
        }],
        models: [{
          id: "fast",
          kind: "chat",
          routes: [{
            id: "cerebras/fast",
            provider: "cerebras",
            upstream_model: "gpt-oss-120b",
            cost: { input: "0.35", output: "0.75" },
            sale: { markup: "1.10" },
          }],
        }],
      }),
    ),
    "Its prices are yours to write: take them from the vendor's own page.",
  ]);
}

function vendorPage(preset: Preset, rows: readonly PriceRow[]): string {
  const { vendor, title, provider, key } = preset;
  const kind = kindNamed(provider.kind)!;
  const notes = VENDOR_NOTES[vendor];
  if (notes === undefined) throw new Error(`Cannot write of ${vendor}: vendor_notes.ts has no row`);
  return page(title, [
    table(["what", "it is"], factsOf(preset, kind, rows)),
    "## Add it",
    fence("sh", addLine(preset)),
    key === undefined
      ? "It shows what would change and asks; with `--yes` it does not ask."
      : `It shows what would change and asks; with \`--yes\` it does not ask. Without \`--key\` it is ${
        code(`env:${key}`)
      } of the server. Again, it brings prices up to date, and leaves what was set otherwise.`,
    "The provider in a catalogue file:",
    fence("yaml", stringify({ providers: [providerPart(preset)] })),
    "## Worth knowing",
    notes.map((note) => `- ${note}`).join("\n"),
    ...(rows.length === 0
      ? []
      : ["## Models and prices", aboutPrices(rows, preset), priceTable(rows)]),
  ]);
}

function factsOf(
  { provider, key, asks = [] }: Preset,
  kind: ProviderKind,
  rows: readonly PriceRow[],
): string[][] {
  const priced = kind.serves.filter((one) => rows.some((row) => row.kind === one));
  const named = asks.find(({ setting }) => setting === "base_url");
  return [
    ["kind", `${code(kind.name)}: ${prose(kind.about)}`],
    [
      "base URL",
      typeof provider.base_url === "string"
        ? code(provider.base_url)
        : named === undefined
        ? "the vendor's own, known to the kind"
        : prose(named.for),
    ],
    ["key", key === undefined ? keyless(kind) : `${code(key)}, sent ${keyPlace(kind)}`],
    ...(priced.length === 0 ? [] : [["models of the list answer at", pathsOf(priced)]]),
    [
      priced.length === 0 ? "answers at" : "may answer at, too",
      priced.length === kind.serves.length
        ? ""
        : `${
          pathsOf(kind.serves.filter((one) => !priced.includes(one)))
        }, where it has models for that`,
    ],
    ["is asked in", dialectsOf(kind)],
  ].filter(([, said]) => said !== "");
}

/** Where callers ask for what models of these kinds do. */
function pathsOf(kinds: readonly ModelKind[]): string {
  // What a route has to claim by itself is no fact of the vendor.
  return kinds.flatMap(capabilitiesOf)
    .filter((one) => capabilityOf(one).needsSupport === undefined)
    .map((one) => code(PATHS[one])).join(", ");
}

function keyless(kind: ProviderKind): string {
  return kind.keyAuth === undefined ? "a service account's key file" : "none";
}

function keyPlace({ keyAuth }: ProviderKind): string {
  return keyAuth?.kind === "header" ? `as ${code(keyAuth.name)}` : "as bearer";
}

const DIALECT_NAMES: Readonly<Record<string, string>> = {
  openai_chat: "OpenAI's chat",
  anthropic_messages: "Anthropic's Messages",
  bedrock_converse: "Bedrock's Converse",
  gemini: "Google's Gemini",
};

/** Of conversations: in what they are asked, whatever callers speak. */
function dialectsOf(kind: ProviderKind): string {
  const own = kind.dialectOf?.({}, "any") ?? "openai_chat";
  const names = new Set([own, ...kind.natively ?? []].map((one) => DIALECT_NAMES[one]));
  const said = [...names].filter((name) => name !== undefined).join(", ");
  return `${said}; callers may speak any dialect`;
}

function addLine({ vendor, key, asks = [] }: Preset): string {
  const words = [
    "tollgate providers add",
    vendor,
    ...(key === undefined ? [] : [`--key env:${key}`]),
    ...asks.map(({ setting }) => `${askedOf(setting).option} ${askedOf(setting).example}`),
    ...(OWN_MODELS[vendor] === undefined ? [] : [`--models ${OWN_MODELS[vendor]}`]),
  ];
  return `${words.join(" ")}\n`;
}

function askedOf(setting: string) {
  const asked = ASKED[setting];
  if (asked === undefined) throw new Error(`Cannot write a line: ${setting} has no example`);
  return asked;
}

function providerPart({ vendor, provider, key, asks = [] }: Preset): object {
  return {
    id: vendor,
    ...provider,
    ...Object.fromEntries(asks.map(({ setting }) => [setting, askedOf(setting).example])),
    ...(key !== undefined && { api_key: `env:${key}` }),
  };
}

function aboutPrices(rows: readonly PriceRow[], { vendor, usual }: Preset): string {
  const dates = rows.map(({ date }) => date).toSorted();
  const [first, last] = [dates[0]!, dates.at(-1)!];
  return `What it asks, in ${LIST_CURRENCY}, as read ${
    first === last ? `on ${first}` : `from ${first} to ${last}`
  }: per million tokens or characters (\`input\`, \`output\`, \`character\` …), per second, image or ` +
    `search, as [the catalogue](../catalogue.md#prices) has them. ${
      usual === undefined
        ? "Those that are still offered are added where `--models` says nothing."
        : ""
    } \`tollgate prices list --vendor ${vendor}\` says whose word each is.`.replaceAll("  ", " ");
}

function priceTable(rows: readonly PriceRow[]): string {
  return table(
    ["model", "kind", "price", "offered until"],
    rows.map((row) => [
      code(row.model),
      row.kind,
      costText(row.cost),
      row.until ?? "",
    ]),
  );
}

/** Plain rates as they are; of those that hang on something else, that there are some. */
function costText(cost: PriceRow["cost"]): string {
  const plain = Object.entries(cost).filter(([, rate]) => typeof rate === "string");
  const isMore = plain.length < Object.keys(cost).length;
  const said = plain.map(([name, rate]) => `${name.replaceAll("_", " ")} ${rate}`);
  return [...said, ...(isMore ? ["others by size, length or time"] : [])].join(", ");
}

function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\`\`\``;
}
