/**
 * The jobs of administration: in a file of the data dir, or where the database's server has them.
 *
 * @module
 */

import type { AdminJobs } from "../../admin/base/job.ts";
import { JobBook } from "../../admin/jobs/job_book.ts";
import { systemClock } from "../../domain/clock.ts";
import type { SharedJobs } from "../../storage/ports/shared_jobs.ts";
import { openJobShelf } from "./job_shelf.ts";

/**
 * Opens them.
 *
 * @param server Absent where the database is a file.
 * @param onTrouble Told why a job failed that is no refusal, and why the file could not be read or written.
 */
export async function openJobs(
  server: { readonly jobs: SharedJobs } | undefined,
  { dataDir, onTrouble }: {
    readonly dataDir: string;
    readonly onTrouble: (message: string) => void;
  },
): Promise<AdminJobs> {
  const clock = systemClock;
  const onFault = (id: string, error: unknown) => onTrouble(`${id} failed: ${error}`);
  if (server === undefined) {
    return new JobBook({ clock, shelf: openJobShelf(dataDir, onTrouble), onFault });
  }
  const { SharedJobBook } = await import("./shared_job_book.ts");
  return new SharedJobBook({
    ...{ clock, jobs: server.jobs, onFault },
    onUnwritten: (id, error) => onTrouble(`the end of ${id} is not written: ${error}`),
  });
}
