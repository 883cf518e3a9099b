/**
 * One route of the catalogue with its prices: shown, set, deleted.
 *
 * @module
 */

import * as z from "zod";
import { GatewayError } from "../../errors.ts";
import { defineOperation } from "../operation.ts";
import { requireModel, requireRoute, routeRow, shownRoute } from "../routes.ts";
import { changeFields, changePiece, pieceAnswer } from "./change_piece.ts";
import type { CatalogueDocument } from "./document.ts";
import { shownPiece, showPiece } from "./shown_piece.ts";
import { mergePiece, replacePart, settingsFields } from "./settings.ts";

const PATH = "/catalogue/routes/{route}";
const byRoute = { route: z.string().min(1).max(200).describe("id of the route") };

export const showRoute = defineOperation({
  name: "routes.show",
  method: "GET",
  path: PATH,
  effects: "reads",
  summary:
    "Shows a route's state, with its settings as a catalogue file has them and their version.",
  input: z.strictObject(byRoute),
  output: shownRoute.extend(shownPiece),
  errors: ["not_found"],
  run(deps, { route: id }) {
    const route = requireRoute(deps, id);
    const model = requireModel(deps, route.modelId);
    return Promise.resolve({
      ...routeRow(deps, model, route),
      ...showPiece(deps, { kind: "route", id }),
    });
  },
});

export const setRoute = defineOperation({
  name: "routes.set",
  method: "POST",
  path: PATH,
  effects: "changes",
  summary: "Adds a route, or changes the given settings of one; changed prices are a new version.",
  input: z.strictObject({
    ...byRoute,
    model: z.string().min(1).max(200).optional()
      .describe("the model that it serves; needed for a new route"),
    ...settingsFields,
    ...changeFields,
  }),
  output: pieceAnswer,
  errors: ["not_found", "version_conflict"],
  run(deps, { route: id, model, settings, replace, ...asked }) {
    return changePiece(deps, {
      ...asked,
      name: { kind: "route", id },
      operation: "routes.set",
      change(document, before) {
        const owner = model === undefined ? ownerOf(document, id) : requireModel(deps, model).id;
        const part = mergePiece({ id, before, settings, replace });
        return {
          ...document,
          models: document.models.map((one) => ({
            ...one,
            routes: one.id === owner ? replacePart(one.routes, part) : without(one.routes, id),
          })),
        };
      },
    });
  },
});

export const deleteRoute = defineOperation({
  name: "routes.delete",
  method: "DELETE",
  path: PATH,
  effects: "changes",
  summary: "Deletes a route; calls under way go on.",
  input: z.strictObject({ ...byRoute, ...changeFields }),
  output: pieceAnswer,
  errors: ["not_found", "version_conflict"],
  run(deps, { route: id, ...asked }) {
    return changePiece(deps, {
      ...asked,
      name: { kind: "route", id },
      operation: "routes.delete",
      change(document) {
        requireRoute(deps, id);
        return {
          ...document,
          models: document.models.map((one) => ({ ...one, routes: without(one.routes, id) })),
        };
      },
    });
  },
});

function without<Part extends { readonly id?: unknown }>(
  parts: readonly Part[],
  id: string,
): readonly Part[] {
  return parts.filter((part) => part.id !== id);
}

function ownerOf({ models }: CatalogueDocument, id: string): string {
  const owner = models.find(({ routes }) => routes.some((route) => route.id === id));
  if (owner !== undefined) return owner.id;
  throw new GatewayError(
    "invalid_value",
    `There is no route '${id}' yet: say which model it is to serve`,
    { param: "model" },
  );
}
