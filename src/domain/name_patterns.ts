/**
 * Names that an operator lists: whole ones, and beginnings that end in `*`.
 *
 * @module
 */

/** Whether a name is one of them; `*` is every one. */
export function matchesAny(patterns: readonly string[], name: string): boolean {
  for (const pattern of patterns) {
    if (pattern === "*" || pattern === name) return true;
    if (pattern.endsWith("*") && name.startsWith(pattern.slice(0, -1))) return true;
  }
  return false;
}
