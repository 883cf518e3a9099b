/**
 * Where files are on the gateway's machine: that is for those who run it.
 *
 * @module
 */

import { basename } from "node:path";
import { reaches } from "../../domain/roles.ts";
import type { ChangeOrigin } from "./deps.ts";

/** The whole path for operators and owners; for everybody else the file's name alone. */
export function shownPath({ rights }: Pick<ChangeOrigin, "rights">, path: string): string {
  const runsIt = rights.role !== "member" && reaches(rights.role, "operator");
  return runsIt ? path : basename(path);
}
