/**
 * `tollgate videos …`
 *
 * @module
 */

import type { Command } from "commander";
import { deleteVideo, listVideos, showVideo } from "../../admin/videos.ts";
import type { Cli } from "../base/cli.ts";
import { listCommand } from "../operations/list_command.ts";
import { factsCommand } from "../operations/operation_command.ts";
import { VIDEO_COLUMNS, videoFacts } from "./video_output.ts";

const ID = { video_id: "<video-id>" };

/** Makes the commands. */
export function videos(cli: Cli): readonly Command[] {
  return [
    listCommand(cli, {
      operation: listVideos,
      summary: "List video tasks, newest first",
      description: "List video tasks, newest first. Prompts are cut; --json has them whole.",
      example: "videos list --project shop --status failed",
      most: 50,
      columns: () => VIDEO_COLUMNS,
      none: "No such video tasks",
    }),
    factsCommand(cli, {
      operation: showVideo,
      summary: "Show a video task and where its film is",
      example: "videos show video_mfzgs5dmn5xgk3tpobzgk43u",
      args: ID,
      facts: videoFacts,
    }),
    factsCommand(cli, {
      operation: deleteVideo,
      summary: "Delete a video task and its film for good",
      description: "Delete a video task and its film for good. One that has not ended is stopped " +
        "and not charged; the call that bought it stays on record.",
      example: "videos delete video_mfzgs5dmn5xgk3tpobzgk43u",
      args: ID,
      facts: ({ id }) => [["deleted", id]],
    }),
  ];
}
