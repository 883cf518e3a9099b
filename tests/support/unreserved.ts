import { DiskReserve } from "../../src/app/database/disk_reserve.ts";
import { systemClock } from "../../src/domain/clock.ts";

/** What backups of a data dir take where nothing of its disk is held back. */
export function unreserved(dataDir: string) {
  return { clock: systemClock, reserve: new DiskReserve(dataDir, 0) };
}
