/**
 * A catalogue that grows as another gateway's configuration is read: each account once, each model with
 * all of its routes, and what has no equal by its name.
 *
 * @module
 */

import { longId, wideId } from "../../catalog/route_schema.ts";
import { writeYaml } from "../../documents/write_yaml.ts";
import { type PriceList, type PriceRow } from "../../vendors/price_list.ts";
import { presetOf } from "../../vendors/presets.ts";

/** What of an account tells it from others of the same vendor. */
export type AccountSettings = Readonly<Record<string, unknown>>;

/** A route as it is read. */
export interface DraftRoute {
  /** What callers name the model. */
  readonly model: string;
  readonly kind: string;
  /** A vendor that is known by name; `undefined`: any server with OpenAI's API. */
  readonly vendor: string | undefined;
  readonly account: AccountSettings;
  readonly upstream: string;
  /** As the other gateway has it; absent: by the list of prices, if it is there. */
  readonly cost?: Readonly<Record<string, string>> | undefined;
  /** Further settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

interface DraftModel {
  readonly id: string;
  readonly kind: string;
  readonly aliases: string[];
  readonly routes: { readonly [setting: string]: unknown }[];
}

/** Names that are told of, of each sort. */
const MOST_NOTES = 200;

export class ImportDraft {
  readonly #prices: PriceList;
  readonly #providers = new Map<string, { readonly id: string; readonly part: object }>();
  readonly #models = new Map<string, DraftModel>();
  readonly #routes = new Set<string>();
  readonly #notes = new Set<string>();

  constructor(prices: PriceList) {
    this.#prices = prices;
  }

  /** Says what was left out or has to be mended; never a secret. */
  note(words: string): void {
    if (this.#notes.size < MOST_NOTES) this.#notes.add(words);
  }

  /** What has no equal here, by its place. */
  noEqual(place: string): void {
    this.note(`${place} has no equal here`);
  }

  add({ model, kind, vendor, account, upstream, cost, settings = {} }: DraftRoute): void {
    const id = idOf(model);
    if (id !== model) this.note(`The model '${model.slice(0, 200)}' is called ${id} here`);
    const provider = this.#providerOf(vendor, account);
    const known = this.#models.get(id) ?? { id, kind, aliases: [], routes: [] };
    this.#models.set(id, known);
    const row: PriceRow | undefined = vendor === undefined || cost !== undefined
      ? undefined
      : this.#prices.find(vendor, upstream);
    const price = cost ?? row?.cost;
    const isFree = vendor !== undefined && presetOf(vendor)?.key === undefined &&
      presetOf(vendor)?.isPaid !== true;
    if (price === undefined && !isFree) {
      this.note(
        `No price is known of ${upstream} (model ${id}): its route serves nothing until it has one`,
      );
    }
    known.routes.push({
      id: this.#routeId(`${provider}/${idOf(upstream)}`),
      provider,
      upstream_model: upstream,
      ...(row !== undefined && { supports: row.supports }),
      ...(price !== undefined && { cost: price, sale: { markup: "1.00" } }),
      ...(price === undefined && isFree && { sale: { free: true } }),
      ...settings,
    });
  }

  alias(alias: string, model: string): void {
    const known = this.#models.get(idOf(model));
    if (known === undefined || !longId.safeParse(alias).success) {
      this.note(`The alias '${alias.slice(0, 200)}' of '${model.slice(0, 200)}' is left out`);
    } else known.aliases.push(alias);
  }

  /** The file, and what was left out of it. */
  result(): { readonly text: string; readonly notes: readonly string[] } {
    const models = [...this.#models.values()].map(({ aliases, ...model }) => ({
      id: model.id,
      kind: model.kind,
      ...(aliases.length > 0 && { aliases }),
      routes: model.routes,
    }));
    const providers = [...this.#providers.values()].map(({ part }) => part);
    return {
      text: writeYaml({ currency: this.#prices.currency, providers, models }),
      notes: [...this.#notes],
    };
  }

  #providerOf(vendor: string | undefined, account: AccountSettings): string {
    const key = JSON.stringify([vendor, account]);
    const known = this.#providers.get(key);
    if (known !== undefined) return known.id;
    const name = vendor ?? "server";
    let id = name;
    const taken = new Set([...this.#providers.values()].map((one) => one.id));
    for (let number = 2; taken.has(id); number++) id = `${name}-${number}`;
    const preset = vendor === undefined
      ? { kind: "openai_compatible" }
      : presetOf(vendor)?.provider;
    const part = { id, ...preset, ...account };
    this.#providers.set(key, { id, part });
    return id;
  }

  /** Two deployments of one model are two routes. */
  #routeId(wanted: string): string {
    let id = wanted;
    for (let number = 2; this.#routes.has(id); number++) id = `${wanted}-${number}`;
    this.#routes.add(id);
    return id;
  }
}

/** A name as the catalogue takes it. */
function idOf(name: string): string {
  if (wideId.safeParse(name).success) return name;
  const isWide = name.endsWith("/*");
  const words = name.replace(/\/\*$/, "").replaceAll(/[^A-Za-z0-9._:@+/-]+/g, "-").split("/")
    .map((word) => word.replace(/^[^A-Za-z0-9]+/, "")).filter((word) => word !== "");
  const id = words.join("/").slice(0, 190);
  return `${id === "" ? "model" : id}${isWide ? "/*" : ""}`;
}
