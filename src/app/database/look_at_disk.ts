/**
 * How much room is left on a disk, and whether that is enough: one rule for whoever tells of it.
 *
 * @module
 */

import { statfsSync, statSync } from "node:fs";
import { heldOf } from "./disk_reserve.ts";

const MIB = 1024 ** 2;
/** Below this a longer log of the database does not fit. */
const FULL_BYTES = 128 * MIB;
/** Below this, or a twentieth of the disk, it is time to make room. */
const SCARCE_BYTES = 1024 * MIB;
const SCARCE_SHARE = 0.05;
const FULL_FILES = 1_000;

const REMEDY = "Make room, or let old films go with --video-retention-hours or --video-quota-bytes";

/** What is said of a disk. */
export interface DiskLook {
  readonly status: "ok" | "warning" | "problem";
  readonly detail: string;
  readonly remedy: string | null;
}

/** Room on a disk, as the system tells it: in blocks, and in files. */
export interface DiskRoom {
  /** Which disk it is: the same number of two folders means the same one. */
  readonly device: number;
  readonly bavail: number;
  readonly blocks: number;
  readonly bsize: number;
  readonly files: number;
  readonly ffree: number;
}

/** @throws {Error} The system's, such as when the folder is not there. */
export function roomAt(folder: string): DiskRoom {
  const { bavail, blocks, bsize, files, ffree } = statfsSync(folder);
  return { device: statSync(folder).dev, bavail, blocks, bsize, files, ffree };
}

/**
 * Looks at free bytes, at how many of them are the ledger's alone, and at free places for files.
 *
 * @param whose Who keeps `reserveBytes` for the ledger.
 */
export function lookAtDisk(
  folder: string,
  { reserveBytes, whose, remedy = REMEDY, room = roomAt(folder) }: {
    readonly reserveBytes: number;
    readonly whose: string;
    /** What makes room there. Default: what does on the data dir's disk. */
    readonly remedy?: string;
    readonly room?: DiskRoom;
  },
): DiskLook {
  const { bavail, blocks, bsize, files, ffree } = room;
  const free = bavail * bsize;
  const size = blocks * bsize;
  const held = heldOf(size, reserveBytes);
  const detail = `${mib(free)} of ${mib(size)} are free on the disk of ${folder}`;
  // Some file systems have no fixed number of files, and say 0 of 0.
  if (files > 0 && ffree < FULL_FILES) {
    return {
      status: "problem",
      detail: `Only ${ffree} more files fit on the disk of ${folder}`,
      remedy,
    };
  }
  if (free < FULL_BYTES) return { status: "problem", detail: `Only ${detail}`, remedy };
  if (free <= held) {
    return {
      status: "warning",
      detail: `Only ${detail}: ${whose} keeps the last ${mib(held)} for the ledger, so it serves ` +
        "calls, and refuses films, archives and backups and keeps no answers",
      remedy: `${remedy}, or lower --disk-reserve-bytes`,
    };
  }
  if (free < SCARCE_BYTES && free < size * SCARCE_SHARE) {
    return { status: "warning", detail: `Only ${detail}`, remedy };
  }
  const kept = held === 0 ? "" : `; ${whose} keeps the last ${mib(held)} for the ledger`;
  return { status: "ok", detail: detail + kept, remedy: null };
}

function mib(bytes: number): string {
  return `${Math.floor(bytes / MIB)} MiB`;
}
