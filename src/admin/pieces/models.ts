/**
 * One model of the catalogue with its routes: shown, set, deleted.
 *
 * @module
 */

import * as z from "zod";
import { modelRow, shownModel } from "../models.ts";
import { defineOperation } from "../operation.ts";
import { requireModel } from "../routes.ts";
import { changeFields, changePiece, pieceAnswer } from "./change_piece.ts";
import type { ModelPart } from "./document.ts";
import { shownPiece, showPiece } from "./shown_piece.ts";
import { mergePiece, replacePart, settingsFields } from "./settings.ts";

const PATH = "/catalogue/models/{model}";
const byModel = { model: z.string().min(1).max(200).describe("id of the model") };

export const showModel = defineOperation({
  name: "models.show",
  method: "GET",
  path: PATH,
  effects: "reads",
  summary: "Shows a model, with its settings as a catalogue file has them and their version.",
  input: z.strictObject(byModel),
  output: shownModel.extend(shownPiece),
  errors: ["not_found"],
  run(deps, { model: name }) {
    const model = requireModel(deps, name);
    return Promise.resolve({
      ...modelRow(deps, model),
      ...showPiece(deps, { kind: "model", id: model.id }),
    });
  },
});

export const setModel = defineOperation({
  name: "models.set",
  method: "POST",
  path: PATH,
  effects: "changes",
  summary:
    "Adds a model, or changes the given settings of one; its routes too, where they are given.",
  input: z.strictObject({
    ...byModel,
    ...settingsFields,
    ...changeFields,
  }),
  output: pieceAnswer,
  errors: ["version_conflict"],
  run(deps, { model: id, settings, replace, ...asked }) {
    return changePiece(deps, {
      ...asked,
      name: { kind: "model", id },
      operation: "models.set",
      change(document, before) {
        const part = mergePiece({ id, before, settings, replace });
        // Settings are settings: whoever replaces them and names no routes keeps those.
        const routes = part.routes ?? before?.routes ?? [];
        return {
          ...document,
          models: replacePart(document.models, { ...part, routes } as ModelPart),
        };
      },
    });
  },
});

export const deleteModel = defineOperation({
  name: "models.delete",
  method: "DELETE",
  path: PATH,
  effects: "changes",
  summary: "Deletes a model with its routes; calls under way go on.",
  input: z.strictObject({ ...byModel, ...changeFields }),
  output: pieceAnswer,
  errors: ["not_found", "version_conflict"],
  run(deps, { model, ...asked }) {
    const { id } = requireModel(deps, model);
    return changePiece(deps, {
      ...asked,
      name: { kind: "model", id },
      operation: "models.delete",
      change: (document) => ({
        ...document,
        models: document.models.filter((one) => one.id !== id),
      }),
    });
  },
});
