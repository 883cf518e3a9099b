/**
 * `tollgate videos delete VIDEO_ID`
 *
 * @module
 */

import type { Command } from "commander";
import { deleteVideo } from "../../admin/videos.ts";
import type { Cli, CommonOptions } from "../cli.ts";

/** Makes the command. */
export function videosDelete(cli: Cli): Command {
  return cli.adminCommand("delete", {
    summary: "Delete a video task and its film for good",
    description: "Delete a video task and its film for good. One that has not ended is stopped " +
      "and not charged; the call that bought it stays on record.",
    example: "videos delete video_mfzgs5dmn5xgk3tpobzgk43u",
  })
    .argument("<video-id>", "id of the task")
    .action((videoId: string, options: CommonOptions) =>
      cli.administer(options, async (admin) => {
        const answer = await admin.call(deleteVideo, { video_id: videoId });
        cli.printFacts(answer, { json: options.json, facts: [["deleted", answer.id]] });
      })
    );
}
