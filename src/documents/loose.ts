/**
 * Parts of a catalogue file that no schema has checked yet.
 *
 * @module
 */

import type { DocumentPath } from "./problem.ts";

/** A mapping with anything in it. */
export type Loose = { readonly [key: string]: unknown };

/** Takes a broken rule. */
export type Report = (path: DocumentPath, message: string) => void;

/** A list, or an empty one for anything else. */
export function listFrom(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A mapping, or an empty one for anything else. */
export function mappingFrom(value: unknown): Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Loose : {};
}
