/**
 * A catalogue that grows as another gateway's configuration is read: each account once, each model with
 * all of its routes, and what has no equal by its name.
 *
 * @module
 */

import { longId, wideId } from "../../../catalog/model_ids.ts";
import { writeYaml } from "../../../documents/write_yaml.ts";
import { kindNamed } from "../../../providers/kinds.ts";
import type { PriceList, PriceRow } from "../../../vendors/price_list.ts";
import { presetOf } from "../../../vendors/presets.ts";
import { ImportNotes } from "./import_notes.ts";
import { idOf } from "./imported_id.ts";

/** What of an account tells it from others of the same vendor. */
export type AccountSettings = Readonly<Record<string, unknown>>;

/** A route as it is read. */
export interface DraftRoute {
  /** Where it stands there. */
  readonly place: string;
  /** What callers name the model. */
  readonly model: string;
  readonly kind: string;
  /** A vendor that is known by name; `undefined`: any server with OpenAI's API. */
  readonly vendor: string | undefined;
  /** The provider's name where it is of no vendor; default: server. */
  readonly server?: string | undefined;
  readonly account: AccountSettings;
  readonly upstream: string;
  /** The model whose price it has, where `upstream` is no model's name. */
  readonly pricedAs?: string | undefined;
  /** As the other gateway has it; absent: by the list of prices, if it is there. */
  readonly cost?: Readonly<Record<string, unknown>> | undefined;
  /** What the other gateway says that it can do. */
  readonly supports?: Readonly<Record<string, unknown>> | undefined;
  /** Further settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

type RoutePart = { readonly id: string; readonly priority?: number; readonly [s: string]: unknown };

interface DraftModel {
  readonly id: string;
  readonly kind: string;
  readonly aliases: string[];
  readonly routes: RoutePart[];
  /** Those of other models, tried after its own. */
  readonly fallbacks: RoutePart[];
}

/** A model's name at its vendor. */
// deno-lint-ignore no-control-regex -- exactly those are none
const UPSTREAM = /^[^\0-\x1f\x7f]{1,200}$/;

export class ImportDraft {
  /** What was left out or has to be mended. */
  readonly notes = new ImportNotes();
  readonly #prices: PriceList;
  readonly #providers = new Map<string, { readonly id: string; readonly part: object }>();
  readonly #models = new Map<string, DraftModel>();
  readonly #routes = new Set<string>();
  readonly #secrets = new Map<string, string>();
  readonly #variables = new Set<string>();

  constructor(prices: PriceList) {
    this.#prices = prices;
  }

  /** A variable for a secret that stands in the file: one for each, however often it is there. */
  variableFor(secret: string, wanted: string): string {
    const known = this.#secrets.get(secret);
    if (known !== undefined) return known;
    let name = wanted;
    for (let number = 2; this.#variables.has(name); number++) name = `${wanted}_${number}`;
    this.#variables.add(name);
    this.#secrets.set(secret, name);
    return name;
  }

  add(route: DraftRoute): void {
    const { place, model, kind, vendor, upstream, cost, supports, settings = {} } = route;
    const provider = { ...providerPart(vendor), ...this.#plain(route.account, place) };
    const { serves = [] } = kindNamed(provider.kind) ?? {};
    if (!serves.some((one) => one === kind)) {
      return this.notes.note(`${place}: ${vendor ?? "its server"} serves no ${kind} models here`);
    }
    if (!UPSTREAM.test(upstream)) {
      return this.notes.note(`${place}: its model's name is none here: it is left out`);
    }
    const id = idOf(model);
    if (id === undefined) {
      return this.notes.note(
        `${place}: a model that stands for every name has no equal here: put a word and /* before it`,
      );
    }
    if (id !== model) this.notes.note(`The model '${model.slice(0, 200)}' is called ${id} here`);
    if (id.endsWith("/*") && upstream.split("*").length !== 2) {
      return this.notes.note(
        `${place}: ${id} stands for many names, and ${
          upstream.slice(0, 200)
        } for one: it is left out`,
      );
    }
    const known = this.#modelOf(id, kind);
    if (known.kind !== kind) {
      return this.notes.note(
        `${place}: ${id} is of kind ${known.kind} and ${kind}: left out as the latter`,
      );
    }
    const providerId = this.#providerOf(vendor ?? route.server ?? "server", provider);
    const row = vendor === undefined ? undefined : this.#rowOf(vendor, kind, route);
    const price = cost ?? row?.cost;
    const preset = vendor === undefined ? undefined : presetOf(vendor);
    const isFree = preset !== undefined && preset.key === undefined && preset.isPaid !== true;
    const isListed = price === undefined && !isFree && vendor !== undefined && id.endsWith("/*") &&
      upstream === "*";
    if (price === undefined && !isFree && !isListed) {
      this.notes.note(
        `No price is known of ${upstream} (model ${id}): its route serves nothing until it has one`,
      );
    }
    const can = { ...row?.supports, ...supports };
    known.routes.push({
      id: this.#routeId(`${providerId}/${idOf(upstream) ?? "*"}`),
      provider: providerId,
      upstream_model: upstream,
      ...(Object.keys(can).length > 0 && { supports: can }),
      ...(price !== undefined && { cost: price }),
      ...((price !== undefined || isListed) && { sale: { markup: "1.00" } }),
      ...(price === undefined && isFree && { sale: { free: true } }),
      ...settings,
    });
  }

  alias(alias: string, model: string): void {
    const known = this.#models.get(idOf(model) ?? "");
    if (known === undefined || !longId.safeParse(alias).success || this.#models.has(alias)) {
      this.notes.note(`The alias '${alias.slice(0, 200)}' of '${model.slice(0, 200)}' is left out`);
    } else if (!known.aliases.includes(alias)) known.aliases.push(alias);
  }

  /** Routes of another model are tried where all of a model's own have failed. */
  fallback(model: string, other: string): void {
    const from = this.#models.get(idOf(model) ?? "");
    const to = this.#models.get(idOf(other) ?? "");
    if (from === undefined || to === undefined || from === to || from.kind !== to.kind) {
      return this.notes.note(
        `The fallback of '${model.slice(0, 200)}' to '${other.slice(0, 200)}' is left out`,
      );
    }
    const after = Math.max(...[...from.routes, ...from.fallbacks].map(priorityOf)) + 1;
    const first = Math.min(...to.routes.map(priorityOf));
    for (const route of to.routes) {
      from.fallbacks.push({
        ...route,
        id: this.#routeId(route.id),
        priority: after + priorityOf(route) - first,
      });
    }
  }

  /** All models so far. */
  models(): readonly string[] {
    return [...this.#models.keys()];
  }

  /** The file, and what was left out of it. */
  result(): { readonly text: string; readonly notes: readonly string[] } {
    const models = [...this.#models.values()].filter(({ routes }) => routes.length > 0)
      .map(({ id, kind, aliases, routes, fallbacks }) => ({
        id,
        kind,
        ...(aliases.length > 0 && { aliases }),
        routes: [...routes, ...fallbacks],
      }));
    const providers = [...this.#providers.values()].map(({ part }) => part);
    return {
      text: writeYaml({ currency: this.#prices.currency, providers, models }),
      notes: this.notes.lines(),
    };
  }

  /** An address as the catalogue has it: what else stands in one may be a key, which is never copied. */
  #plain(account: AccountSettings, place: string): AccountSettings {
    const { base_url: told } = account;
    if (typeof told !== "string" || !URL.canParse(told)) return account;
    const url = new URL(told);
    const isPlain = url.username === "" && url.password === "" && !/[?#]/.test(told);
    if (isPlain) return account;
    const fields = [...url.searchParams.keys()].map((name) => name.slice(0, 40)).slice(0, 8);
    const words = fields.length === 0 ? "a user, a password or a fragment" : fields.join(", ");
    this.notes.note(
      `${place}: its address has ${words}, left out: keys belong in api_key, parameters in query`,
    );
    return { ...account, base_url: `${url.origin}${url.pathname.replace(/\/+$/, "")}` };
  }

  #modelOf(id: string, kind: string): DraftModel {
    const known = this.#models.get(id) ?? { id, kind, aliases: [], routes: [], fallbacks: [] };
    this.#models.set(id, known);
    return known;
  }

  #rowOf(vendor: string, kind: string, { upstream, pricedAs }: DraftRoute): PriceRow | undefined {
    const row = this.#prices.find(vendor, pricedAs ?? upstream);
    return row?.kind === kind ? row : undefined;
  }

  #providerOf(name: string, provider: AccountSettings): string {
    const key = JSON.stringify([name, provider]);
    const known = this.#providers.get(key);
    if (known !== undefined) return known.id;
    let id = name;
    const taken = new Set([...this.#providers.values()].map((one) => one.id));
    for (let number = 2; taken.has(id); number++) id = `${name}-${number}`;
    this.#providers.set(key, { id, part: { id, ...provider } });
    return id;
  }

  /** Two deployments of one model are two routes. */
  #routeId(wanted: string): string {
    const isWide = wanted.endsWith("/*");
    const words = isWide ? wanted.slice(0, -2) : wanted;
    let id = wanted;
    for (let number = 2; this.#routes.has(id); number++) {
      id = `${words}-${number}${isWide ? "/*" : ""}`;
    }
    this.#routes.add(id);
    return wideId.safeParse(id).success ? id : `route-${this.#routes.size}`;
  }
}

function providerPart(vendor: string | undefined): Readonly<Record<string, unknown>> {
  const preset = vendor === undefined ? undefined : presetOf(vendor);
  if (preset === undefined) return { kind: "openai_compatible" };
  return { ...preset.provider, ...(preset.key !== undefined && { api_key: `env:${preset.key}` }) };
}

function priorityOf({ priority = 0 }: RoutePart): number {
  return priority;
}
