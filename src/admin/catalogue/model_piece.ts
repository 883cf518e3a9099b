/**
 * One model of the catalogue with its routes: shown, set, deleted.
 *
 * @module
 */

import * as z from "zod";
import { modelRow, shownModel } from "./models.ts";
import { defineOperation } from "../base/operation.ts";
import { requireModel } from "./routes.ts";
import type { ModelPart } from "./piece_document.ts";
import { deleteOperation, pathOfPiece, pieceId, setOperation } from "./piece_operations.ts";
import { replacePart, withoutPart } from "./merge_settings.ts";
import { shownPiece, showPiece } from "./shown_piece.ts";

export const showModel = defineOperation({
  name: "models.show",
  method: "GET",
  path: pathOfPiece("model"),
  effects: "reads",
  summary: "Shows a model, with its settings as a catalogue file has them and their version.",
  input: z.strictObject({ id: pieceId }),
  output: shownModel.extend(shownPiece),
  errors: ["not_found"],
  async run(deps, { id: name }) {
    const model = requireModel(deps, name);
    const piece = showPiece(deps, { kind: "model", id: model.id });
    return await Promise.resolve({ ...modelRow(deps, model), ...piece });
  },
});

export const setModel = setOperation("model", {
  summary:
    "Adds a model, or changes the given settings of one; its routes too, where they are given.",
  put(document, part) {
    // Whoever replaces settings and names no routes keeps those.
    const routes = document.models.find(({ id }) => id === part.id)?.routes ?? [];
    const model = { routes, ...part } as ModelPart;
    return { ...document, models: replacePart(document.models, model) };
  },
});

export const deleteModel = deleteOperation("model", {
  summary: "Deletes a model with its routes; calls under way go on.",
  without: (document, id) => ({ ...document, models: withoutPart(document.models, id) }),
});
