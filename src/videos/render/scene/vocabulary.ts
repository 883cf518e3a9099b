/**
 * The words the renderer knows.
 *
 * @module
 */

/** The words by theme, for the documentation. */
export function listVocabulary(): readonly { theme: string; words: readonly string[] }[] {
  return [];
}
