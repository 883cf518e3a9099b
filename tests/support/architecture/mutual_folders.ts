/**
 * Pairs of folders that still import each other: the list only ever gets shorter.
 *
 * @module
 */

/** As `checkFolders` names them; one that is so no longer fails the test too. */
export const MUTUAL_FOLDERS: ReadonlySet<string> = new Set([]);
