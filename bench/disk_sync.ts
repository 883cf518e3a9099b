/**
 * How long the disk takes to make a few bytes durable, and nothing else.
 *
 * @module
 */

/** As many bytes as a page of the database. */
const PAGE = new Uint8Array(4096).fill(1);
/** Written before, so that a sync has no new size to note: as in a log that is written over. */
const PAGES = 256;

/**
 * Milliseconds of each of so many writes of a page with their `fdatasync`, one after the other.
 *
 * @param folder Whose disk it is.
 */
export function timeSyncs(folder: string, count: number): readonly number[] {
  const path = `${folder}/synced`;
  using file = Deno.openSync(path, { create: true, write: true });
  for (let page = 0; page < PAGES; page++) file.writeSync(PAGE);
  file.syncSync();
  const tookMs: number[] = [];
  for (let written = 0; written < count; written++) {
    if (written % PAGES === 0) file.seekSync(0, Deno.SeekMode.Start);
    const startedAt = performance.now();
    file.writeSync(PAGE);
    file.syncDataSync();
    tookMs.push(performance.now() - startedAt);
  }
  return tookMs;
}
