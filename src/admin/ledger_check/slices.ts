/**
 * Reads many rows a few at a time, so that whoever shares the thread goes on.
 *
 * @module
 */

/** How to read and what to do with what was read. */
export interface SliceReading<Row> {
  /** Rows asked for at one time; fewer are the last ones. */
  readonly slice: number;
  readonly read: () => Promise<readonly Row[]> | readonly Row[];
  readonly take: (rows: readonly Row[]) => Promise<void> | void;
  /** Waits between two slices. */
  readonly pause: () => Promise<void>;
}

/** Reads to the end. */
export async function readSlices<Row>(
  { slice, read, take, pause }: SliceReading<Row>,
): Promise<void> {
  for (;;) {
    const rows = await read();
    await take(rows);
    if (rows.length < slice) return;
    await pause();
  }
}
