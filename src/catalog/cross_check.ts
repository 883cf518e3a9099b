/**
 * Rules of the catalogue file that concern several of its parts at once. They
 * read the raw value, so that they report together with the schema's problems
 * instead of after them.
 *
 * @module
 */

import { type DocumentPath, type Loose, mappingFrom, type Report } from "../documents/problem.ts";
import { makesVideos, MODEL_KINDS } from "../domain/capabilities.ts";
import type { Provider } from "../domain/catalogue.ts";
import { checkRates } from "./check_rates.ts";
import { asArray } from "../domain/json_value.ts";
import { kindNamed } from "../providers/kinds.ts";
import { isWildcard, REST } from "./wildcard.ts";
import { notServed } from "./unserved_routes.ts";
import { KIND_SETTINGS } from "./provider_schema.ts";
import { RATE_KEYS } from "./price_schema.ts";
import { conditionOf, TERM_NAMES } from "../domain/terms.ts";

/** What a film was asked for and sold by: a rule on it would falsify money. */
const SOLD_FIELDS = ["prompt", "size", "seconds", "input_reference"];

/** Checks a route of a video model, raw as it is in the file. */
function checkVideo(route: Loose, path: DocumentPath, report: Report): void {
  const priced = pricedFields(route);
  const sold = [...SOLD_FIELDS, ...priced];
  for (const rule of ["set", "default"]) {
    for (const field of sold.filter((name) => name in mappingFrom(route[rule]))) {
      report([...path, rule, field], SOLD);
    }
  }
  for (const [index, field] of asArray(route.drop).entries()) {
    if (field === "prompt" || priced.some((name) => name === field)) {
      report([...path, "drop", index], SOLD);
    }
  }
}

/** Fields of the request that a condition of a price compares. */
function pricedFields({ cost, sale }: Loose): readonly string[] {
  const when = [cost, sale].flatMap((side) => asArray(mappingFrom(side).when)).map(mappingFrom);
  return TERM_NAMES.map(conditionOf)
    .filter(({ wire, isStored }) => isStored === true && when.some((one) => wire in one))
    .map(({ wire }) => wire);
}

const SOLD = "This field is what was asked for and sold: it cannot be changed by a rule";

/** A broken rule, without the file's name yet. */
export interface CrossFault {
  readonly path: DocumentPath;
  readonly message: string;
}

/**
 * Checks identifiers, references and combinations of a catalogue file.
 *
 * @param knownProviders Providers that exist besides the file's own (in the database).
 */
export function crossCheck(
  file: unknown,
  { knownProviders = [] }: { knownProviders?: readonly Pick<Provider, "id" | "kind">[] } = {},
): readonly CrossFault[] {
  const faults: CrossFault[] = [];
  const report: Report = (path, message) => faults.push({ path, message });
  const providers = listOf(file, "providers");
  const models = listOf(file, "models");
  const projects = listOf(file, "projects");

  unique(providers, { list: "providers", noun: "provider", report });
  unique(projects, { list: "projects", noun: "project", report });
  for (const [index, provider] of providers.entries()) {
    checkProvider(provider, ["providers", index], report);
  }

  const names = new Map<string, string>();
  const routes = new Map<string, string>();
  const kinds = new Map<unknown, unknown>(
    [...knownProviders, ...providers].map(({ id, kind }) => [id, kind]),
  );
  for (const [index, model] of models.entries()) {
    const path = ["models", index];
    claim(names, { name: model.id, path: [...path, "id"], noun: "model or alias", report });
    if (isWildcard(model.id) && makesVideos(model.kind)) {
      report([...path, "id"], "A film is made by a model that is named: leave out the *");
    }
    for (const [position, alias] of asArray(model.aliases).entries()) {
      const at = [...path, "aliases", position];
      claim(names, { name: alias, path: at, noun: "model or alias", report });
    }
    for (const [position, route] of listOf(model, "routes").entries()) {
      const at = [...path, "routes", position];
      claim(routes, { name: route.id, path: [...at, "id"], noun: "route", report });
      if (typeof route.provider === "string" && !kinds.has(route.provider)) {
        report([...at, "provider"], unknownProvider(route.provider));
      }
      checkRoute(route, { path: at, model, report });
      const kind = kindNamed(kinds.get(route.provider));
      const misfit = kind === undefined ? undefined : notServed(kind, model.kind);
      if (misfit !== undefined) report([...at, "provider"], misfit);
      else kind?.checkRoute?.({ route, model, path: at }, report);
      if (makesVideos(model.kind)) checkVideo(route, at, report);
      if (isWildcard(model.id) && String(route.upstream_model ?? REST).split(REST).length !== 2) {
        report([...at, "upstream_model"], "Needs one *, for what the caller has written there");
      }
    }
  }
  return faults;
}

/** What to say about a route whose provider does not exist. */
export function unknownProvider(id: string): string {
  return `No provider has the id '${id.slice(0, 64)}': add it under providers`;
}

function checkProvider(provider: Loose, path: DocumentPath, report: Report): void {
  const kind = kindNamed(provider.kind);
  if (kind === undefined) return;
  for (const key of KIND_SETTINGS) {
    if (key in provider && !(key in kind.settings)) {
      report([...path, key], `A ${kind.name} provider has none: remove it`);
    }
  }
  kind.check?.(provider, path, report);
}

function checkRoute(
  route: Loose,
  { path, model, report }: { path: DocumentPath; model: Loose; report: Report },
): void {
  const { kind } = model;
  const sale = mappingFrom(route.sale);
  const given = [
    RATE_KEYS.some((key) => key in sale) && "rates",
    "markup" in sale && "markup",
    "free" in sale && "free",
  ].filter((name) => name !== false);
  if ("sale" in route && given.length !== 1) {
    const found = given.length === 0 ? "none" : given.join(" and ");
    report([...path, "sale"], `Needs exactly one of rates, markup and free: found ${found}`);
  }
  if ("free" in route && "sale" in route) {
    report([...path, "free"], "Given together with sale: remove one of them");
  }
  if ("cost" in route && Object.keys(mappingFrom(route.cost)).length === 0) {
    report([...path, "cost"], "Needs at least one rate; without cost the route costs nothing");
  }
  // A wildcard's cost is that of the list of prices.
  if ("markup" in sale && !("cost" in route) && !isWildcard(model.id)) {
    report([...path, "sale", "markup"], "Needs cost: add the route's cost, or give rates");
  }
  for (const side of ["cost", "sale"]) {
    checkRates(route[side], { path: [...path, side], kind, report });
  }
  if ("video" in route && MODEL_KINDS.some((one) => one === kind) && !makesVideos(kind)) {
    report([...path, "video"], "Only routes of video models have it: remove it");
  }
  checkBodyRules(route, path, report);
}

function checkBodyRules(route: Loose, path: DocumentPath, report: Report): void {
  const owner = new Map<unknown, string>();
  const claimField = (field: unknown, rule: string, at: DocumentPath) => {
    const first = owner.get(field);
    if (first === undefined) owner.set(field, rule);
    else report(at, `The field is in ${first} already: one rule per field`);
  };
  for (const rule of ["set", "default"]) {
    for (const field of Object.keys(mappingFrom(route[rule]))) {
      claimField(field, rule, [...path, rule, field]);
    }
  }
  for (const [index, field] of asArray(route.drop).entries()) {
    claimField(field, "drop", [...path, "drop", index]);
  }
}

function unique(
  items: readonly Loose[],
  { list, noun, report }: { list: string; noun: string; report: Report },
): readonly string[] {
  const seen = new Map<string, string>();
  for (const [index, item] of items.entries()) {
    claim(seen, { name: item.id, path: [list, index, "id"], noun, report });
  }
  return [...seen.keys()];
}

function claim(
  seen: Map<string, string>,
  { name, path, noun, report }: {
    name: unknown;
    path: DocumentPath;
    noun: string;
    report: Report;
  },
): void {
  if (typeof name !== "string") return;
  if (seen.has(name)) report(path, `Another ${noun} has this name already: choose a different one`);
  else seen.set(name, noun);
}

function listOf(value: unknown, key: string): readonly Loose[] {
  return asArray(mappingFrom(value)[key]).map(mappingFrom);
}
