/**
 * Who looks after the executable's file: its user, or a package manager that would be misled.
 *
 * @module
 */

import { CommandFailure } from "../base/failure.ts";
import { ownExecutable } from "../systemd/installed_executable.ts";

/** Where dpkg lists the files of the package. */
const DEBIAN_LIST = "/var/lib/dpkg/info/tollgate.list";

/**
 * The path of this executable, where it is the user's own to replace.
 *
 * @throws {CommandFailure} With the command that updates it, where it is not.
 */
export function replaceableExecutable(): string {
  const own = ownExecutable();
  if (own === undefined) {
    throw new CommandFailure(
      "This is not the executable: update an installation of npm's with `npm install --global " +
        "tollgate@latest`, and the source with git",
    );
  }
  if (Deno.build.os === "windows") {
    throw new CommandFailure(
      "Windows does not let a program replace its own file while it runs: unpack the new release over it",
    );
  }
  refusePackaged(own, DEBIAN_LIST);
  return own;
}

/**
 * @param list Where dpkg has the files of the package, one in each line; not there without it.
 * @throws {CommandFailure} Where the file is the package's.
 */
export function refusePackaged(own: string, list: string): void {
  if (!filesOf(list).includes(own)) return;
  throw new CommandFailure(
    `${own} belongs to the Debian package: update it with \`apt install ./tollgate_VERSION_ARCH.deb\``,
  );
}

function filesOf(list: string): readonly string[] {
  try {
    return Deno.readTextFileSync(list).split("\n");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return [];
  }
}
