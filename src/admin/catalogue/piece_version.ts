/**
 * The version of a piece of the catalogue, for whoever changes what they have read.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { canonical } from "../../catalog/change.ts";
import type { FilePart } from "../../catalog/to_file.ts";
import { GatewayError } from "../../errors.ts";
import type { PieceName } from "./piece_document.ts";

/** What is asked for where there may be none yet. */
export const NO_VERSION = "none";

const CHARACTERS = 16;

/** The same for the same settings, wherever and whenever they are read. */
export function versionOf(part: FilePart | undefined): string {
  if (part === undefined) return NO_VERSION;
  return createHash("sha256").update(canonical(part)!).digest("hex").slice(0, CHARACTERS);
}

/**
 * Refuses a change of something that has changed since it was read.
 *
 * @throws {GatewayError} `version_conflict`
 */
export function requireVersion(
  { kind, id }: PieceName,
  part: FilePart | undefined,
  asked: string | undefined,
): void {
  const version = versionOf(part);
  if (asked === undefined || asked === version) return;
  const what = part === undefined
    ? `There is no ${kind} '${id}'`
    : asked === NO_VERSION
    ? `There is a ${kind} '${id}' already, in version ${version}`
    : `The ${kind} '${id}' has changed meanwhile: it is in version ${version}`;
  throw new GatewayError(
    "version_conflict",
    `Nothing was changed. ${what}, not ${asked}: read it with \`tollgate ${kind}s show ${id}\`, ` +
      "and repeat the change with the version that it shows",
    { param: "if_version" },
  );
}
