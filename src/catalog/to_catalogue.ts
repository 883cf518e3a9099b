/**
 * The catalogue file's value as the gateway's own types: exact rates, defaults
 * filled in, camel case.
 *
 * @module
 */

import type { Project } from "../domain/account.ts";
import type { Catalogue, Model, Provider, Route } from "../domain/catalogue.ts";
import { parseAmount } from "../domain/money.ts";
import type { Rates, Sale } from "../domain/price.ts";
import { readRates, WIRE_NAMES } from "../domain/spell_rates.ts";
import type { CatalogueFile, FileModel, FileProject } from "./file_schema.ts";
import type { FileRates, FileSale } from "./price_schema.ts";
import { kindNamed } from "../providers/kinds.ts";
import { type FileProvider, ownKeys } from "./provider_schema.ts";
import type { FileRoute } from "./route_schema.ts";
import { BUDGETS, LIMITS, QUOTAS, SUPPORTS } from "./spelled_fields.ts";
import { isWildcard, REST } from "./wildcard.ts";
import { defaultOffer } from "./video_offer.ts";

/** What the file says about a project; its switch, keys and balance live elsewhere. */
export type ProjectSettings = Pick<
  Project,
  "id" | "unlimited" | "models" | "limits" | "budgets" | "quotas"
>;

/** The whole file by itself, as on an empty database. `nowSeconds` dates its models. */
export function toCatalogue(
  file: CatalogueFile,
  { nowSeconds }: { nowSeconds: number },
): { readonly catalogue: Catalogue; readonly projects: readonly ProjectSettings[] } {
  const { currency, revision } = file;
  const kinds = new Map(file.providers.map(({ id, kind }) => [id, kind]));
  return {
    catalogue: {
      ...(revision !== undefined && { revision }),
      currency,
      providers: file.providers.map(toProvider),
      models: file.models.map((model) => ({
        ...toModelSettings(model),
        createdAt: nowSeconds,
        routes: model.routes.map((route) =>
          toRoute(route, { model, currency, providerKind: kinds.get(route.provider) })
        ),
      })),
    },
    projects: file.projects.map(toProjectSettings),
  };
}

/** One provider of the file. */
export function toProvider(provider: FileProvider): Provider {
  const { timeouts } = provider;
  const apiKeys = provider.api_key ?? [];
  const kind = kindNamed(provider.kind);
  const own = given(pick(provider, ownKeys(kind)));
  return {
    id: provider.id,
    kind: provider.kind,
    baseUrl: provider.base_url,
    apiKeys,
    auth: provider.auth ?? (apiKeys.length > 0 ? kind?.keyAuth : undefined) ?? { kind: "none" },
    official: provider.official,
    headers: provider.headers,
    query: provider.query,
    timeouts: {
      connectMs: timeouts.connect_ms,
      firstByteMs: timeouts.first_byte_ms,
      idleMs: timeouts.idle_ms,
      totalMs: timeouts.total_ms,
    },
    ...(Object.keys(own).length > 0 && { own }),
  };
}

/** What the file says about a model itself. */
export function toModelSettings(
  model: FileModel,
): Pick<Model, "id" | "kind" | "aliases" | "manualSelection"> {
  return {
    id: model.id,
    kind: model.kind,
    aliases: model.aliases,
    manualSelection: model.manual_selection,
  };
}

/**
 * One route of the file, priced but without a stored price version, switched as
 * the file says. A video route that says nothing of its offer has the default
 * one of its provider's kind.
 */
export function toRoute(
  route: FileRoute,
  { model, currency, providerKind }: {
    model: Pick<FileModel, "id" | "kind">;
    currency: string;
    /** `undefined` when the provider is not known (yet). */
    providerKind: string | undefined;
  },
): Route {
  const { video } = route;
  const switches = { enabled: route.enabled, maintenance: route.maintenance };
  return {
    id: route.id,
    modelId: model.id,
    providerId: route.provider,
    upstreamModel: route.upstream_model ?? (isWildcard(model.id) ? REST : model.id),
    riskLevel: route.risk_level,
    priority: route.priority,
    weight: route.weight,
    ...switches,
    writtenSwitches: switches,
    supports: SUPPORTS.read(route.supports),
    limits: LIMITS.read(route.limits),
    body: {
      set: route.set,
      default: route.default,
      drop: route.drop,
      ...(route.drop_tools.length > 0 && { dropTools: route.drop_tools }),
    },
    prices: {
      version: 0,
      routeId: route.id,
      currency,
      cost: route.cost === undefined ? undefined : toRates(route.cost),
      sale: toSale(route),
    },
    video: video === undefined ? defaultOffer(model.kind, providerKind) : {
      sizes: video.sizes,
      seconds: video.seconds,
      passFields: video.pass_fields,
    },
  };
}

/** One project of the file. */
export function toProjectSettings(project: FileProject): ProjectSettings {
  return {
    id: project.id,
    unlimited: project.unlimited,
    models: project.models,
    limits: LIMITS.read(project.limits),
    budgets: BUDGETS.read(project.budgets),
    quotas: QUOTAS.read(project.quotas),
  };
}

function toSale(route: FileRoute): Sale | undefined {
  const { sale } = route;
  if (route.free === true || sale?.free === true) return { kind: "free" };
  if (sale === undefined) return undefined;
  if (sale.markup !== undefined) return { kind: "markup", factorE8: parseAmount(sale.markup) };
  return { kind: "rates", rates: toRates(sale) };
}

/** Rates as the file has them. */
export function toRates(rates: FileRates | FileSale): Rates {
  return readRates(rates, { ...WIRE_NAMES, amount: parseAmount });
}

function pick(object: object, keys: readonly string[]): Record<string, unknown> {
  const all = object as Readonly<Record<string, unknown>>;
  return Object.fromEntries(keys.map((key) => [key, all[key]]));
}

/** The object without its undefined values, so that absent means absent. */
function given<T extends object>(
  object: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined),
  ) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
