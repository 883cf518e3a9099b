/**
 * One provider of the catalogue: shown, set, deleted.
 *
 * @module
 */

import * as z from "zod";
import { GatewayError } from "../../errors.ts";
import { defineOperation } from "../base/operation.ts";
import { providerRow, requireProvider, shownProvider } from "./providers.ts";
import { deleteOperation, pathOfPiece, pieceId, setOperation } from "./piece_operations.ts";
import { replacePart, withoutPart } from "./merge_settings.ts";
import { shownPiece, showPiece } from "./shown_piece.ts";

export const showProvider = defineOperation({
  name: "providers.show",
  method: "GET",
  path: pathOfPiece("provider"),
  effects: "reads",
  summary: "Shows a provider, with its settings as a catalogue file has them and their version.",
  input: z.strictObject({ id: pieceId }),
  output: shownProvider.extend(shownPiece),
  errors: ["not_found"],
  async run(deps, { id }) {
    const row = providerRow(deps, requireProvider(deps, id));
    return await Promise.resolve({ ...row, ...showPiece(deps, { kind: "provider", id }) });
  },
});

export const setProvider = setOperation("provider", {
  summary: "Adds a provider, or changes the given settings of one; what is null is taken away.",
  put: (document, part) => ({ ...document, providers: replacePart(document.providers, part) }),
});

export const deleteProvider = deleteOperation("provider", {
  summary: "Deletes a provider that no route uses.",
  without(document, id) {
    const users = document.models.flatMap(({ routes }) => routes)
      .filter(({ provider }) => provider === id).map((route) => String(route.id));
    if (users.length > 0) throw stillUsed(id, users);
    return { ...document, providers: withoutPart(document.providers, id) };
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
