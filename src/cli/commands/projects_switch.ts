/**
 * `tollgate projects enable|disable ID`
 *
 * @module
 */

import type { Command } from "commander";
import { disableProject, enableProject } from "../../admin/projects.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import { projectFacts } from "./project_output.ts";

/** Makes `enable` or `disable`. */
export function projectsSwitch(cli: Cli, name: "enable" | "disable"): Command {
  const operation = name === "enable" ? enableProject : disableProject;
  return cli.adminCommand(name, {
    summary: name === "enable" ? "Let its keys be used again" : "Refuse all of its keys, at once",
    example: `projects ${name} shop`,
  })
    .argument("<id>", "the project")
    .action((id: string, options: CommonOptions) =>
      cli.administer(options, async (admin) => {
        const project = await admin.call(operation, { project: id });
        cli.printFacts(project, { json: options.json, facts: projectFacts(project) });
      })
    );
}
