/**
 * The archives that the ledger goes on from.
 *
 * @module
 */

import * as z from "zod";
import type { ArchiveProgress } from "./archives/archive_report.ts";
import { timeToJson } from "./input_fields.ts";
import { defineOperation } from "./operation.ts";

/** An archive as shown. */
export interface ArchiveRow {
  readonly number: number;
  /** Where it was written. */
  readonly file: string;
  /** Whether there is still a file: archives may be moved. */
  readonly is_in_place: boolean;
  /** Every call in it ended at an earlier time. */
  readonly before: string;
  readonly calls: number;
  /** The last ledger row in it. */
  readonly to_seq: number;
  /** SHA-256 of what it states. */
  readonly sha256: string;
}

/** All of them, and what archiving is at. */
export interface ArchivesAnswer {
  /** Oldest first. */
  readonly archives: readonly ArchiveRow[];
  /** `null` when nothing is under way. */
  readonly under_way: ArchiveProgress | null;
}

export const listArchives = defineOperation({
  name: "calls.archives",
  method: "GET",
  path: "/calls/archives",
  summary: "Lists the archives of calls, and what archiving is at.",
  input: z.strictObject({}),
  async run({ storage, archives }): Promise<ArchivesAnswer> {
    const checkpoints = await storage.checkpoints.list();
    return {
      archives: checkpoints.map((checkpoint) => ({
        number: checkpoint.number,
        file: checkpoint.file,
        is_in_place: archives.isInPlace(checkpoint),
        before: timeToJson(checkpoint.beforeMs),
        calls: checkpoint.calls,
        to_seq: checkpoint.lastSeq,
        sha256: checkpoint.sha256,
      })),
      under_way: archives.progress() ?? null,
    };
  },
});
