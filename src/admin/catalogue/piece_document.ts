/**
 * The catalogue as the document that its file would be, of which one piece at a time is looked
 * at or changed.
 *
 * @module
 */

import { writtenSwitchesOf } from "../../catalog/difference.ts";
import { type FilePart, modelToFile, providerToFile, routeToFile } from "../../catalog/to_file.ts";
import type { Catalogue, Model, Route } from "../../domain/catalogue.ts";
import { createHash } from "node:crypto";
import { canonical } from "../../catalog/change.ts";
import { GatewayError } from "../../errors.ts";

/** The kinds of pieces. */
export type PieceKind = "provider" | "model" | "route";

/** A piece by its name. */
export interface PieceName {
  readonly kind: PieceKind;
  readonly id: string;
}

/** The catalogue in the words of its file: applied, it changes nothing. */
export interface CatalogueDocument {
  readonly currency: string;
  readonly providers: readonly FilePart[];
  readonly models: readonly ModelPart[];
}

/** A model with its routes. */
export interface ModelPart extends FilePart {
  readonly id: string;
  readonly routes: readonly FilePart[];
}

/** Makes the document; of switches it says what was last written, not what an operator switched. */
export function documentOf({ currency, providers, models }: Catalogue): CatalogueDocument {
  return { currency, providers: providers.map(providerToFile), models: models.map(modelPart) };
}

/** A piece in the words of the file, a route with its model; `undefined` where there is none. */
export function pieceOf(
  { providers, models }: Catalogue,
  { kind, id }: PieceName,
): FilePart | undefined {
  const isNamed = (one: { readonly id: string }) => one.id === id;
  switch (kind) {
    case "provider": {
      const provider = providers.find(isNamed);
      return provider && providerToFile(provider);
    }
    case "model": {
      const model = models.find(isNamed);
      return model && modelPart(model);
    }
    case "route": {
      const route = models.flatMap(({ routes }) => routes).find(isNamed);
      return route && { model: route.modelId, ...routePart(route) };
    }
  }
}

function modelPart(model: Model): ModelPart {
  return { ...modelToFile(model), id: model.id, routes: model.routes.map(routePart) };
}

function routePart(route: Route): FilePart {
  return routeToFile({ ...route, ...writtenSwitchesOf(route) });
}

/** Where the piece stands in the document, such as `models[0].routes[2]`; "" where it is gone. */
export function pathOf({ providers, models }: CatalogueDocument, { kind, id }: PieceName): string {
  const indexOf = (parts: readonly FilePart[]) => parts.findIndex((part) => part.id === id);
  if (kind === "provider") {
    const index = indexOf(providers);
    return index < 0 ? "" : `providers[${index}]`;
  }
  if (kind === "model") {
    const index = indexOf(models);
    return index < 0 ? "" : `models[${index}]`;
  }
  const paths = models.flatMap(({ routes }, at) => {
    const index = indexOf(routes);
    return index < 0 ? [] : [`models[${at}].routes[${index}]`];
  });
  return paths[0] ?? "";
}

/** What is asked for where there may be none yet. */
const NO_VERSION = "none";

const CHARACTERS = 16;

/** The same for the same settings, wherever and whenever they are read. */
export function versionOf(part: FilePart | undefined): string {
  if (part === undefined) return NO_VERSION;
  return createHash("sha256").update(canonical(part)!).digest("hex").slice(0, CHARACTERS);
}

/**
 * Refuses a change of something that has changed since it was read.
 *
 * @throws {GatewayError} `version_conflict`
 */
export function requireVersion(
  { kind, id }: PieceName,
  part: FilePart | undefined,
  asked: string | undefined,
): void {
  const version = versionOf(part);
  if (asked === undefined || asked === version) return;
  const what = part === undefined
    ? `There is no ${kind} '${id}'`
    : asked === NO_VERSION
    ? `There is a ${kind} '${id}' already, in version ${version}`
    : `The ${kind} '${id}' has changed meanwhile: it is in version ${version}`;
  throw new GatewayError(
    "version_conflict",
    `Nothing was changed. ${what}, not ${asked}: read it with \`tollgate ${kind}s show ${id}\`, ` +
      "and repeat the change with the version that it shows",
    { param: "if_version" },
  );
}
