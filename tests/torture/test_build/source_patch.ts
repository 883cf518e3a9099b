/**
 * Named changes to a copy of the source: seeded bugs and crash points, which must never be in `src`.
 *
 * @module
 */

/** One replacement in one file. */
export interface SourceEdit {
  /** From the project's root: `src/accounts/ledger.ts`. */
  readonly file: string;
  /** Must be there exactly once, so that a patch whose source has changed fails the build. */
  readonly find: string;
  readonly replace: string;
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
 * @throws {Error} when a text to replace is not there exactly once.
 */
export async function applyPatch(root: string, { name, edits }: SourcePatch): Promise<void> {
  for (const { file, find, replace } of edits) {
    const path = `${root}/${file}`;
    const text = await Deno.readTextFile(path);
    const times = find === "" ? 0 : text.split(find).length - 1;
    if (times !== 1) {
      throw new Error(
        `Cannot apply the patch '${name}' to ${file}: the text to replace is there ${times} times ` +
          `and must be there once, so change the patch as the source has changed`,
      );
    }
    await Deno.writeTextFile(path, text.replace(find, () => replace));
  }
}
