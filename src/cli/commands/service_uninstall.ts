/**
 * `tollgate service uninstall`
 *
 * @module
 */

import type { Command } from "commander";
import { resolve } from "node:path";
import type { Cli } from "../base/cli.ts";
import { isListening } from "../base/control_client.ts";
import { CommandFailure } from "../base/failure.ts";
import { serverOf, SERVICE_DATA_DIR } from "../base/find_server.ts";
import { checkTree } from "../systemd/check_tree.ts";
import { needRoot } from "../systemd/need_root.ts";
import { UnitFile } from "../systemd/unit_file.ts";

interface UninstallOptions {
  readonly root?: string;
  readonly json?: boolean;
}

/** Where `DynamicUser=yes` has the data in truth; `/var/lib/tollgate` is a link to it. */
const KEPT_DATA = "/var/lib/private/tollgate";

/** Makes the command. */
export function serviceUninstall(cli: Cli): Command {
  return cli.command("uninstall", {
    summary: "Remove the systemd unit; the data stays",
    description: "Remove the systemd unit of a service that has been stopped. Data, secrets and " +
      "variables stay.",
    example: "service uninstall",
  })
    .option("--root <DIR>", "Uninstall from the tree of another machine, such as an image.")
    .option("--json", "print JSON")
    .action(async (options: UninstallOptions) => {
      const root = options.root === undefined ? "" : resolve(cli.terminal.around.cwd, options.root);
      if (root === "") {
        needRoot(cli, "uninstall");
        await refuseWhileItRuns();
      }
      checkTree(root);
      const unit = new UnitFile(root);
      const wasThere = unit.remove();
      const data = `${root}${KEPT_DATA}`;
      const next = wasThere && root === "" ? ["systemctl daemon-reload"] : [];
      const state = wasThere ? "removed" : "absent";
      cli.printFacts({ unit: unit.path, state, data_dir: data, next }, {
        json: options.json,
        facts: [
          ["unit", `${unit.path} (${wasThere ? "removed" : "it was not there"})`],
          ["data", `${data} stays, as does /etc/tollgate; remove them when nobody needs them`],
        ],
      });
      if (next.length > 0) cli.say(`Next:\n  ${next.join("\n  ")}`);
    });
}

/** A unit that goes while its server runs leaves a server that nobody can stop by name. */
async function refuseWhileItRuns(): Promise<void> {
  const server = serverOf(SERVICE_DATA_DIR);
  if (server === undefined || !await isListening(server.socket)) return;
  throw new CommandFailure(
    `Cannot uninstall a service that runs, with process id ${server.pid}: stop it with ` +
      "`systemctl disable --now tollgate`, then try again",
  );
}
