/**
 * Files that root makes in the data dir of another user.
 *
 * @module
 */

/** Gives `path` to whoever owns `folder`, when this process is root and somebody else does. */
export async function giveToOwner(path: string, folder: string): Promise<void> {
  if (Deno.uid() !== 0) return;
  const { uid, gid } = await Deno.stat(folder);
  if (uid !== null && uid !== 0) await Deno.chown(path, uid, gid);
}
