/**
 * Conditions of queries whose filters may be absent.
 *
 * @module
 */

import type { AskedValue } from "./ask.ts";

/** Conditions with their values; those that have none are left out. */
export function given(
  ...all: readonly (readonly [sql: string, value: AskedValue | undefined])[]
): { readonly sql: string; readonly values: readonly AskedValue[] } {
  const some = all.filter(([, value]) => value !== undefined);
  return {
    sql: some.length === 0 ? "TRUE" : some.map(([sql]) => sql).join(" AND "),
    values: some.map(([, value]) => value!),
  };
}
