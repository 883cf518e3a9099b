/**
 * Servers of another version than the command that asks them, as after an update without
 * a restart: what they answer may have another shape, and what they are asked they may not know.
 *
 * @module
 */

import * as z from "zod";
import type { Operation } from "../../admin/base/operation.ts";
import { UnreadableAnswer } from "../../admin/base/client.ts";
import { showSystem } from "../../admin/system.ts";
import { VERSION } from "../../version.ts";
import { hasPath, type ServerCall, serverClient } from "./control_client.ts";
import { CommandFailure, describeFailure } from "./failure.ts";
import type { Server } from "./find_server.ts";

/** What any version says of itself. */
const showVersion = { ...showSystem, output: z.object({ version: z.string() }) };

/** What was asked of which server. */
export interface AskedOperation {
  readonly server: Pick<Server, "pid" | "socket">;
  readonly operation: Pick<Operation, "path">;
}

/** A command's failure, with the server's version where that is not the command's own. */
export async function explainVersions(
  error: unknown,
  { server: { pid, socket }, operation }: AskedOperation,
): Promise<unknown> {
  const call = { socketPath: socket, user: undefined };
  const version = await versionOf(call);
  const failure = error instanceof UnreadableAnswer
    ? restartFirst(error)
    : await isUnknown(error, call, operation)
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

/** A path may be there with another method alone, or what is asked for at it may not be there. */
async function isUnknown(
  error: unknown,
  call: ServerCall,
  operation: AskedOperation["operation"],
): Promise<boolean> {
  if (!(error instanceof CommandFailure)) return false;
  return error.status === 405 || (error.status === 404 && !await hasPath(call, operation));
}

function unknownCommand(cause: unknown): CommandFailure {
  return new CommandFailure(
    "The server does not know this command: it is an earlier build, restart it with this program, " +
      "then repeat the command",
    { cause },
  );
}

/** `undefined` of a server that cannot say, or is gone. */
async function versionOf(call: ServerCall): Promise<string | undefined> {
  try {
    return (await serverClient(call).call(showVersion, {})).version;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return undefined;
  }
}
