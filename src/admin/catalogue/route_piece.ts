/**
 * One route of the catalogue with its prices: shown, set, deleted.
 *
 * @module
 */

import * as z from "zod";
import { GatewayError } from "../../errors.ts";
import { defineOperation } from "../base/operation.ts";
import { requireModel, requireRoute, routeRow, shownRoute } from "./routes.ts";
import { deleteOperation, pathOfPiece, pieceId, setOperation } from "./piece_operations.ts";
import { replacePart, withoutPart } from "./merge_settings.ts";
import { shownPiece, showPiece } from "./shown_piece.ts";

export const showRoute = defineOperation({
  name: "routes.show",
  method: "GET",
  path: pathOfPiece("route"),
  effects: "reads",
  summary:
    "Shows a route's state, with its settings as a catalogue file has them and their version.",
  input: z.strictObject({ id: pieceId }),
  output: shownRoute.extend(shownPiece),
  errors: ["not_found"],
  async run(deps, { id }) {
    const route = requireRoute(deps, id);
    const row = routeRow(deps, requireModel(deps, route.modelId), route);
    return await Promise.resolve({ ...row, ...showPiece(deps, { kind: "route", id }) });
  },
});

export const setRoute = setOperation("route", {
  summary: "Adds a route, or changes the given settings of one; changed prices are a new version.",
  put(document, { model: owner, ...part }) {
    if (!document.models.some(({ id }) => id === owner)) throw withoutModel(part.id, owner);
    const models = document.models.map((model) => ({
      ...model,
      routes: model.id === owner
        ? replacePart(model.routes, part)
        : withoutPart(model.routes, part.id),
    }));
    return { ...document, models };
  },
  warn({ catalogue }, id, settings) {
    const route = catalogue.current.route(id);
    if (route === undefined) return [];
    const { enabled, maintenance } = settings;
    const stays = (state: string, command: string) =>
      `Route ${id} stays ${state}, as it was switched since: tollgate routes ${command}`;
    return [
      ...(enabled === true && !route.enabled ? [stays("disabled", `enable ${id}`)] : []),
      ...(enabled === false && route.enabled ? [stays("enabled", `disable ${id}`)] : []),
      ...(maintenance === true && !route.maintenance
        ? [stays("out of maintenance", `maintenance ${id}`)]
        : []),
      ...(maintenance === false && route.maintenance
        ? [stays("in maintenance", `maintenance ${id} --off`)]
        : []),
    ];
  },
});

export const deleteRoute = deleteOperation("route", {
  summary: "Deletes a route; calls under way go on.",
  without: (document, id) => ({
    ...document,
    models: document.models.map((model) => ({ ...model, routes: withoutPart(model.routes, id) })),
  }),
});

function withoutModel(id: string, model: unknown): GatewayError {
  const why = model === undefined ? "say which model it serves" : `there is no model '${model}'`;
  return new GatewayError("invalid_value", `Cannot set route '${id}': ${why}`, {
    param: "settings.model",
  });
}
