/**
 * Gives a file a second name.
 *
 * @module
 */

/**
 * Links `to` to the file `from`; where the file system has no links, copies it.
 *
 * @throws {Deno.errors.AlreadyExists} When there is something of that name.
 */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await Deno.link(from, to);
  } catch (error) {
    if (!(error instanceof Error) || error instanceof Deno.errors.AlreadyExists) throw error;
    await Deno.copyFile(from, to);
    using file = await Deno.open(to, { read: true, write: true });
    await file.sync();
  }
}
