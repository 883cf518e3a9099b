/**
 * `tollgate videos list`
 *
 * @module
 */

import { type Command, Option } from "commander";
import { listVideos, VIDEO_STATUSES } from "../../admin/videos.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import { parseCount } from "./limit_options.ts";
import { VIDEO_COLUMNS } from "./video_output.ts";

interface ListOptions extends CommonOptions {
  readonly project?: string;
  readonly status?: string;
  readonly limit?: number;
  readonly after?: string;
}

/** Makes the command. */
export function videosList(cli: Cli): Command {
  return cli.adminCommand("list", {
    summary: "List video tasks, newest first",
    description: "List video tasks, newest first. Prompts are cut; --json has them whole.",
    example: "videos list --project shop --status failed",
  })
    .option("--project <id>", "only this project's")
    .addOption(new Option("--status <status>", "only tasks in it").choices(VIDEO_STATUSES))
    .option("--limit <n>", "at most so many, up to 1000 (default: 50)", parseCount)
    .option("--after <video-id>", "only older ones: go on behind this task")
    .action(({ project, status, limit, after, ...options }: ListOptions) =>
      cli.administer(options, async (admin) => {
        const rows = await admin.call(listVideos, {
          ...(project !== undefined && { project }),
          ...(status !== undefined && { status }),
          ...(limit !== undefined && { limit }),
          ...(after !== undefined && { after }),
        });
        cli.printRows(rows, {
          json: options.json,
          columns: VIDEO_COLUMNS,
          none: "No such video tasks",
        });
      })
    );
}
