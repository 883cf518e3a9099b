/**
 * What stands before the compiled code of a script: its checksum, so that no damaged one is run.
 *
 * @module
 */

/** A multiple of 8, as the engine wants what follows to be aligned. */
export const CACHE_HEADER_BYTES = 32;

/** The header of a cache whose bytes have this CRC-32. */
export function cacheHeader(checksum: number): string {
  return `tollgate start cache ${checksum.toString(16).padStart(8, "0")}`.padEnd(
    CACHE_HEADER_BYTES - 1,
  ) + "\n";
}
