/**
 * What a vendor's preset makes of a catalogue: its provider, and routes to its models with their prices.
 * What an operator has set of them before stays.
 *
 * @module
 */

import { isWildcard } from "../../catalog/wildcard.ts";
import type { FilePart } from "../../catalog/to_file.ts";
import type { PriceRow } from "../../vendors/price_list.ts";
import { modelTraits } from "../catalogue/model_traits.ts";
import { mergePiece, replacePart } from "../catalogue/merge_settings.ts";
import type { CatalogueDocument, ModelPart } from "../catalogue/piece_document.ts";

/** How a route's calls are sold. */
export type PresetSale = { readonly markup: string } | { readonly free: true };

/** A model of a vendor that callers are to have. */
export interface PresetModel {
  /** What callers name it. */
  readonly logical: string;
  /** Its name at the vendor. */
  readonly upstream: string;
  readonly kind: string;
  /** `undefined`: nobody knows its price. */
  readonly row: PriceRow | undefined;
}

/** What is to be in the catalogue. */
export interface PresetParts {
  readonly provider: FilePart & { readonly id: string };
  readonly models: readonly PresetModel[];
  /** Of routes that say nothing of it yet. */
  readonly sale: PresetSale;
  /** Whether prices of the list are in the catalogue's currency. */
  readonly takesPrices: boolean;
}

/** The document with all of it. */
export function withPreset(
  document: CatalogueDocument,
  { provider, models, sale, takesPrices }: PresetParts,
): CatalogueDocument {
  const { id } = provider;
  const before = document.providers.find((one) => one.id === id);
  const merged = mergePiece({ id, before, settings: provider, replace: false });
  let after: CatalogueDocument = {
    ...document,
    providers: replacePart(document.providers, merged),
  };
  for (const model of models) {
    const part = modelWith(after, { provider: merged, model, sale, takesPrices });
    after = { ...after, models: replacePart(after.models, part) };
  }
  return after;
}

function modelWith(
  { models }: CatalogueDocument,
  { provider: settings, model: { logical, upstream, kind, row }, sale, takesPrices }: {
    readonly provider: FilePart;
    readonly model: PresetModel;
    readonly sale: PresetSale;
    readonly takesPrices: boolean;
  },
): ModelPart {
  const provider = String(settings.id);
  const id = `${provider}/${upstream}`;
  const known = models.find((one) => one.id === logical) ??
    { id: logical, kind, routes: [] as readonly FilePart[] };
  const old = known.routes.find((one) => one.id === id);
  const cost = takesPrices ? row?.cost : undefined;
  const route: FilePart & { readonly id: string } = {
    ...old,
    id,
    provider,
    upstream_model: upstream,
    supports: {
      ...kind === "chat" && modelTraits(settings, upstream),
      ...old?.supports as object | undefined,
      ...row?.supports,
    },
    ...(cost !== undefined && { cost }),
    ...(old?.sale === undefined && ("free" in sale || cost !== undefined || isWildcard(logical)) &&
      { sale }),
  };
  return { ...known, routes: replacePart(known.routes, route) };
}
