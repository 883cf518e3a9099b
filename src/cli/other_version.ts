/**
 * Servers of another version than the command that asks them, as after an update without
 * a restart: what they answer may have another shape, and what they are asked they may not know.
 *
 * @module
 */

import { showSystem } from "../admin/system.ts";
import { VERSION } from "../version.ts";
import { callServer } from "./control_client.ts";
import { CommandFailure, describeFailure, isFault } from "./failure.ts";
import type { Server } from "./find_server.ts";

/** What is to be said of a list without rows: a server of the same version may be of an earlier build. */
export const OTHER_BUILD =
  "The server answers in the shape of another version: restart it with this program, then repeat the command";

/** A command's failure, with the server's version where that is not the command's own. */
export async function explainVersions(
  error: unknown,
  { pid, socket }: Pick<Server, "pid" | "socket">,
): Promise<unknown> {
  const version = await versionOf(socket);
  if (version === VERSION) return error;
  const server = `the server with process id ${pid}`;
  if (isFault(error)) {
    return new CommandFailure(
      `Cannot read what ${server} answered: it is ${
        version === undefined ? "an earlier version" : `version ${version}`
      }, and this program is version ${VERSION}. Restart the server with this version, and look before you repeat a change`,
      { cause: error },
    );
  }
  if (version === undefined) return error;
  const { message, exitCode } = describeFailure(error);
  return new CommandFailure(
    `${message}. (${server} is version ${version}, this program version ${VERSION}: if it knows no such thing, restart it)`,
    { exitCode, cause: error },
  );
}

/** `undefined` of a server that cannot say, or is gone. */
async function versionOf(socketPath: string): Promise<string | undefined> {
  try {
    return (await callServer({ socketPath, user: undefined }, showSystem, {})).version;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return undefined;
  }
}
