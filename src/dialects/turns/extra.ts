/**
 * Fields that only one dialect, or one family of them, has a word for.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { Extra } from "./blocks.ts";

const NOTHING: Readonly<JsonObject> = {};

/** The fields of an object that are not among the known ones, as something to spread; nulls are none. */
export function extraOf(
  of: string,
  value: Readonly<JsonObject>,
  known: ReadonlySet<string>,
): { readonly extra?: Extra } {
  // Nearly all have none.
  let fields: JsonObject | undefined;
  for (const name in value) {
    if (known.has(name) || value[name] === null || value[name] === undefined) continue;
    (fields ??= {})[name] = value[name];
  }
  return fields === undefined ? NOTHING : { extra: { of, fields } };
}

/** The fields, if they are of this dialect or family. */
export function ownExtra(of: string, extra: Extra | undefined): Readonly<JsonObject> {
  return extra?.of === of ? extra.fields : NOTHING;
}
