/**
 * `tollgate videos list`
 *
 * @module
 */

import { type Command, Option } from "commander";
import { listVideos, VIDEO_STATUSES } from "../../admin/videos.ts";
import type { Cli } from "../cli.ts";
import { addListOptions, type ListOptions, printList } from "./list_options.ts";
import { VIDEO_COLUMNS } from "./video_output.ts";

interface VideosOptions extends ListOptions {
  readonly project?: string;
  readonly status?: string;
}

/** Tasks that a list shows when it is not told how many. */
const MOST = 50;

/** Makes the command. */
export function videosList(cli: Cli): Command {
  const command = cli.adminCommand("list", {
    summary: "List video tasks, newest first",
    description: "List video tasks, newest first. Prompts are cut; --json has them whole.",
    example: "videos list --project shop --status failed",
  });
  return addListOptions(command, MOST)
    .option("--project <id>", "only this project's")
    .addOption(new Option("--status <status>", "only tasks in it").choices(VIDEO_STATUSES))
    .action(({ project, status, ...options }: VideosOptions) =>
      cli.administer(options, (admin) =>
        printList(cli, admin, options, {
          operation: listVideos,
          input: {
            ...(project !== undefined && { project }),
            ...(status !== undefined && { status }),
          },
          most: MOST,
          columns: VIDEO_COLUMNS,
          none: "No such video tasks",
        }))
    );
}
