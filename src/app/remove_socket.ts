/**
 * Makes way for a socket.
 *
 * @module
 */

/** A socket's file outlives its server; whoever has the data dir's lock may take its place. */
export function removeSocket(path: string): void {
  try {
    if (Deno.lstatSync(path).isSocket) Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
