/**
 * The part of the data dir's disk that is the ledger's: settles, holds and what
 * callers are charged are written there when everything else has to stop.
 *
 * @module
 */

import { statfsSync, statSync } from "node:fs";

/** A small disk is not all reserve: this share of it is the most. */
const MOST_SHARE = 1 / 4;

export class DiskReserve {
  readonly #dataDir: string;
  readonly #bytes: number;

  /** @param bytes What is left free, at most a quarter of the disk. */
  constructor(dataDir: string, bytes: number) {
    this.#dataDir = dataDir;
    this.#bytes = bytes;
  }

  /**
   * Bytes that films, kept answers and backups may still write in a folder. Nothing
   * is held back on a disk on which the ledger does not lie.
   *
   * @throws {Error} When the folder cannot be looked at.
   */
  freeBytes(folder = this.#dataDir): number {
    const { bavail, bsize, blocks } = statfsSync(folder);
    const isLedgers = folder === this.#dataDir ||
      statSync(folder).dev === statSync(this.#dataDir).dev;
    const held = isLedgers ? heldOf(blocks * bsize, this.#bytes) : 0;
    return Math.max(0, Math.floor(bavail * bsize - held));
  }
}

/** Bytes of a disk that are the ledger's alone. */
export function heldOf(diskBytes: number, reserveBytes: number): number {
  return Math.min(reserveBytes, diskBytes * MOST_SHARE);
}
