/**
 * What of the catalogue is not shown, to anybody: values that may be a secret.
 *
 * @module
 */

import { isObject } from "../domain/json_value.ts";
import { PROVIDER_KINDS } from "../providers/kinds.ts";
import type { FilePart } from "./to_file.ts";

/** What stands for a value that is not shown. */
export const HIDDEN = "(hidden)";

const HIDDEN_SETTINGS: ReadonlySet<string> = new Set(
  PROVIDER_KINDS.flatMap(({ hides = [] }) => hides),
);

/** Whether what a part has under a name is not shown. */
export function isHidden(name: string): boolean {
  return HIDDEN_SETTINGS.has(name);
}

/** A part as it is shown: of what is hidden only the names are there, and nothing of lists. */
export function conceal(part: FilePart, isConcealed = isHidden): FilePart {
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, isConcealed(name) ? hide(value) : value]),
  );
}

function hide(value: unknown): unknown {
  return isObject(value) ? conceal(value, () => true) : HIDDEN;
}
