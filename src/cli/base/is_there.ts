/**
 * Whether a place is taken.
 *
 * @module
 */

/** Also by a link that leads nowhere, or where nobody may enter. */
export function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    const isFree = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    if (isFree) return false;
    throw error;
  }
}
