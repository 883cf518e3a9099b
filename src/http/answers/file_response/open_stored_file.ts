/**
 * Opens a file that is to be sent, and makes sure that it is the one that was stored.
 *
 * @module
 */

/** The file is not there: answer as for something that never existed. */
export class FileMissingError extends Error {
  override readonly name = "FileMissingError";
  constructor(path: string, options?: ErrorOptions) {
    super(`Cannot send ${path} as there is no such file`, options);
  }
}

/**
 * Opens a file for reading. Whoever has it open can read all of it even after it was removed.
 *
 * @throws {FileMissingError} when there is no file of that name
 * @throws {Error} when it is not a file of exactly `bytes` bytes: what was stored is damaged
 * @throws what `Deno.open` throws otherwise, e.g. when descriptors are short
 */
export async function openStoredFile(path: string, bytes: number): Promise<Deno.FsFile> {
  const file = await Deno.open(path).catch((cause) => {
    if (cause instanceof Deno.errors.NotFound) throw new FileMissingError(path, { cause });
    throw cause;
  });
  try {
    const { isFile, size } = await file.stat();
    if (!isFile || size !== bytes) {
      throw new Error(
        `Cannot send ${path} as it is no file of ${bytes} bytes: it was changed since it was ` +
          `stored and now has ${size}`,
      );
    }
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}
