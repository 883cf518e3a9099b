/**
 * Servers of another version than the command that asks them, as after an update without
 * a restart: what they answer may have another shape, and what they are asked they may not know.
 *
 * @module
 */

import * as z from "zod";
import { UnreadableAnswer } from "../../admin/base/client.ts";
import { showSystem } from "../../admin/system.ts";
import { VERSION } from "../../version.ts";
import { serverClient } from "./control_client.ts";
import { CommandFailure, describeFailure } from "./failure.ts";
import type { Server } from "./find_server.ts";

/** What any version says of itself. */
const showVersion = { ...showSystem, output: z.object({ version: z.string() }) };

/** A command's failure, with the server's version where that is not the command's own. */
export async function explainVersions(
  error: unknown,
  { pid, socket }: Pick<Server, "pid" | "socket">,
): Promise<unknown> {
  const version = await versionOf(socket);
  const failure = error instanceof UnreadableAnswer
    ? restartFirst(error)
    : isUnknown(error)
    ? unknownCommand(error)
    : error;
  if (version === undefined || version === VERSION) return failure;
  const { message, exitCode } = describeFailure(failure);
  return new CommandFailure(
    `${message}. (the server with process id ${pid} is version ${version}, this program version ${VERSION}: if it knows no such thing, restart it)`,
    { exitCode, cause: error },
  );
}

/** A server of the same version may be of an earlier build. */
function restartFirst(error: UnreadableAnswer): CommandFailure {
  const next = error.hasEffect ? "look before you repeat the change" : "repeat the command";
  return new CommandFailure(
    `The server answers in the shape of another version: restart it with this program, then ${next}`,
    { cause: error },
  );
}

/** How a server refuses a path of `/admin/v1` that it does not have. */
const NO_SUCH_PATH = /^(There is nothing at [A-Z]+|[A-Z]+ is not allowed on) \/admin\/v1\//;

function isUnknown(error: unknown): boolean {
  return error instanceof CommandFailure && NO_SUCH_PATH.test(error.message);
}

function unknownCommand(cause: unknown): CommandFailure {
  return new CommandFailure(
    "The server does not know this command: it is an earlier build, restart it with this program, " +
      "then repeat the command",
    { cause },
  );
}

/** `undefined` of a server that cannot say, or is gone. */
async function versionOf(socketPath: string): Promise<string | undefined> {
  try {
    const client = serverClient({ socketPath, user: undefined });
    return (await client.call(showVersion, {})).version;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return undefined;
  }
}
