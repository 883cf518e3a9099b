/**
 * How much is removed in one go.
 *
 * @module
 */

/** Every page of a long text is looked at when it is removed. */
export const FORGOTTEN_BYTES = 32 * 1024 * 1024;

/** The first of some rows: those that have so many bytes together, and the one that goes beyond. */
export function withinBytes<Row extends { readonly bytes: number }>(
  rows: readonly Row[],
  mostBytes: number,
): readonly Row[] {
  let count = 0;
  for (let bytes = 0; count < rows.length && bytes < mostBytes; count++) {
    bytes += rows[count]!.bytes;
  }
  return rows.slice(0, count);
}
