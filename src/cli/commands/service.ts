/**
 * `tollgate service …`
 *
 * @module
 */

import type { Command } from "commander";
import { resolve } from "node:path";
import type { Cli } from "../base/cli.ts";
import { CommandFailure } from "../base/failure.ts";
import { serverOf, SERVICE_DATA_DIR } from "../base/find_server.ts";
import { checkTree } from "../systemd/check_paths.ts";
import {
  checkExecutable,
  copyExecutable,
  ownExecutable,
  removeCopy,
} from "../systemd/installed_executable.ts";
import { needRoot, UnitFile } from "../systemd/unit_file.ts";
import { addUnitOptions, planUnit, type UnitOptions } from "../systemd/unit_options.ts";
import { COPY_PATH, programOf, UNIT_PATH, unitText } from "../systemd/unit_text.ts";
import { isListening } from "../base/control_client.ts";

export function service(cli: Cli): readonly Command[] {
  return [serviceInstall(cli), serviceUninstall(cli), servicePrint(cli)];
}

interface InstallOptions extends UnitOptions {
  readonly copy?: boolean;
  readonly root?: string;
  readonly json?: boolean;
}

function serviceInstall(cli: Cli): Command {
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
    const plan = await planUnit(options, { cli, executable, root });
    const unit = new UnitFile(root);
    const before = unit.check();
    const wasCopied = before !== undefined && programOf(before).isCopied;
    const text = unitText({ ...plan, isCopied: isCopied || wasCopied });
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

interface PrintOptions extends UnitOptions {
  readonly copy?: boolean;
  readonly json?: boolean;
}

function servicePrint(cli: Cli): Command {
  const command = cli.command("print", {
    summary: "Print the systemd unit that install would write",
    example: "service print --listen 0.0.0.0:8080 > tollgate.service",
  })
    .option("--copy", `The unit that runs a copy of this executable, ${COPY_PATH}.`)
    .option("--json", "print JSON");
  return addUnitOptions(command).action(async (options: PrintOptions) => {
    const { executable, reason } = options.copy === true
      ? { executable: COPY_PATH }
      : printedExecutable();
    const text = unitText(await planUnit(options, { cli, executable, isPrinted: true }));
    if (options.json === true) cli.printJson({ unit: UNIT_PATH, text });
    else cli.terminal.out(text);
    // Once there is a unit to speak of, and behind it, where it is seen.
    if (reason !== undefined) {
      cli.warn([`The unit that was printed is that of service install --copy: ${reason}`]);
    }
  });
}

/** What the unit runs; with the reason why that is a copy of this program. */
function printedExecutable(): { readonly executable: string; readonly reason?: string } {
  const own = ownExecutable();
  try {
    return { executable: own === undefined ? COPY_PATH : checkExecutable(own) };
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return { executable: COPY_PATH, reason: error.message };
  }
}

interface UninstallOptions {
  readonly root?: string;
  readonly json?: boolean;
}

/** Where `DynamicUser=yes` has the data in truth; `/var/lib/tollgate` is a link to it. */
const KEPT_DATA = "/var/lib/private/tollgate";

function serviceUninstall(cli: Cli): Command {
  return cli.command("uninstall", {
    summary: "Remove the systemd unit and the copy of the program; the data stays",
    description:
      "Remove the systemd unit of a service that has been stopped, and the copy of the " +
      "program that install --copy has made. Data, secrets and variables stay.",
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
      const program = programLeft(unit.read(), root);
      const wasThere = unit.remove();
      const data = `${root}${KEPT_DATA}`;
      const next = wasThere && root === "" ? ["systemctl daemon-reload"] : [];
      const state = wasThere ? "removed" : "absent";
      cli.printFacts({ unit: unit.path, state, program, data_dir: data, next }, {
        json: options.json,
        facts: [
          ["unit", `${unit.path} (${wasThere ? "removed" : "it was not there"})`],
          ...programFacts(program),
          ["data", `${data} stays, as does /etc/tollgate; remove them when nobody needs them`],
        ],
      });
      if (next.length > 0) cli.say(`Next:\n  ${next.join("\n  ")}`);
    });
}

/** What the unit ran, and what has become of it; `null` where there is no unit. */
type ProgramLeft = { readonly path: string; readonly state: "removed" | "absent" | "stays" } | null;

/** Before the unit goes, which says whether install has put it there: broken off, it is done again. */
function programLeft(unit: string | undefined, root: string): ProgramLeft {
  if (unit === undefined) return null;
  const { path, isCopied } = programOf(unit);
  if (!isCopied) return { path: `${root}${path}`, state: "stays" };
  return { path: `${root}${COPY_PATH}`, state: removeCopy(root) ? "removed" : "absent" };
}

function programFacts(program: ProgramLeft): readonly (readonly [string, string])[] {
  switch (program?.state) {
    case undefined:
      return [];
    case "removed":
      return [["program", `${program!.path} (removed: install has put it there)`]];
    case "absent":
      return [["program", `${program!.path} (it was not there)`]];
    case "stays":
      return [["program", `${program!.path} stays: this unit's install has not put it there`]];
  }
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
