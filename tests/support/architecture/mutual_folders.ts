/**
 * Pairs of folders that still import each other: the list only ever gets shorter.
 *
 * @module
 */

/** As `checkFolders` names them; one that is so no longer fails the test too. */
export const MUTUAL_FOLDERS: ReadonlySet<string> = new Set([
  "src/admin ⇄ src/admin/archives",
  "src/admin ⇄ src/admin/ledger_check",
  "src/admin ⇄ src/admin/pieces",
  "src/cli ⇄ src/cli/commands",
  "src/cli/commands ⇄ src/cli/serving",
]);
