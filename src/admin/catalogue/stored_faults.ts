/**
 * Pieces of the catalogue that are wrong as they are stored, such as after an update with stricter
 * rules: a change of another piece leaves them as they are.
 *
 * @module
 */

import { readCatalogueText } from "../../catalog/read_file.ts";
import type { Problem } from "../../documents/problem.ts";
import type { CatalogueDocument, PieceName } from "./piece_document.ts";

/** A change of one piece. */
export interface PieceDocuments {
  readonly name: PieceName;
  readonly before: CatalogueDocument;
  readonly after: CatalogueDocument;
}

/** What becomes of the document's problems. */
export interface SortedFaults {
  /** Those that the change is refused for. */
  readonly fresh: readonly Problem[];
  /** The document without the pieces that have others. */
  readonly rest: CatalogueDocument;
  /** Those pieces: each as its kind and id. */
  readonly aside: ReadonlySet<string>;
  /** A line for each of their problems. */
  readonly warnings: readonly string[];
}

/** Tells problems that were there from those that the change makes, or that are the piece's own. */
export function sortFaults(
  problems: readonly Problem[],
  { name, before, after }: PieceDocuments,
): SortedFaults {
  const old = readCatalogueText(JSON.stringify(before), { file: "" });
  const known = new Set(old.ok ? [] : old.problems.map((one) => placeOf(one, before).words));
  // A model that stays as it is keeps its routes: those cannot be changed then.
  const owners = [before, after].flatMap(({ models }) =>
    models.filter(({ routes }) => name.kind === "route" && routes.some(({ id }) => id === name.id))
  );
  const own = new Set([`${name.kind} ${name.id}`, ...owners.map(({ id }) => `model ${id}`)]);
  const placed = problems.map((problem) => ({ problem, ...placeOf(problem, after) }));
  const stored = placed.filter(({ piece, words }) =>
    piece !== undefined && !own.has(piece) && known.has(words)
  );
  const aside = new Set(stored.map(({ piece }) => piece!));
  return {
    fresh: placed.filter((one) => !stored.includes(one)).map(({ problem }) => problem),
    rest: {
      ...after,
      providers: after.providers.filter(({ id }) => !aside.has(`provider ${id}`)),
      models: after.models.filter(({ id }) => !aside.has(`model ${id}`)).map((model) => ({
        ...model,
        routes: model.routes.filter(({ id }) => !aside.has(`route ${id}`)),
      })),
    },
    aside,
    warnings: stored.map(({ words }) => `${words} (it was so before, and stays)`),
  };
}

/** Whose problem it is: lists are told apart by their parts' ids, as places in them move. */
function placeOf(
  { path, message }: Problem,
  { providers, models }: CatalogueDocument,
): { readonly piece: string | undefined; readonly words: string } {
  const found = /^(providers|models)\[(\d+)\](?:\.routes\[(\d+)\])?\.?(.*)$/.exec(path);
  if (found === null) return { piece: undefined, words: `${path}: ${message}` };
  const [, list, index, position, inside] = found;
  const model = models[Number(index)];
  const piece = list === "providers"
    ? `provider ${providers[Number(index)]?.id}`
    : position === undefined
    ? `model ${model?.id}`
    : `route ${model?.routes[Number(position)]?.id}`;
  return { piece, words: `${piece}: ${inside === "" ? "" : `${inside}: `}${message}` };
}
