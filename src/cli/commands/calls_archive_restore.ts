/**
 * `tollgate calls archive restore NUMBER`
 *
 * @module
 */

import type { Command } from "commander";
import { restoreArchives } from "../../admin/archives/restore_archives.ts";
import type { Cli, CommonOptions } from "../base/cli.ts";
import { readCount } from "../operations/field_options.ts";
import { ownOptions } from "./calls_archive_options.ts";

export function callsArchiveRestore(cli: Cli): Command {
  return cli.adminCommand("restore", {
    summary: "Put what archives have back into a server's database",
    description:
      "Put what an archive of sealed runs and all later ones have back into the database " +
      "on a server, newest first: before it is moved into a file, or to read old calls where all " +
      "others are. The files have to be on the machine of the node that is asked; they are proved " +
      "first, and stay. Each run counts as restored once the database says that all of it is as it was " +
      "sealed; broken off, the same command goes on.",
    example: "calls archive restore 3",
  })
    .argument(
      "<number>",
      "the first archive to restore, see GET /admin/v1/calls/archives",
      readCount,
    )
    .action(async (number: number, _own: CommonOptions, command: Command) => {
      const options = ownOptions<CommonOptions>(command);
      await cli.administer(options, async (admin) => {
        const answer = await admin.callLong(restoreArchives, { number });
        const { restored, milliseconds } = answer;
        cli.printFacts(answer, {
          json: options.json,
          facts: [
            ...restored.map(({ number, file, calls, ledger_rows }) =>
              [`Archive ${number}`, `${calls} calls, ${ledger_rows} ledger rows, ${file}`] as const
            ),
            ["Took", `${(milliseconds / 1000).toFixed(1)} s`],
          ],
        });
        cli.say(
          "The files stay and are needed no more. Where archive_after_months is set, the next look " +
            "archives these calls again",
        );
      });
    });
}
