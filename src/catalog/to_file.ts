/**
 * The catalogue in the words of its file: for showing differences and for
 * writing a file that, applied, changes nothing.
 *
 * @module
 */

import type { Model, Provider, Route } from "../domain/catalogue.ts";
import { formatPrice } from "../domain/money.ts";
import type { Rates, Sale } from "../domain/price.ts";
import { spellRates, WIRE_NAMES } from "../domain/spell_rates.ts";
import { kindNamed } from "../providers/kinds.ts";
import { ownKeys } from "./provider_schema.ts";
import { BUDGETS, LIMITS, QUOTAS, SUPPORTS } from "./spelled_fields.ts";
import type { ProjectSettings } from "./to_catalogue.ts";

/** JSON in the shape of a part of the catalogue file. */
export type FilePart = { readonly [key: string]: unknown };

/** One provider, secrets as the references they are. */
export function providerToFile(provider: Provider): FilePart {
  const { timeouts } = provider;
  const part = {
    id: provider.id,
    kind: provider.kind,
    official: provider.official,
    timeouts: {
      connect_ms: timeouts.connectMs,
      first_byte_ms: timeouts.firstByteMs,
      idle_ms: timeouts.idleMs,
      total_ms: timeouts.totalMs,
    },
  };
  const kind = kindNamed(provider.kind);
  // Of a kind that another version knows: all that is stored.
  if (kind === undefined) return { ...part, ...upstreamToFile(provider), ...provider.own };
  return {
    ...part,
    ...Object.fromEntries(
      Object.entries(upstreamToFile(provider)).filter(([key]) => key in kind.settings),
    ),
    ...written(Object.fromEntries(
      ownKeys(kind).map((
        key,
      ) => [key, provider.own?.[key] ?? kind.settings[key]!.parse(undefined)]),
    )),
  };
}

function upstreamToFile({ auth, baseUrl, apiKeys, headers, query }: Provider): FilePart {
  return {
    ...(baseUrl !== undefined && { base_url: baseUrl }),
    ...(apiKeys.length > 0 && { api_key: apiKeys }),
    auth: auth.kind === "header" ? { header: auth.name } : auth.kind,
    headers,
    query,
  };
}

/** What a file says about a model itself, without its routes. */
export function modelToFile(model: Model): FilePart {
  return {
    id: model.id,
    kind: model.kind,
    aliases: model.aliases,
    manual_selection: model.manualSelection,
  };
}

/** One route with its prices and switches. */
export function routeToFile(route: Route): FilePart {
  const { cost, sale } = route.prices;
  return {
    id: route.id,
    provider: route.providerId,
    upstream_model: route.upstreamModel,
    risk_level: route.riskLevel,
    priority: route.priority,
    weight: route.weight,
    enabled: route.enabled,
    maintenance: route.maintenance,
    supports: SUPPORTS.write(route.supports),
    ...(cost !== undefined && { cost: ratesToFile(cost) }),
    ...(sale !== undefined && { sale: saleToFile(sale) }),
    limits: LIMITS.write(route.limits),
    set: route.body.set,
    default: route.body.default,
    drop: route.body.drop,
    drop_tools: route.body.dropTools ?? [],
    ...(route.video !== undefined && {
      video: {
        sizes: route.video.sizes,
        seconds: route.video.seconds,
        pass_fields: route.video.passFields,
      },
    }),
  };
}

/** What a file says about a project. */
export function projectToFile(project: ProjectSettings): FilePart {
  return {
    id: project.id,
    unlimited: project.unlimited,
    models: project.models,
    limits: LIMITS.write(project.limits),
    budgets: BUDGETS.write(project.budgets, formatPrice),
    quotas: QUOTAS.write(project.quotas),
  };
}

function saleToFile(sale: Sale): FilePart {
  switch (sale.kind) {
    case "free":
      return { free: true };
    case "markup":
      return { markup: formatPrice(sale.factorE8) };
    case "rates":
      return ratesToFile(sale.rates);
  }
}

function ratesToFile(rates: Rates): FilePart {
  return spellRates(rates, { ...WIRE_NAMES, amount: formatPrice });
}

function written(part: FilePart): FilePart {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined));
}
