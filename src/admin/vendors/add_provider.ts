/**
 * A vendor in one step: its provider, its models, what they can do and what they cost.
 *
 * @module
 */

import * as z from "zod";
import { isMarkup, MAX_MARKUP } from "../../catalog/price_schema.ts";
import { REST } from "../../catalog/wildcard.ts";
import { shortId } from "../../catalog/provider_schema.ts";
import { boundedList } from "../../documents/bounded.ts";
import type { Shown } from "../../documents/shown.ts";
import { GatewayError } from "../../errors.ts";
import { kindNamed } from "../../providers/kinds.ts";
import { secretReference, UPSTREAM_SETTINGS } from "../../providers/upstream/settings.ts";
import { isOffered, type PriceList, type PriceRow } from "../../vendors/price_list.ts";
import { type Preset, presetOf, VENDORS } from "../../vendors/presets.ts";
import type { AdminDeps } from "../base/deps.ts";
import { warningsField } from "../base/fields.ts";
import { refuseWhereFileOwns } from "../base/not_found.ts";
import { defineOperation } from "../base/operation.ts";
import { optionWords } from "../base/option_words.ts";
import { applyDocument, shownChange } from "../catalogue/apply_document.ts";
import { documentOf } from "../catalogue/piece_document.ts";
import { missingSecrets } from "../catalogue/secret_warnings.ts";
import { keyReference, writeKey } from "./key_file.ts";
import { type PresetModel, withPreset } from "./preset_document.ts";

const MOST_MODELS = 500;

const input = z.strictObject({
  vendor: z.enum(VENDORS).describe("whose models they are"),
  id: shortId.optional().describe("the provider's id (default: the vendor's name)"),
  api_key: secretReference.optional().describe(
    "env:NAME, file:/path or credential:NAME, or - for a key on stdin, which is written to a file " +
      "of the data dir (default: the vendor's usual variable)",
  ).register(optionWords, { option: "key", placeholder: "reference" }),
  typed_key: z.string().regex(/^[\x21-\x7e]{1,4096}$/, "Expected a key, without spaces").optional()
    .describe("the key itself, which is written to a file of the data dir that nobody else reads"),
  base_url: UPSTREAM_SETTINGS.base_url.describe("where its API is (default: the vendor's)")
    .register(optionWords, { placeholder: "url" }),
  aws_region: z.string().min(1).max(64).optional().describe("the region, such as us-east-1")
    .register(optionWords, { option: "region", placeholder: "region" }),
  project: z.string().min(1).max(200).optional().describe("the project's id at Google"),
  location: z.string().min(1).max(64).optional().describe(
    "where Google's models are asked, such as europe-west4 (default: global)",
  ).register(optionWords, { placeholder: "region" }),
  credentials: secretReference.optional().describe(
    "a service account's key file, as file:/path or env:NAME",
  ).register(optionWords, { placeholder: "reference" }),
  models: boundedList(z.string().min(1).max(200), { most: MOST_MODELS }).optional().describe(
    "names at the vendor, * for all that callers name (default: those in the list of prices " +
      "that are still offered; of OpenRouter *)",
  ),
  markup: z.string().max(20).refine(
    isMarkup,
    `Expected a factor above 0 and at most ${MAX_MARKUP}, such as 1.10`,
  ).optional().describe(
    "what calls are sold for, as a factor of their cost (default: 1)",
  ).register(optionWords, { placeholder: "factor" }),
  dry_run: z.boolean().default(false).describe("print what would change, change nothing"),
});

/** What is asked for. */
export type AddProviderInput = z.output<typeof input>;

const addAnswer = z.object({
  provider: z.string(),
  applied: z.boolean().describe("False for a dry run"),
  changes: z.array(shownChange),
  warnings: warningsField,
});

export const addProvider = defineOperation({
  name: "providers.add",
  method: "POST",
  path: "/providers/add",
  role: "operator",
  changes: "provider",
  summary: "Add a vendor that is known by name: provider, models, what they can do, and prices.",
  input,
  output: addAnswer,
  errors: [],
  async run(deps, asked) {
    if (!asked.dry_run) refuseWhereFileOwns(deps, "providers, models and routes");
    const restore = asked.typed_key === undefined || asked.dry_run
      ? undefined
      : await writeKey({ ...placeOf(deps, asked), key: asked.typed_key });
    try {
      return await add(deps, asked);
    } catch (error) {
      await restore?.();
      throw error;
    }
  },
});

function placeOf({ system }: AdminDeps, { id, vendor }: AddProviderInput) {
  return { dataDir: system.dataDir, provider: id ?? vendor };
}

async function add(deps: AdminDeps, asked: AddProviderInput): Promise<Shown<typeof addAnswer>> {
  const preset = presetOf(asked.vendor)!;
  const { dataDir, provider: id } = placeOf(deps, asked);
  const { currency } = deps.catalogue.current.catalogue;
  const prices = await deps.prices.current();
  const takesPrices = currency === prices.currency;
  const today = new Date(deps.clock.now()).toISOString().slice(0, 10);
  const models = modelsOf(preset, { prices, asked: asked.models ?? preset.usual, today });
  const isFree = preset.key === undefined && preset.isPaid !== true &&
    asked.markup === undefined;
  const { changes, warnings, providers } = await applyDocument(deps, {
    document() {
      const before = documentOf(deps.catalogue.current.catalogue);
      const known = before.providers.find((one) => one.id === id);
      const own = ownSettings(preset, asked, known !== undefined);
      const key = asked.typed_key !== undefined
        ? keyReference(dataDir, id)
        : asked.api_key ?? (known === undefined && preset.key ? `env:${preset.key}` : undefined);
      const provider = {
        // Where it is there already, what its operator has set otherwise stays.
        ...(known === undefined && preset.provider),
        ...own,
        id,
        ...(key !== undefined && { api_key: key }),
      };
      const sale = isFree ? { free: true } as const : { markup: asked.markup ?? "1.00" };
      const after = withPreset(before, { provider, models, sale, takesPrices });
      return {
        source: `provider ${id}`,
        text: JSON.stringify(after),
        piece: { name: { kind: "provider", id }, before, after },
      };
    },
    prune: true,
    dry_run: asked.dry_run,
    id,
  });
  const missing = missingSecrets(deps, providers.filter((one) => one.id === id));
  return {
    provider: id,
    applied: !asked.dry_run,
    changes,
    warnings: [
      ...warnings,
      ...priceWarnings({ vendor: asked.vendor, id, models, isFree, takesPrices, currency, prices }),
      ...models.flatMap(({ upstream, row }) =>
        row === undefined || isOffered(row, today)
          ? []
          : [`${upstream} was offered until ${row.until}: ${row.source}`]
      ),
      ...(asked.dry_run ? [] : missing.map(({ warning }) => warning)),
    ],
  };
}

/** @throws {GatewayError} `missing_required_parameter`, naming what only the operator knows. */
function ownSettings(
  { title, asks = [] }: Preset,
  { base_url, aws_region, project, location, credentials }: AddProviderInput,
  isKnown: boolean,
): Readonly<Record<string, string>> {
  const given: Record<string, string | undefined> = {
    base_url,
    aws_region,
    project,
    location,
    credentials,
  };
  for (const { setting, for: what } of asks) {
    if (given[setting] !== undefined || isKnown) continue;
    throw new GatewayError(
      "missing_required_parameter",
      `${title} needs '${setting}': ${what}`,
      { param: setting },
    );
  }
  return Object.fromEntries(
    Object.entries(given).filter((one): one is [string, string] => one[1] !== undefined),
  );
}

function modelsOf(
  { vendor, provider }: Preset,
  { prices, asked, today }: {
    readonly prices: PriceList;
    readonly asked: readonly string[] | undefined;
    readonly today: string;
  },
): readonly PresetModel[] {
  if (asked === undefined) {
    const serves: readonly string[] = kindNamed(provider.kind)?.serves ?? [];
    return prices.of(vendor).filter((row) =>
      isUsual(row) && isOffered(row, today) && serves.includes(row.kind)
    ).map((row) => modelOf(row.model, row));
  }
  return asked.map((name) => {
    // What each of them costs is known when it is asked for.
    if (name === REST) {
      return { upstream: REST, logical: `${vendor}/${REST}`, kind: "chat", row: undefined };
    }
    const byLogical = prices.of(vendor).find((row) => row.logical === name);
    const row = prices.find(vendor, name) ?? byLogical;
    return modelOf(row === byLogical && row !== undefined ? row.model : name, row);
  });
}

/** Of models that are offered per region those of all regions together. */
function isUsual({ model }: PriceRow): boolean {
  return !/^(?:us|eu|au|jp|apac)\./.test(model);
}

function modelOf(upstream: string, row: PriceRow | undefined): PresetModel {
  // What a pattern has found is another model's name.
  const logical = row?.model === upstream ? row.logical ?? upstream : upstream;
  return { upstream, logical, kind: row?.kind ?? "chat", row };
}

function priceWarnings({ vendor, id, models, isFree, takesPrices, currency, prices }: {
  readonly vendor: string;
  readonly id: string;
  readonly models: readonly PresetModel[];
  readonly isFree: boolean;
  readonly takesPrices: boolean;
  readonly currency: string;
  readonly prices: PriceList;
}): readonly string[] {
  if (models.length === 0) {
    const again = `${vendor}${id === vendor ? "" : ` --id ${id}`}`;
    return [
      `Provider ${id} has no models yet, as the list of prices names none: ` +
      `\`tollgate providers models ${id}\` lists them, and ` +
      `\`tollgate providers add ${again} --models NAME\` adds those that you name`,
    ];
  }
  const unknown = models.filter(({ row, upstream }) => row === undefined && upstream !== REST).map((
    { upstream },
  ) => upstream);
  return [
    ...(unknown.length > 0 && !isFree
      ? [`No price known for ${unknown.join(", ")}: give its route prices with tollgate routes set`]
      : []),
    ...(takesPrices ? [] : [
      `The list of prices is in ${prices.currency}, and this catalogue in ${currency}: the routes ` +
      "have none",
    ]),
  ];
}
