/**
 * `tollgate jobs …`
 *
 * @module
 */

import type { Command } from "commander";
import { cancelJob, type JobRow, listJobs, showJob } from "../../admin/jobs/jobs.ts";
import type { Cli } from "../base/cli.ts";
import { jobWords } from "../base/follow_work.ts";
import { type Facts, timeText } from "../base/table.ts";
import { factsCommand, listCommand } from "../operations/operation_command.ts";

const EXAMPLE_ID = "job_mfzgs5dmn5xgk3tpobzgk43u2a";

export function jobs(cli: Cli): readonly Command[] {
  return [
    listCommand(cli, {
      operation: listJobs,
      description: "List long work, newest first: what is under way, and the last that has ended.",
      example: "jobs list",
      most: 50,
      columns: () => [
        { header: "ID", value: ({ id }) => id },
        { header: "WORK", value: ({ operation }) => operation },
        { header: "STATE", value: ({ state }) => state },
        { header: "STARTED", value: ({ started_at }) => timeText(started_at) },
        { header: "BY", value: ({ started_by }) => started_by },
        { header: "PROGRESS", value: (job) => isUnderWay(job) ? jobWords(job) : "" },
      ],
      none: "No jobs: long work that somebody starts is listed here",
    }),
    factsCommand(cli, {
      operation: showJob,
      description: "Show a job: how far it is, and what came of it.",
      example: `jobs show ${EXAMPLE_ID}`,
      facts: (job) => [
        ...jobFacts(job),
        ["result", job.result === null ? null : JSON.stringify(job.result)],
      ],
    }),
    factsCommand(cli, {
      operation: cancelJob,
      description: "Have a job end soon, where it can be broken off. An archive whose rows are " +
        "being dropped is finished all the same.",
      example: `jobs cancel ${EXAMPLE_ID}`,
      facts: jobFacts,
    }),
  ];
}

function isUnderWay({ state }: JobRow): boolean {
  return state === "running" || state === "cancelling";
}

function jobFacts(job: JobRow): Facts {
  return [
    ["id", job.id],
    ["work", job.operation],
    ["state", job.state],
    ["progress", isUnderWay(job) ? jobWords(job) : null],
    ["error", job.error === null ? null : `${job.error.code}: ${job.error.message}`],
    ["node", job.node],
    ["started by", job.started_by],
    ["started", job.started_at],
    ["ended", job.ended_at],
  ];
}
