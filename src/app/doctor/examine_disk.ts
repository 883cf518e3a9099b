/**
 * Room on the data dir's disk.
 *
 * @module
 */

import { statfsSync } from "node:fs";
import { heldOf } from "../database/disk_reserve.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

const CHECK = "disk";
const MIB = 1024 ** 2;
/** Below this a longer log of the database does not fit. */
const FULL_BYTES = 128 * MIB;
/** Below this, or a twentieth of the disk, it is time to make room. */
const SCARCE_BYTES = 1024 * MIB;
const SCARCE_SHARE = 0.05;
const FULL_FILES = 1_000;

/** Looks at free bytes, at how many of them are the ledger's alone, and at free places for files. */
export function examineDisk({ dataDir, server, reserveBytes }: Patient): readonly Finding[] {
  const { bavail, blocks, bsize, files, ffree } = statfsSync(dataDir);
  const free = bavail * bsize;
  const size = blocks * bsize;
  // A server may have been started with other settings than this command finds.
  const known = server?.answers?.system.disk_reserve_bytes;
  const held = heldOf(size, known ?? reserveBytes);
  const whose = known === undefined ? "a server with the settings found here" : "the server";
  const detail = `${mib(free)} of ${mib(size)} are free on the disk of ${dataDir}`;
  const remedy =
    "Make room, or let old films go with --video-retention-hours or --video-quota-bytes";
  // Some file systems have no fixed number of files, and say 0 of 0.
  if (files > 0 && ffree < FULL_FILES) {
    return [problem(CHECK, `Only ${ffree} more files fit on the disk of ${dataDir}`, remedy)];
  }
  if (free < FULL_BYTES) return [problem(CHECK, `Only ${detail}`, remedy)];
  if (free <= held) {
    return [
      warning(
        CHECK,
        `Only ${detail}: ${whose} keeps the last ${
          mib(held)
        } for the ledger, so it serves calls, ` +
          "and refuses films, archives and backups and keeps no answers",
        `${remedy}, or lower --disk-reserve-bytes`,
      ),
    ];
  }
  if (free < SCARCE_BYTES && free < size * SCARCE_SHARE) {
    return [warning(CHECK, `Only ${detail}`, remedy)];
  }
  if (held === 0) return [ok(CHECK, detail)];
  return [ok(CHECK, `${detail}; ${whose} keeps the last ${mib(held)} for the ledger`)];
}

function mib(bytes: number): string {
  return `${Math.floor(bytes / MIB)} MiB`;
}
