/**
 * Room on the data dir's disk.
 *
 * @module
 */

import { statfsSync } from "node:fs";
import { type Finding, ok, problem, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

const CHECK = "disk";
const MIB = 1024 ** 2;
/** Below this a longer log of the database or a film does not fit. */
const FULL_BYTES = 128 * MIB;
/** Below this, or a twentieth of the disk, it is time to make room. */
const SCARCE_BYTES = 1024 * MIB;
const SCARCE_SHARE = 0.05;
const FULL_FILES = 1_000;

/** Looks at free bytes and free places for files. */
export function examineDisk({ dataDir }: Patient): readonly Finding[] {
  const { bavail, blocks, bsize, files, ffree } = statfsSync(dataDir);
  const free = bavail * bsize;
  const size = blocks * bsize;
  const detail = `${mib(free)} of ${mib(size)} are free on the disk of ${dataDir}`;
  const remedy =
    "Make room, or let old films go with --video-retention-hours or --video-quota-bytes";
  // Some file systems have no fixed number of files, and say 0 of 0.
  if (files > 0 && ffree < FULL_FILES) {
    return [problem(CHECK, `Only ${ffree} more files fit on the disk of ${dataDir}`, remedy)];
  }
  if (free < FULL_BYTES) return [problem(CHECK, `Only ${detail}`, remedy)];
  if (free < SCARCE_BYTES && free < size * SCARCE_SHARE) {
    return [warning(CHECK, `Only ${detail}`, remedy)];
  }
  return [ok(CHECK, detail)];
}

function mib(bytes: number): string {
  return `${Math.floor(bytes / MIB)} MiB`;
}
