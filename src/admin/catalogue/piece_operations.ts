/**
 * The operations that change a piece of the catalogue, whatever its kind: set and delete.
 *
 * @module
 */

import * as z from "zod";
import type { FilePart } from "../../catalog/to_file.ts";
import { boundedRecord } from "../../documents/bounded_record.ts";
import type { AdminDeps } from "../base/deps.ts";
import { defineOperation } from "../base/operation.ts";
import { changeFields, changePiece, pieceAnswer } from "./change_piece.ts";
import type { CatalogueDocument, PieceKind } from "./piece_document.ts";
import { mergePiece } from "./merge_settings.ts";
import { watchOpenTasks } from "./waiting_tasks.ts";

/** Far beyond what any piece has. */
const MOST_SETTINGS = 100;

/** The piece that an operation is about. */
export const pieceId = z.string().min(1).max(200).describe("its id");

/** Where it is asked for. */
export function pathOfPiece(kind: PieceKind) {
  return `/catalogue/${kind}s/{id}` as const;
}

/** Makes `set`: `put` gives the document with the part in it. */
export function setOperation(
  kind: PieceKind,
  { summary, put, warn = () => [] }: {
    readonly summary: string;
    readonly put: (
      document: CatalogueDocument,
      part: FilePart & { readonly id: string },
    ) => CatalogueDocument;
    /** What is not as the settings say that were stored. */
    readonly warn?: (deps: AdminDeps, id: string, settings: FilePart) => readonly string[];
  },
) {
  const operation = `${kind}s.set`;
  return defineOperation({
    name: operation,
    method: "POST",
    path: pathOfPiece(kind),
    effects: "changes",
    summary,
    input: z.strictObject({
      id: pieceId,
      settings: boundedRecord(z.string().max(128), z.unknown(), { most: MOST_SETTINGS }).default({})
        .describe(
          "As in a catalogue file, see `config schema`; a mapping is joined with what is there",
        ),
      replace: z.boolean().default(false)
        .describe("what is not given has its default, and does not stay"),
      ...changeFields,
    }),
    output: pieceAnswer,
    errors: ["not_found", "version_conflict"],
    async run(deps, { id, settings, replace, ...asked }) {
      const answer = await changePiece(deps, {
        ...asked,
        name: { kind, id },
        operation,
        change: (document, before) => put(document, mergePiece({ id, before, settings, replace })),
      });
      const further = answer.applied ? warn(deps, id, settings) : [];
      return { ...answer, warnings: [...answer.warnings, ...further] };
    },
  });
}

/** Makes `delete`: `without` gives the document without it, or says why it has to stay. */
export function deleteOperation(
  kind: PieceKind,
  { summary, without }: {
    readonly summary: string;
    readonly without: (document: CatalogueDocument, id: string) => CatalogueDocument;
  },
) {
  const operation = `${kind}s.delete`;
  return defineOperation({
    name: operation,
    method: "DELETE",
    path: pathOfPiece(kind),
    effects: "changes",
    summary,
    input: z.strictObject({ id: pieceId, ...changeFields }),
    output: pieceAnswer,
    errors: ["not_found", "version_conflict"],
    async run(deps, { id, ...asked }) {
      const warnOfTasks = await watchOpenTasks(deps);
      const answer = await changePiece(deps, {
        ...asked,
        name: { kind, id },
        operation,
        mustExist: true,
        change: (document) => without(document, id),
      });
      const further = answer.applied ? warnOfTasks() : [];
      return { ...answer, warnings: [...answer.warnings, ...further] };
    },
  });
}
