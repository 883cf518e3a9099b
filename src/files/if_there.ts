/**
 * Looks at files that may be gone.
 *
 * @module
 */

/** What comes of something done with a file; `undefined` where there is no such file. */
export async function ifThere<Value>(done: Promise<Value>): Promise<Value | undefined> {
  try {
    return await done;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return undefined;
  }
}
