/**
 * The settings of a piece as they are given.
 *
 * @module
 */

import * as z from "zod";
import type { FilePart } from "../../catalog/to_file.ts";
import { GatewayError } from "../../errors.ts";
import { mergeSettings, restoreHidden } from "./merge_settings.ts";

/** Settings, and how they are taken: as they are, since the whole document is checked. */
export const settingsFields = {
  settings: z.record(z.string().max(128), z.unknown()).default({}).describe(
    "As in a catalogue file, see `config schema`; a mapping is joined with what is there",
  ),
  replace: z.boolean().default(false).describe(
    "what is not given has its default, and does not stay",
  ),
};

/** A piece with the settings that are given. */
export function mergePiece<Before extends FilePart>(
  { id, before, settings, replace }: {
    readonly id: string;
    readonly before: Before | undefined;
    readonly settings: FilePart;
    readonly replace: boolean;
  },
): FilePart & { readonly id: string } {
  if (settings.id !== undefined && settings.id !== id) {
    throw new GatewayError(
      "invalid_value",
      `The settings are those of '${settings.id}', not of '${id}': leave their id out`,
      { param: "settings.id" },
    );
  }
  const old = before ?? {};
  const part = replace ? restoreHidden(old, settings) : mergeSettings(old, settings);
  return { ...part, id };
}

/** The list with a part in the place of the one with its id, or behind the others. */
export function replacePart<Part extends { readonly id?: unknown }>(
  parts: readonly Part[],
  part: Part,
): readonly Part[] {
  const isThere = parts.some(({ id }) => id === part.id);
  return isThere ? parts.map((one) => one.id === part.id ? part : one) : [...parts, part];
}
