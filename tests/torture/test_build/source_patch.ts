/**
 * Named changes to a copy of the source: seeded bugs and crash points, which must never be in `src`.
 *
 * @module
 */

import { findCode } from "./find_code.ts";

/** One replacement in one file, or code that is added at its end. */
export type SourceEdit = Replacement | Addition;

/** Code that takes the place of other code. */
export interface Replacement {
  /** From the project's root: `src/accounts/ledger.ts`. */
  readonly file: string;
  /**
   * Code that must be there exactly once, so that a patch whose source has changed fails the build;
   * what `find_code.ts` lists does not count.
   */
  readonly find: string;
  readonly replace: string;
}

/** Declarations that an edit needs. */
export interface Addition {
  readonly file: string;
  readonly add: string;
}

/** A change with a name. */
export interface SourcePatch {
  /** `snake_case`: it is part of a folder's name. */
  readonly name: string;
  /** What the program does wrong with it: "a hold is taken without looking at the balance". */
  readonly says: string;
  readonly edits: readonly SourceEdit[];
}

/**
 * Makes the edits of a patch in a copy of the source.
 *
 * @throws {Error} when code to replace is not there exactly once.
 */
export async function applyPatch(root: string, { name, edits }: SourcePatch): Promise<void> {
  for (const edit of edits) {
    const path = `${root}/${edit.file}`;
    await Deno.writeTextFile(path, edited(await Deno.readTextFile(path), { name, edit }));
  }
}

/**
 * The text of a file after an edit of the patch of that name.
 *
 * @throws {Error} when code to replace is not there exactly once.
 */
export function edited(
  text: string,
  { name, edit }: { readonly name: string; readonly edit: SourceEdit },
): string {
  if ("add" in edit) return `${text}\n${edit.add}`;
  const [place, ...others] = findCode(text, edit.find);
  if (place === undefined || others.length > 0) {
    const times = place === undefined ? 0 : 1 + others.length;
    throw new Error(
      `Cannot apply the patch '${name}' to ${edit.file}: the code to replace is there ${times} ` +
        `times and must be there once, so change the patch as the source has changed`,
    );
  }
  return text.slice(0, place.from) + edit.replace + text.slice(place.to);
}
