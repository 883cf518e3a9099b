/**
 * Copies a database that others write meanwhile.
 *
 * @module
 */

import { closeSync, fdatasyncSync, openSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";

/** Pages between two looks up: 1 MiB. */
const STEP_PAGES = 256;
/** So many steps are written before the disk is waited for. */
const STEPS_PER_SYNC = 4;
/** Left to others after every step, milliseconds. */
const PAUSE_MS = 2;

/**
 * Copies the database `from`, as it is at one moment, into the new file `to`
 * (0600), which is one file without a log. Blocks this thread: it belongs in a
 * Worker. What is written goes to the disk bit by bit, because a single sync of
 * everything at the end would keep the commits of the writer waiting (measured:
 * 240 ms for 250 MB, against 8 ms this way).
 *
 * @param options.onStep Asked after every step; the copy ends with its error.
 * @throws {Error} The system's or SQLite's; `to` may then be there in part.
 */
export async function copyDatabase(
  from: string,
  to: string,
  { onStep }: { readonly onStep?: (() => void) | undefined } = {},
): Promise<void> {
  const target = openSync(to, "wx", 0o600);
  const source = new DatabaseSync(from, { readOnly: true });
  try {
    // One snapshot for the whole copy: it would begin again at every commit.
    source.exec("BEGIN");
    source.prepare("SELECT count(*) FROM sqlite_schema").get();
    let steps = 0;
    await backup(source, to, {
      rate: STEP_PAGES,
      progress() {
        if (++steps % STEPS_PER_SYNC === 0) fdatasyncSync(target);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
        onStep?.();
      },
    });
    source.close();
    leaveNoLog(to);
    fdatasyncSync(target);
  } finally {
    if (source.isOpen) source.close();
    closeSync(target);
  }
}

/** The copy says of itself that it has a log; without one, looking at it makes no files. */
function leaveNoLog(path: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec("PRAGMA journal_mode = DELETE");
  } finally {
    database.close();
  }
}
