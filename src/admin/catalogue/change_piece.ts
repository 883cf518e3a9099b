/**
 * Changes one piece of the catalogue: the whole document with that change in it is checked and
 * committed as a file is that is applied.
 *
 * @module
 */

import * as z from "zod";
import type { FilePart } from "../../catalog/to_file.ts";
import type { Catalogue } from "../../domain/catalogue.ts";
import type { Shown } from "../../documents/shown.ts";
import { switchField, warningsField } from "../base/fields.ts";
import { applyDocument, shownChange } from "./apply_document.ts";
import type { AdminDeps } from "../base/deps.ts";
import { refuseWhereFileOwns, unknownName } from "../base/not_found.ts";
import { optionWords } from "../base/option_words.ts";
import { missingSecrets } from "./secret_warnings.ts";
import {
  type CatalogueDocument,
  documentOf,
  type PieceKind,
  type PieceName,
  pieceOf,
  requireVersion,
  versionOf,
} from "./piece_document.ts";

/** What every change of a piece takes. */
export const changeFields = {
  if_version: z.string().min(1).max(64).optional().describe(
    "only if it is in this version, as `show` tells it; none: only if there is none yet",
  ).register(optionWords, { placeholder: "version" }),
  dry_run: switchField.default(false).describe("print what would change, change nothing"),
};

/** What every change of a piece answers. */
export const pieceAnswer = z.object({
  id: z.string(),
  version: z.string().describe("The one to change it by next; none: there is none"),
  applied: z.boolean().describe("False for a dry run"),
  changes: z.array(shownChange),
  warnings: warningsField,
});

/** A change of one piece. */
export interface PieceChange {
  readonly name: PieceName;
  readonly if_version?: string | undefined;
  readonly dry_run: boolean;
  /** Whether there is nothing to do where there is none. */
  readonly mustExist?: boolean;
  /** The document with the change in it; `before` is the piece as it is. */
  change(document: CatalogueDocument, before: FilePart | undefined): CatalogueDocument;
}

/**
 * Checks and commits the change.
 *
 * @throws {GatewayError} `version_conflict`, `conflict` where a file owns the catalogue, and
 * `invalid_value` with everything that is wrong with what it would become.
 */
export async function changePiece(
  deps: AdminDeps,
  { name, if_version, dry_run, mustExist = false, change }: PieceChange,
): Promise<Shown<typeof pieceAnswer>> {
  if (!dry_run) refuseWhereFileOwns(deps, "providers, models and routes");
  const { changes, warnings, providers } = await applyDocument(deps, {
    document() {
      const { catalogue } = deps.catalogue.current;
      const part = pieceOf(catalogue, name);
      if (mustExist && part === undefined) {
        throw unknownName(name.kind, name.id, idsOf(catalogue, name.kind));
      }
      requireVersion(name, part, if_version);
      const before = documentOf(catalogue);
      const after = change(before, part);
      return {
        source: `${name.kind} ${name.id}`,
        text: JSON.stringify(after),
        piece: { name, before, after },
      };
    },
    prune: true,
    dry_run,
    id: name.id,
  });
  const { current } = deps.catalogue;
  const own = name.kind === "provider" ? providers.filter(({ id }) => id === name.id) : [];
  const missing = missingSecrets(deps, own);
  return {
    id: name.id,
    version: versionOf(pieceOf(current.catalogue, name)),
    applied: !dry_run,
    changes,
    warnings: [...warnings, ...missing.map(({ warning }) => warning)],
  };
}

function idsOf({ providers, models }: Catalogue, kind: PieceKind): readonly string[] {
  const pieces = { provider: providers, model: models, route: models.flatMap((one) => one.routes) };
  return pieces[kind].map(({ id }) => id);
}
