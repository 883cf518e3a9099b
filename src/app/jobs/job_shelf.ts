/**
 * Jobs, kept from one process to the next in a file of the data dir.
 *
 * @module
 */

import { join } from "node:path";
import * as z from "zod";
import { JOB_STATES } from "../../admin/base/job.ts";
import type { JobShelf, KeptJob } from "../../admin/jobs/job_book.ts";
import { AUDIT_CHANNELS } from "../../domain/audit.ts";
import { RANKS } from "../../domain/roles.ts";
import { latestWrites } from "../../domain/work_loop.ts";
import { syncFile } from "../../files/place_new_file.ts";

const FILE = "jobs.json";

const stored = z.lazy(() =>
  z.object({
    jobs: z.array(z.object({
      id: z.string(),
      operation: z.string(),
      role: z.enum(RANKS),
      input: z.unknown().optional(),
      startedBy: z.object({
        channel: z.enum(AUDIT_CHANNELS),
        user: z.string().optional(),
        address: z.string().optional(),
      }),
      startedAt: z.number(),
      endedAt: z.number().optional(),
      state: z.enum(JOB_STATES),
      result: z.unknown().optional(),
      error: z.object({ code: z.string(), message: z.string() }).optional(),
    })),
  })
);

/** @param onTrouble Told why the file could not be read or written: jobs go on without it. */
export function openJobShelf(dataDir: string, onTrouble: (message: string) => void): JobShelf {
  const file = join(dataDir, FILE);

  async function writeNow(jobsNow: () => readonly KeptJob[]): Promise<void> {
    try {
      const part = `${file}.part`;
      await Deno.writeTextFile(part, JSON.stringify({ jobs: jobsNow() }), { mode: 0o600 });
      await syncFile(part);
      await Deno.rename(part, file);
    } catch (error) {
      onTrouble(`the list of jobs is not kept: ${error}`);
    }
  }
  return {
    read() {
      try {
        return stored.parse(JSON.parse(Deno.readTextFileSync(file))).jobs.map((job) => ({
          ...job,
          startedBy: { user: undefined, address: undefined, ...job.startedBy },
          input: job.input,
          result: job.result,
          endedAt: job.endedAt,
          error: job.error,
        }));
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) {
          onTrouble(`the list of jobs begins anew, as ${file} cannot be read: ${error}`);
        }
        return [];
      }
    },
    write: latestWrites(writeNow),
  };
}
