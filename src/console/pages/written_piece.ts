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

/** The piece that a form sends. */
export function writtenIn(context: ConsoleContext): Written {
  const { id = "", yaml = "", version = NO_VERSION } = fieldsOf(context);
  return { kind: kindIn(context), id, yaml, version };
}

/** What is shown again of a form about a piece. */
export interface ShownAgain {
  readonly fields: FormFields;
  /** What is said at the text where something of it is not shown. */
  readonly note: string | undefined;
}

/** What is shown again where such a form was refused; `undefined` where none was. */
export function shownAgain({ env: { refused } }: ConsoleContext, kind: PieceKind) {
  if (refused?.action.startsWith(`/console/settings/${kind}/`) !== true) return undefined;
  return withoutSecrets(kind, refused.fields);
}

/** The fields of a form about a piece, without what may be a secret. */
function withoutSecrets(kind: PieceKind, { yaml, ...fields }: FormFields): ShownAgain {
  if (yaml === undefined) return { fields, note: undefined };
  const { yaml: text, concealed } = concealTyped(kind, yaml);
  const note = concealed.length === 0
    ? undefined
    : `What may be a secret is not shown again: write it once more in place of each ${TYPE_AGAIN}.`;
  return { fields: { ...fields, yaml: text }, note };
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
