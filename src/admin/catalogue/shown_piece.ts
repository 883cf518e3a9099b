/**
 * What every piece of the catalogue shows of itself.
 *
 * @module
 */

import * as z from "zod";
import type { FilePart } from "../../catalog/to_file.ts";
import type { AdminDeps } from "../base/deps.ts";
import { type PieceName, pieceOf } from "./piece_document.ts";
import { withoutSecrets } from "./merge_settings.ts";
import { versionOf } from "./piece_version.ts";

/** The fields besides those of its row in a list. */
export const shownPiece = {
  version: z.string().describe("Of the settings: a change may name it as if_version"),
  settings: z.record(z.string(), z.unknown()).describe(
    "As in a catalogue file; values of headers and queries are hidden",
  ),
};

/** A piece that there is. */
export function showPiece(
  { catalogue }: Pick<AdminDeps, "catalogue">,
  name: PieceName,
): { readonly version: string; readonly settings: FilePart } {
  const part = pieceOf(catalogue.current.catalogue, name)!;
  return { version: versionOf(part), settings: withoutSecrets(part) };
}
