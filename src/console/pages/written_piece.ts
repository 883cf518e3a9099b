/**
 * A piece of the catalogue as somebody has written it: what it leads to, and what of it is shown again.
 *
 * @module
 */

import type { deleteModel, setModel } from "../../admin/catalogue/models.ts";
import type { pieceAnswer } from "../../admin/catalogue/change_piece.ts";
import {
  concealTyped,
  toTypeAgain,
  TYPE_AGAIN,
  withoutConcealed,
} from "../../catalog/conceal_typed.ts";
import { formatProblem } from "../../documents/problem.ts";
import type { Shown } from "../../documents/shown.ts";
import { parseYamlDocument } from "../../documents/yaml_document.ts";
import { isObject } from "../../domain/json_value.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleContext, FormFields } from "../frame/console_env.ts";
import type { SealedTexts } from "../frame/sealed_text.ts";
import { fieldsOf } from "./page_routes.ts";
import { type PieceKind, PIECES } from "./piece_kinds.ts";

/** As the operations call a piece that is not there yet. */
export const NO_VERSION = "none";

/** A piece as somebody wrote it. */
export interface Written {
  readonly kind: PieceKind;
  readonly id: string;
  readonly yaml: string;
  /** What it is compared with. */
  readonly version: string;
}

/** What a change of a piece leads to. */
export type PieceAnswer = Shown<typeof pieceAnswer>;

/** @throws {GatewayError} `not_found` */
export function kindIn({ req }: ConsoleContext): PieceKind {
  const kind = req.param("kind")!;
  if (Object.hasOwn(PIECES, kind)) return kind as PieceKind;
  throw new GatewayError("not_found", "There are providers, models and routes");
}

/**
 * The piece that a form sends: as it was typed, or as a page carries it.
 *
 * @throws {GatewayError} `invalid_value` for what no page of this session carries.
 */
export function writtenIn(context: ConsoleContext, texts: SealedTexts): Written {
  const fields = fieldsOf(context);
  const { id = "", version = NO_VERSION } = fields;
  const kind = kindIn(context);
  const yaml = yamlIn(context, { kind, fields, texts });
  if (yaml !== undefined) return { kind, id, yaml, version };
  throw wrong("This is no text that the page was given: open the piece, and write it again");
}

/** What a page carries to the form that applies it, which shows nothing of it. */
export function sealWritten(
  context: ConsoleContext,
  { kind, id, yaml }: Written,
  texts: SealedTexts,
): string {
  return texts.seal(yaml, aboutOf(context, kind, id));
}

/** A text is applied to the piece that it was compared with, by whoever did that. */
function aboutOf({ var: { session } }: ConsoleContext, kind: PieceKind, id: string): string {
  return `${session.id} ${kind} ${id}`;
}

/** `undefined` for what is none of this session's pages. */
function yamlIn(
  context: ConsoleContext,
  { kind, fields: { id = "", yaml = "", sealed }, texts }: {
    readonly kind: PieceKind;
    readonly fields: FormFields;
    readonly texts: SealedTexts;
  },
): string | undefined {
  return sealed === undefined ? yaml : texts.open(sealed, aboutOf(context, kind, id));
}

/** What is shown again of a form about a piece that was refused; `undefined` where none was. */
export function shownAgain(
  context: ConsoleContext,
  kind: PieceKind,
  texts: SealedTexts,
): { readonly fields: FormFields; readonly note: string | undefined } | undefined {
  const { refused } = context.env;
  if (refused?.action.startsWith(`/console/settings/${kind}/`) !== true) return undefined;
  const { fields } = refused;
  const { text, note } = concealedYaml(kind, yamlIn(context, { kind, fields, texts }) ?? "");
  return { fields: { ...fields, yaml: text }, note };
}

/** A text as it is shown again, and what is said at it. */
export function concealedYaml(kind: PieceKind, yaml: string) {
  const { yaml: text, concealed } = concealTyped(kind, yaml);
  const note = concealed.length === 0
    ? undefined
    : `What may be a secret is not shown again: write it once more in place of each ${TYPE_AGAIN}.`;
  return { text, note };
}

/** What it leads to; with `isDry` nothing is changed. */
export async function change(
  { var: { admin } }: ConsoleContext,
  { kind, id, yaml, version }: Written,
  isDry: boolean,
): Promise<PieceAnswer> {
  try {
    return await admin.call(PIECES[kind].set as typeof setModel, {
      id,
      settings: settingsOf(`${kind} ${id}`, yaml),
      replace: true,
      if_version: version,
      dry_run: isDry,
    });
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const message = withoutConcealed(error.message, concealTyped(kind, yaml));
    if (message === error.message) throw error;
    throw new GatewayError(error.error, message, {
      param: error.param ?? undefined,
      cause: error,
    });
  }
}

/** What a change leads to; `undefined` where the piece is not the one any more that it was made for. */
export async function unlessOutdated(
  changed: Promise<PieceAnswer>,
): Promise<PieceAnswer | undefined> {
  try {
    return await changed;
  } catch (error) {
    if (error instanceof GatewayError && error.error === "version_conflict") return undefined;
    throw error;
  }
}

/** What its removal leads to; with `isDry` nothing is changed. */
export function remove(
  { var: { admin } }: ConsoleContext,
  { kind, id, version }: Written,
  isDry: boolean,
): Promise<PieceAnswer> {
  return admin.call(PIECES[kind].remove as typeof deleteModel, {
    id,
    if_version: version,
    dry_run: isDry,
  });
}

function settingsOf(source: string, yaml: string): Record<string, unknown> {
  const read = parseYamlDocument(yaml, { file: source });
  if (!read.ok) throw wrong(read.problems.map(formatProblem).join("\n"));
  const { value } = read.document;
  if (!isObject(value)) throw wrong("Expected settings as 'name: value', one in each line");
  const missing = toTypeAgain(value);
  if (missing.length > 0) {
    throw wrong(
      `Write the value itself in place of ${TYPE_AGAIN}: what was typed there before is not kept. ` +
        `It is missing at ${missing.join(", ")}`,
    );
  }
  return value as Record<string, unknown>;
}

function wrong(message: string): GatewayError {
  return new GatewayError("invalid_value", message, { param: "settings" });
}
