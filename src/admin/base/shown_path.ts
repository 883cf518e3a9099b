/**
 * Where files are on the gateway's machine: that is for those who run it.
 *
 * @module
 */

import { basename } from "node:path";
import { reaches } from "../../domain/roles.ts";
import type { ChangeOrigin } from "./deps.ts";

/** The whole path for operators and owners; for everybody else the file's name alone. */
export function shownPath(origin: Pick<ChangeOrigin, "rights">, path: string): string {
  return runsGateway(origin) ? path : basename(path);
}

/**
 * An absolute path among words, also one that a `file:` reference names, and none of the gateway's own
 * addresses. It ends where a sentence could go on; in quotes, with them.
 */
const PATH_IN_TEXT = new RegExp(
  [
    /(?<=')\/(?!(?:console|v1|admin)\/)[^'\n]*\/[^'\n]*(?=')/,
    /(?<=^|[\s'"`(=]|\bfile:)\/(?!(?:console|v1|admin)\/)(?:[^\s'"`()<>,;:]+\/)+[^\s'"`()<>,;:]*/,
  ].map(({ source }) => source).join("|"),
  "g",
);

/** A text as it is for operators and owners; for everybody else files in it by their names alone. */
export function shownText(origin: Pick<ChangeOrigin, "rights">, text: string): string {
  return runsGateway(origin) ? text : text.replace(PATH_IN_TEXT, (path) => basename(path));
}

/** Whether somebody runs the gateway: an operator, or an owner. */
export function runsGateway({ rights }: Pick<ChangeOrigin, "rights">): boolean {
  return rights.role !== "member" && reaches(rights.role, "operator");
}
