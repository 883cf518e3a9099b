/**
 * Parts of a catalogue file that no schema has checked yet.
 *
 * @module
 */

import { asObject } from "../domain/json_value.ts";
import type { DocumentPath } from "./problem.ts";

/** A mapping with anything in it. */
export type Loose = { readonly [key: string]: unknown };

/** Takes a broken rule. */
export type Report = (path: DocumentPath, message: string) => void;

/** A mapping, or an empty one for anything else. */
export function mappingFrom(value: unknown): Loose {
  return asObject(value) ?? {};
}
