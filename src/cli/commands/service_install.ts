/**
 * `tollgate service install`
 *
 * @module
 */

import type { Command } from "commander";
import { resolve } from "node:path";
import type { Cli } from "../base/cli.ts";
import { CommandFailure } from "../base/failure.ts";
import { SERVICE_DATA_DIR } from "../base/find_server.ts";
import { checkTree } from "../systemd/check_tree.ts";
import {
  checkExecutable,
  COPY_PATH,
  copyExecutable,
  ownExecutable,
} from "../systemd/installed_executable.ts";
import { needRoot } from "../systemd/need_root.ts";
import { UnitFile } from "../systemd/unit_file.ts";
import { addUnitOptions, planUnit, type UnitOptions } from "../systemd/unit_options.ts";
import { unitText } from "../systemd/unit_text.ts";

interface InstallOptions extends UnitOptions {
  readonly copy?: boolean;
  readonly root?: string;
  readonly json?: boolean;
}

/** Makes the command. */
export function serviceInstall(cli: Cli): Command {
  const command = cli.command("install", {
    summary: "Write the systemd unit of a confined server",
    description: "Write the systemd unit of a confined server, and say which systemctl commands " +
      "start it: tollgate itself starts no program. The options are the settings that the " +
      "server gets; further TOLLGATE_* variables belong into /etc/tollgate/environment. Run it " +
      "again to change the unit.",
    example: "service install --copy --listen 0.0.0.0:8080 " +
      "--credential openai=/etc/tollgate/openai.key",
  })
    .option("--copy", `Copy this executable to ${COPY_PATH} and run the copy.`)
    .option("--root <DIR>", "Install into the tree of another machine, such as an image.")
    .option("--json", "print JSON");
  return addUnitOptions(command).action(async (options: InstallOptions) => {
    const root = options.root === undefined ? "" : resolve(cli.terminal.around.cwd, options.root);
    if (root === "") needRoot(cli, "install");
    checkTree(root);
    const own = ownExecutable();
    if (own === undefined) {
      throw new CommandFailure(
        "Cannot install a service from source: build the executable with `deno task compile` and run its `service install`",
      );
    }
    const isCopied = options.copy === true && own !== `${root}${COPY_PATH}`;
    const executable = options.copy === true ? COPY_PATH : checkExecutable(own);
    const text = unitText(await planUnit(options, { cli, executable, root }));
    const unit = new UnitFile(root);
    unit.check();
    // A unit that names a program that is not there would be started all the same.
    if (isCopied) copyExecutable(own, root);
    const state = unit.write(text);
    const next = nextCommands({
      root,
      isEnabled: unit.isEnabled,
      isOther: isCopied || state !== "unchanged",
    });
    const facts = { unit: unit.path, state, executable, data_dir: SERVICE_DATA_DIR, next };
    cli.printFacts(facts, {
      json: options.json,
      facts: [
        ["unit", `${unit.path} (${state})`],
        ["runs", `${executable} serve`],
        ["data dir", SERVICE_DATA_DIR],
        ["first key", `${SERVICE_DATA_DIR}/first-key, after the first start`],
      ],
    });
    if (next.length > 0) cli.say(`Next:\n${next.map((line) => `  ${line}`).join("\n")}`);
  });
}

/** What makes it so: enabling also has systemd read its units again. */
function nextCommands({ root, isEnabled, isOther }: {
  readonly root: string;
  readonly isEnabled: boolean;
  readonly isOther: boolean;
}): readonly string[] {
  if (root !== "") return isEnabled ? [] : [`systemctl --root=${root} enable tollgate`];
  if (!isEnabled) return ["systemctl enable --now tollgate"];
  return isOther ? ["systemctl daemon-reload", "systemctl restart tollgate"] : [];
}
