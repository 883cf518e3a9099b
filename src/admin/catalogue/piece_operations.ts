/**
 * The operations of a piece of the catalogue, whatever its kind: show, set and delete.
 *
 * @module
 */

import * as z from "zod";
import type { FilePart } from "../../catalog/to_file.ts";
import type { Shown } from "../../documents/shown.ts";
import { boundedRecord } from "../../documents/bounded.ts";
import type { AdminDeps } from "../base/deps.ts";
import { defineOperation } from "../base/operation.ts";
import { pageAnswer, pageFields, type PageInput, pageOfItems } from "../base/page.ts";
import { changeFields, changePiece, pieceAnswer } from "./change_piece.ts";
import { conceal } from "../../catalog/change.ts";
import { type CatalogueDocument, type PieceKind, pieceOf, versionOf } from "./piece_document.ts";
import { mergePiece } from "./merge_settings.ts";

/** Far beyond what any piece has. */
const MOST_SETTINGS = 100;

const pieceId = z.string().min(1).max(200).describe("its id");

/** A kind of pieces. */
export interface PieceOperations<
  Piece extends { readonly id: string },
  Shape extends z.ZodRawShape,
> {
  readonly summaries: {
    readonly list: string;
    readonly show: string;
    readonly set: string;
    readonly delete: string;
  };
  /** All that there are; those of a model where one is asked for. */
  all(deps: AdminDeps, model: string | undefined): readonly Piece[];
  /** As a list shows it. */
  readonly shown: z.ZodObject<Shape>;
  row(deps: AdminDeps, piece: Piece): Shown<z.ZodObject<Shape>>;
  /** @throws {GatewayError} `not_found` */
  require(deps: AdminDeps, name: string): Piece;
  /** The document with the part in it. */
  put(
    document: CatalogueDocument,
    part: FilePart & { readonly id: string },
  ): CatalogueDocument;
  /** The document without the piece, or why it has to stay. */
  without(document: CatalogueDocument, id: string): CatalogueDocument;
  /** What is not as the settings say that were stored. */
  warn?(deps: AdminDeps, id: string, settings: FilePart): readonly string[];
}

/** The fields that a piece shows besides those of its row in a list. */
export const shownPiece = {
  version: z.string().describe("Of the settings: a change may name it as if_version"),
  settings: z.record(z.string(), z.unknown()).describe(
    "As in a catalogue file; values of headers and queries are hidden",
  ),
  owned_by: z.string().nullable().optional().describe(
    "The file that owns the catalogue, so that it is changed there; servers of earlier versions " +
      "leave it out",
  ),
};

export function pieceOperations<Piece extends { readonly id: string }, Shape extends z.ZodRawShape>(
  kind: PieceKind,
  { summaries, all, shown, row, require, put, without, warn = () => [] }: PieceOperations<
    Piece,
    Shape
  >,
) {
  const path = `/catalogue/${kind}s/{id}`;
  const output = shown.extend(shownPiece);
  const change = { path, role: "operator", changes: kind, output: pieceAnswer } as const;
  const readers = kind === "provider" ? "operator" : "viewer";
  return {
    list: defineOperation({
      name: `${kind}s.list`,
      method: "GET",
      path: `/${kind}s`,
      role: readers,
      summary: summaries.list,
      input: z.strictObject({
        ...pageFields,
        ...(kind === "route" &&
          { model: z.string().min(1).optional().describe("only this model's") }),
      }),
      output: pageAnswer(shown),
      errors: kind === "route" ? ["not_found"] : [],
      run(deps, { model, ...page }: PageInput & { model?: string | undefined }) {
        const show = (piece: Piece) => row(deps, piece) as Shown<typeof shown> & { id: string };
        return Promise.resolve(pageOfItems(all(deps, model), { ...page, show, what: kind }));
      },
    }),
    show: defineOperation({
      name: `${kind}s.show`,
      method: "GET",
      path,
      role: readers,
      summary: summaries.show,
      input: z.strictObject({ id: pieceId }),
      output,
      errors: ["not_found"],
      run(deps, { id: name }) {
        const piece = require(deps, name);
        const part = pieceOf(deps.catalogue.current.catalogue, { kind, id: piece.id })!;
        const own = {
          version: versionOf(part),
          settings: conceal(part),
          owned_by: deps.catalogueOwner ?? null,
        };
        return Promise.resolve({ ...row(deps, piece), ...own } as Shown<typeof output>);
      },
    }),
    set: defineOperation({
      ...change,
      name: `${kind}s.set`,
      method: "POST",
      summary: summaries.set,
      input: z.strictObject({
        id: pieceId,
        settings: boundedRecord(z.string().max(128), z.unknown(), { most: MOST_SETTINGS })
          .default({}).describe(
            "As in a catalogue file, see `config schema`; a mapping is joined with what is there, and " +
              "what is null is taken away",
          ),
        replace: z.boolean().default(false)
          .describe("what is not given has its default, and does not stay"),
        ...changeFields,
      }),
      errors: ["not_found", "version_conflict"],
      async run(deps, { id, settings, replace, ...asked }) {
        const answer = await changePiece(deps, {
          ...asked,
          name: { kind, id },
          change: (document, before) =>
            put(document, mergePiece({ id, before, settings, replace })),
        });
        const further = answer.applied ? warn(deps, id, settings) : [];
        return { ...answer, warnings: [...answer.warnings, ...further] };
      },
    }),
    delete: defineOperation({
      ...change,
      name: `${kind}s.delete`,
      method: "DELETE",
      summary: summaries.delete,
      input: z.strictObject({ id: pieceId, ...changeFields }),
      errors: ["not_found", "version_conflict"],
      async run(deps, { id, ...asked }) {
        const warnOfTasks = await watchOpenTasks(deps);
        const answer = await changePiece(deps, {
          ...asked,
          name: { kind, id },
          mustExist: true,
          change: (document) => without(document, id),
        });
        const further = answer.applied ? warnOfTasks() : [];
        return { ...answer, warnings: [...answer.warnings, ...further] };
      },
    }),
  };
}

/** Looked at; whoever has more of them learns enough. */
const MOST_TASKS = 1_000;

/**
 * Looks at the open tasks before a change, so that nothing can fail behind it. What it gives
 * warns, when that is made, of those that nobody begins now, although nothing has refused them.
 */
async function watchOpenTasks(
  { storage, catalogue }: Pick<AdminDeps, "storage" | "catalogue">,
): Promise<() => readonly string[]> {
  const tasks = (await storage.videos.open(0, MOST_TASKS))
    .filter(({ lease, job }) => lease === undefined && job === undefined);
  return () => {
    const { current } = catalogue;
    const { length } = tasks.filter(({ route, provider }) =>
      current.route(route)?.providerId !== provider
    );
    if (length === 0) return [];
    return [
      `${length === 1 ? "1 video task waits" : `${length} video tasks wait`} for a route that is ` +
      "gone: those that no other takes fail in 24 hours, unless it comes back. See tollgate " +
      "videos list",
    ];
  };
}
