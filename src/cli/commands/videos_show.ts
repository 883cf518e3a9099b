/**
 * `tollgate videos show VIDEO_ID`
 *
 * @module
 */

import type { Command } from "commander";
import { showVideo } from "../../admin/videos.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import { videoFacts } from "./video_output.ts";

/** Makes the command. */
export function videosShow(cli: Cli): Command {
  return cli.adminCommand("show", {
    summary: "Show a video task and where its film is",
    example: "videos show video_mfzgs5dmn5xgk3tpobzgk43u",
  })
    .argument("<video-id>", "id of the task")
    .action((videoId: string, options: CommonOptions) =>
      cli.administer(options, async (admin) => {
        const row = await admin.call(showVideo, { video_id: videoId });
        cli.printFacts(row, { json: options.json, facts: videoFacts(row) });
      })
    );
}
