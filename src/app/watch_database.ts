/**
 * Notices when the database's file is moved or deleted under a running server:
 * the open file goes on taking writes, which nobody would find again.
 *
 * @module
 */

/** Between two looks at the file, milliseconds. */
const LOOK_MS = 2_000;

/**
 * Looks every two seconds, until it is stopped or the file is gone.
 *
 * @param onGone Called at most once.
 * @returns What stops it.
 * @throws {Deno.errors.NotFound} When there is no such file to begin with.
 */
export function watchDatabase(
  path: string,
  onGone: (error: Error) => void,
  everyMs = LOOK_MS,
): () => void {
  const { ino, dev } = Deno.statSync(path);
  let isOver = false;
  function stop(): void {
    isOver = true;
    clearInterval(timer);
  }
  const timer = setInterval(async () => {
    if (await isSameFile(path, { ino, dev }) || isOver) return;
    stop();
    onGone(
      new Error(
        `The database ${path} was moved, deleted or replaced while the server ran. Put it back, or start again to make a new one`,
      ),
    );
  }, everyMs);
  return stop;
}

/** Trouble with looking says nothing about the file. */
async function isSameFile(
  path: string,
  { ino, dev }: Pick<Deno.FileInfo, "ino" | "dev">,
): Promise<boolean> {
  try {
    const now = await Deno.stat(path);
    return now.ino === ino && now.dev === dev;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound);
  }
}
