/**
 * What of a usage query has to be equal in a row.
 *
 * @module
 */

import type { UsageQuery } from "../ports/usage.ts";

/** Conditions, and the values that they compare with. */
export function usageFilters(
  { projectId, keyId, capability, model, provider, route }: Omit<UsageQuery, "groupBy">,
): readonly (readonly [condition: string, value: string])[] {
  const wanted = [
    ["project_id = ?", projectId],
    ["key_id = ?", keyId],
    ["capability = ?", capability],
    ["model = ?", model],
    ["provider = ?", provider],
    ["route = ?", route],
  ] as const;
  return wanted.flatMap(([condition, value]) => value === undefined ? [] : [[condition, value]]);
}
