/**
 * The archives that the ledger goes on from.
 *
 * @module
 */

import * as z from "zod";
import { shownCount, shownTime } from "../base/answer_fields.ts";
import { timeToJson } from "../base/input_fields.ts";
import { defineOperation } from "../base/operation.ts";

/** An archive as shown. */
const shownArchive = z.object({
  number: z.int().min(1),
  file: z.string().describe("Where it was written"),
  is_in_place: z.boolean().describe("Whether there is still a file: archives may be moved"),
  before: shownTime.describe("Every call in it ended at an earlier time"),
  calls: shownCount,
  to_seq: shownCount.describe("The last ledger row in it"),
  sha256: z.string().describe("Of what it states"),
});

export const listArchives = defineOperation({
  name: "calls.archives",
  method: "GET",
  path: "/calls/archives",
  summary: "Lists the archives of calls, and what archiving is at.",
  input: z.strictObject({}),
  output: z.object({
    archives: z.array(shownArchive).describe("Oldest first"),
    under_way: z.object({
      step: z.enum(["copying", "checking", "comparing", "dropping"]),
      done: shownCount,
      of: shownCount.describe("0 where it is not known"),
    }).nullable().describe("What archiving is at; null when none is under way"),
  }),
  errors: [],
  async run({ storage, archives }) {
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
