/**
 * `tollgate projects resume ID`
 *
 * @module
 */

import type { Command } from "commander";
import { resumeProject } from "../../admin/resume.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import { projectFacts } from "./project_output.ts";

/** Makes the command. */
export function projectsResume(cli: Cli): Command {
  return cli.adminCommand("resume", {
    summary: "Let it spend again after its brake or a budget",
    description:
      "End a pause by the spend brake, and begin every budget anew that is reached: what was " +
      "spent until now counts no more against it.",
    example: "projects resume shop",
  })
    .argument("<id>", "the project")
    .action((id: string, options: CommonOptions) =>
      cli.administer(options, async (admin) => {
        const project = await admin.call(resumeProject, { project: id });
        cli.printFacts(project, { json: options.json, facts: projectFacts(project) });
      })
    );
}
