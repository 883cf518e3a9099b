/**
 * One provider of the catalogue: shown, set, deleted.
 *
 * @module
 */

import * as z from "zod";
import { GatewayError } from "../../errors.ts";
import { defineOperation } from "../operation.ts";
import { providerRow, requireProvider, shownProvider } from "../providers.ts";
import { changeFields, changePiece, pieceAnswer } from "./change_piece.ts";
import { shownPiece, showPiece } from "./shown_piece.ts";
import { mergePiece, replacePart, settingsFields } from "./settings.ts";

const PATH = "/catalogue/providers/{provider}";
const byProvider = { provider: z.string().min(1).max(64).describe("id of the provider") };

export const showProvider = defineOperation({
  name: "providers.show",
  method: "GET",
  path: PATH,
  effects: "reads",
  summary: "Shows a provider, with its settings as a catalogue file has them and their version.",
  input: z.strictObject(byProvider),
  output: shownProvider.extend(shownPiece),
  errors: ["not_found"],
  run(deps, { provider: id }) {
    const provider = requireProvider(deps, id);
    return Promise.resolve({
      ...providerRow(deps, provider),
      ...showPiece(deps, { kind: "provider", id }),
    });
  },
});

export const setProvider = defineOperation({
  name: "providers.set",
  method: "POST",
  path: PATH,
  effects: "changes",
  summary: "Adds a provider, or changes the given settings of one; what is null is taken away.",
  input: z.strictObject({
    ...byProvider,
    ...settingsFields,
    ...changeFields,
  }),
  output: pieceAnswer,
  errors: ["version_conflict"],
  run(deps, { provider: id, settings, replace, ...asked }) {
    return changePiece(deps, {
      ...asked,
      name: { kind: "provider", id },
      operation: "providers.set",
      change: (document, before) => ({
        ...document,
        providers: replacePart(document.providers, mergePiece({ id, before, settings, replace })),
      }),
    });
  },
});

export const deleteProvider = defineOperation({
  name: "providers.delete",
  method: "DELETE",
  path: PATH,
  effects: "changes",
  summary: "Deletes a provider that no route uses.",
  input: z.strictObject({ ...byProvider, ...changeFields }),
  output: pieceAnswer,
  errors: ["not_found", "version_conflict"],
  run(deps, { provider: id, ...asked }) {
    return changePiece(deps, {
      ...asked,
      name: { kind: "provider", id },
      operation: "providers.delete",
      change(document) {
        requireProvider(deps, id);
        const users = document.models.flatMap(({ routes }) => routes)
          .filter(({ provider }) => provider === id).map((route) => String(route.id));
        if (users.length > 0) throw stillUsed(id, users);
        return { ...document, providers: document.providers.filter((one) => one.id !== id) };
      },
    });
  },
});

const MOST_TOLD = 5;

function stillUsed(id: string, routes: readonly string[]): GatewayError {
  const more = routes.length > MOST_TOLD ? ` and ${routes.length - MOST_TOLD} more` : "";
  return new GatewayError(
    "conflict",
    `Cannot delete provider '${id}' while there are routes of it: ` +
      `${routes.slice(0, MOST_TOLD).join(", ")}${more}. Delete those first, or give them another ` +
      "provider with `tollgate routes set`",
  );
}
