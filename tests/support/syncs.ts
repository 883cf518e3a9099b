/**
 * Which files and folders are synced meanwhile.
 *
 * @module
 */

/** Gives what comes of work, and the paths that it has synced, in their order. One test of a file at a time. */
export async function syncsOf<Value>(
  work: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly synced: readonly string[] }> {
  const synced: string[] = [];
  const { open } = Deno;
  Deno.open = async (path, options) => {
    const file = await open(path, options);
    const sync = file.sync.bind(file);
    file.sync = async () => {
      await sync();
      synced.push(String(path));
    };
    return file;
  };
  try {
    return { value: await work(), synced };
  } finally {
    Deno.open = open;
  }
}
