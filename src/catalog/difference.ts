/**
 * What applying a catalogue file would change, as a pure function: the same plan
 * is printed by `apply --dry-run` and carried out without it.
 *
 * The file is the whole truth about each provider, model, route and project that
 * it lists: a setting that it leaves out has its default. Three things stay:
 * - What the file does not list, unless `prune` asks for its removal. Projects
 *   are never removed, since they own balances and history.
 * - A route's `enabled` and `maintenance` as the operator switched them, as long
 *   as the file says of them what it said the time before.
 * - A project's `disabled` switch, which the file cannot express.
 *
 * @module
 */

import type { Project } from "../domain/account.ts";
import type { Catalogue, Model, Provider, Route, RouteSwitches } from "../domain/catalogue.ts";
import { samePrices } from "../domain/spell_rates.ts";
import type { DocumentPath } from "../documents/problem.ts";
import { type Change, compareParts } from "./change.ts";
import { unknownProvider } from "./cross_check.ts";
import type { CatalogueFile, FileModel } from "./file_schema.ts";
import type { FileRoute } from "./route_schema.ts";
import { toModelSettings, toProjectSettings, toProvider, toRoute } from "./to_catalogue.ts";
import {
  type FilePart,
  modelToFile,
  projectToFile,
  providerToFile,
  routeToFile,
} from "./to_file.ts";

/** How to apply a file. */
export interface ApplyOptions {
  /** Removes the providers, models and routes that the file does not list. */
  readonly prune: boolean;
  /** What stays unchecked although it is not listed: each as its kind and id, `route one/small`. */
  readonly keeps?: ReadonlySet<string>;
  /** Milliseconds since the epoch: dates what is new. */
  readonly nowMs: number;
}

/** Why a file does not fit what is there; `path` leads into the file. */
export interface PlanFault {
  readonly path: DocumentPath;
  readonly message: string;
}

/** What applying a file results in. */
export interface ApplyPlan {
  readonly ok: true;
  /**
   * The whole catalogue to write. Price versions that stay keep their number, new
   * ones have 0. Switches are as the file says them; writing gives back the
   * catalogue with those in force, by the same rule as {@linkcode changes}.
   */
  readonly catalogue: Catalogue;
  readonly projects: { readonly create: readonly Project[]; readonly update: readonly Project[] };
  /** Empty when everything stays as it is. */
  readonly changes: readonly Change[];
}

/** A file that cannot be applied to what is there. */
export interface ApplyRefused {
  readonly ok: false;
  readonly faults: readonly PlanFault[];
}

/** Joins a checked file with the current state. Pure; changes neither. */
export function planApply(
  current: { readonly catalogue: Catalogue; readonly projects: readonly Project[] },
  file: CatalogueFile,
  options: ApplyOptions,
): ApplyPlan | ApplyRefused {
  const catalogue = mergeCatalogue(current.catalogue, file, options);
  const faults = findFaults(catalogue, { current: current.catalogue, file, keeps: options.keeps });
  if (faults.length > 0) return { ok: false, faults };
  const projects = mergeProjects(current.projects, file, options);
  const changes = [
    ...compareCatalogues(current.catalogue, inForce(catalogue, current.catalogue)),
    ...compareProjects(current.projects, [...projects.create, ...projects.update]),
  ];
  return { ok: true, catalogue, projects, changes };
}

/** Every difference between two catalogues; prices by value, whatever their versions. */
export function compareCatalogues(before: Catalogue, after: Catalogue): readonly Change[] {
  const changes: Change[] = [];
  for (const kind of ["revision", "currency"] as const) {
    if (before[kind] === after[kind]) continue;
    const field = { path: kind, before: before[kind], after: after[kind] };
    changes.push({ action: "change", kind, id: String(after[kind]), fields: [field] });
  }
  return [
    ...changes,
    ...compareLists(before.providers, after.providers, {
      kind: "provider",
      toPart: providerToFile,
    }),
    ...compareLists(before.models, after.models, { kind: "model", toPart: modelToFile }),
    ...compareLists(routesOf(before), routesOf(after), {
      kind: "route",
      toPart: (route) => ({ model: route.modelId, ...routeToFile(route) }),
    }),
  ];
}

function compareProjects(
  current: readonly Project[],
  written: readonly Project[],
): readonly Change[] {
  const ids = new Set(written.map(({ id }) => id));
  const listed = current.filter(({ id }) => ids.has(id));
  return compareLists(listed, written, { kind: "project", toPart: projectToFile });
}

function compareLists<T extends { readonly id: string }>(
  before: readonly T[],
  after: readonly T[],
  { kind, toPart }: { kind: Change["kind"]; toPart: (item: T) => FilePart },
): readonly Change[] {
  const old = byId(before);
  const young = byId(after);
  const changes: Change[] = [];
  for (const item of after) {
    const previous = old.get(item.id);
    if (previous === undefined) {
      changes.push({ action: "add", kind, id: item.id });
    } else {
      const fields = compareParts(toPart(previous), toPart(item));
      if (fields.length > 0) changes.push({ action: "change", kind, id: item.id, fields });
    }
  }
  for (const { id } of before) if (!young.has(id)) changes.push({ action: "remove", kind, id });
  return changes;
}

function mergeCatalogue(
  current: Catalogue,
  file: CatalogueFile,
  { prune, keeps, nowMs }: ApplyOptions,
): Catalogue {
  const stays = (kind: string, id: string) => !prune || keeps?.has(`${kind} ${id}`) === true;
  const listedProviders = new Set(file.providers.map(({ id }) => id));
  const listedModels = new Set(file.models.map(({ id }) => id));
  const listedRoutes = new Set(file.models.flatMap((model) => model.routes.map(({ id }) => id)));
  const currentModels = byId(current.models);
  const currentRoutes = byId(routesOf(current));
  const kinds = new Map(
    [...current.providers, ...file.providers].map(({ id, kind }) => [id, kind]),
  );
  const kept = (model: Model | undefined): readonly Route[] =>
    model === undefined ? [] : model.routes
      // A route that the file lists under another model has moved there.
      .filter(({ id }) => !listedRoutes.has(id))
      .filter(({ id }) => stays("model", model.id) || stays("route", id))
      .map((route) => inCurrency({ ...route, ...writtenSwitchesOf(route) }, file.currency));
  const merge = (model: FileModel): Model => ({
    ...toModelSettings(model),
    createdAt: currentModels.get(model.id)?.createdAt ?? Math.floor(nowMs / 1000),
    routes: inPlace([
      ...model.routes.map((route) =>
        mergeRoute(route, {
          model,
          currency: file.currency,
          providerKind: kinds.get(route.provider),
          previous: currentRoutes.get(route.id),
        })
      ),
      ...kept(currentModels.get(model.id)),
    ], currentModels.get(model.id)?.routes),
  });
  const unlisted = <T extends { readonly id: string }>(
    kind: "provider" | "model",
    items: readonly T[],
    listed: ReadonlySet<string>,
  ): readonly T[] => items.filter(({ id }) => !listed.has(id) && stays(kind, id));
  // What a piece's change sets aside has its place: it is no file's order that is followed.
  const inPlace = <T extends { readonly id: string }>(
    items: readonly T[],
    before: readonly T[] = [],
  ): readonly T[] => {
    if (keeps === undefined) return items;
    const places = new Map(before.map(({ id }, place) => [id, place]));
    const placeOf = ({ id }: T) => places.get(id) ?? before.length;
    return items.toSorted((one, other) => placeOf(one) - placeOf(other));
  };
  const revision = file.revision ?? current.revision;
  return {
    ...(revision !== undefined && { revision }),
    currency: file.currency,
    providers: inPlace([
      ...file.providers.map(toProvider),
      ...unlisted<Provider>("provider", current.providers, listedProviders),
    ], current.providers),
    models: inPlace([
      ...file.models.map(merge),
      ...unlisted("model", current.models, listedModels).map((model) => ({
        ...model,
        routes: kept(model),
      })),
    ], current.models),
  };
}

function mergeRoute(
  fileRoute: FileRoute,
  { previous, ...context }: {
    model: FileModel;
    currency: string;
    providerKind: string | undefined;
    previous: Route | undefined;
  },
): Route {
  const route = toRoute(fileRoute, context);
  if (previous === undefined) return route;
  return samePrices(route.prices, previous.prices) ? { ...route, prices: previous.prices } : route;
}

/** The catalogue with the switches that will be in force once it is written. */
function inForce(written: Catalogue, current: Catalogue): Catalogue {
  const currentRoutes = byId(routesOf(current));
  return {
    ...written,
    models: written.models.map((model) => ({
      ...model,
      routes: model.routes.map((route) => {
        const previous = currentRoutes.get(route.id);
        if (previous === undefined) return route;
        const before = writtenSwitchesOf(previous);
        const { enabled, maintenance } = route;
        return {
          ...route,
          enabled: enabled === before.enabled ? previous.enabled : enabled,
          maintenance: maintenance === before.maintenance ? previous.maintenance : maintenance,
        };
      }),
    })),
  };
}

/** A catalogue to write again as it is: switches as it last said them, so that an operator's stay. */
export function asWritten(catalogue: Catalogue): Catalogue {
  return {
    ...catalogue,
    models: catalogue.models.map((model) => ({
      ...model,
      routes: model.routes.map((route) => ({ ...route, ...writtenSwitchesOf(route) })),
    })),
  };
}

/** What the catalogue last said of a route's switches, whatever an operator has switched since. */
export function writtenSwitchesOf({ writtenSwitches }: Route): RouteSwitches {
  return writtenSwitches ?? { enabled: true, maintenance: false };
}

function inCurrency(route: Route, currency: string): Route {
  if (route.prices.currency === currency) return route;
  return { ...route, prices: { ...route.prices, currency, version: 0 } };
}

function mergeProjects(
  current: readonly Project[],
  file: CatalogueFile,
  { nowMs }: ApplyOptions,
): ApplyPlan["projects"] {
  const existing = byId(current);
  const create: Project[] = [];
  const update: Project[] = [];
  for (const fileProject of file.projects) {
    const settings = toProjectSettings(fileProject);
    const previous = existing.get(settings.id);
    if (previous === undefined) {
      create.push({ ...settings, disabled: false, createdAt: nowMs });
    } else if (compareParts(projectToFile(previous), projectToFile(settings)).length > 0) {
      update.push({ ...previous, ...settings });
    }
  }
  return { create, update };
}

function findFaults(
  merged: Catalogue,
  { current, file, keeps }: {
    current: Catalogue;
    file: CatalogueFile;
    keeps: ApplyOptions["keeps"];
  },
): readonly PlanFault[] {
  const faults: PlanFault[] = [];
  const providers = new Set(merged.providers.map(({ id }) => id));
  const removed = new Set(current.providers.map(({ id }) => id));
  const names = new Map<string, string>();
  const listed = new Set(file.models.flatMap((model) => model.routes.map(({ id }) => id)));
  const currencyChanges = current.currency !== file.currency;
  for (const [index, model] of merged.models.entries()) {
    if (keeps?.has(`model ${model.id}`) === true) continue;
    // The file's models come first, so an index below their number is one in the file.
    const path: DocumentPath = index < file.models.length ? ["models", index] : ["models"];
    for (const name of [model.id, ...model.aliases]) {
      const owner = names.get(name);
      if (owner === undefined) names.set(name, model.id);
      else faults.push({ path: ["models"], message: clash(name, owner, model.id) });
    }
    for (const [position, route] of model.routes.entries()) {
      if (keeps?.has(`route ${route.id}`) === true) continue;
      const at = listed.has(route.id) ? [...path, "routes", position, "provider"] : path;
      if (!providers.has(route.providerId)) {
        const message = removed.has(route.providerId)
          ? `Cannot remove provider '${route.providerId}': route '${route.id}' uses it; ` +
            "list the provider, or remove the route too"
          : unknownProvider(route.providerId);
        faults.push({ path: at, message });
      }
      if (currencyChanges && !listed.has(route.id) && hasPrices(route)) {
        const message = `Cannot change the currency from ${current.currency} to ` +
          `${file.currency}: route '${route.id}', which the file does not list, has prices; ` +
          "list it, or prune";
        faults.push({ path: ["currency"], message });
      }
    }
  }
  return faults;
}

function clash(name: string, owner: string, other: string): string {
  return `The name '${name}' belongs to model '${owner}' and to model '${other}', ` +
    "which exists already: choose another name, list that model too, or prune";
}

/** Whether any price of a route differs from nothing in whatever currency. */
function hasPrices({ prices }: Route): boolean {
  const rates = [prices.cost, prices.sale?.kind === "rates" ? prices.sale.rates : undefined];
  return rates.some((side) =>
    side !== undefined && Object.values(side).some((rate) => rate !== 0n)
  );
}

function routesOf(catalogue: Catalogue): readonly Route[] {
  return catalogue.models.flatMap(({ routes }) => routes);
}

function byId<T extends { readonly id: string }>(items: readonly T[]): Map<string, T> {
  return new Map(items.map((item) => [item.id, item]));
}
