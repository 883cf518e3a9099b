/**
 * The way to the administrative operations: through the server that owns the
 * data dir, or in this process when none does.
 *
 * @module
 */

import type { Operation } from "../admin/operation.ts";
import { checkInput } from "../admin/run_operation.ts";
import { type Core, openCore } from "../app.ts";
import { readProxiedSchemes } from "../config/proxied_schemes.ts";
import { createSecretResolver } from "../config/secrets.ts";
import { systemClock } from "../domain/clock.ts";
import { callServer, NoServerError } from "./control_client.ts";
import { CommandFailure } from "./failure.ts";
import { findTarget, type Target } from "./find_server.ts";
import type { Terminal } from "./terminal.ts";

/** Runs operations, wherever that is. */
export interface AdminChannel {
  /** Where the data is. */
  readonly dataDir: string;
  /**
   * @throws {GatewayError} {CommandFailure}
   */
  call<Input, Output>(operation: Operation<Input, Output>, input: object): Promise<Output>;
  /** Gives the data dir free. */
  close(): Promise<void>;
}

/** What a channel is opened for. */
export interface ChannelOptions {
  readonly dataDir: string;
  /** Whether the user named the data dir. */
  readonly isChosen: boolean;
  /** The catalogue file that the settings name, which then owns the catalogue. */
  readonly catalogueOwner: string | undefined;
  /** Whether a data dir may be made: not by a command that only reads. */
  readonly mayCreate: boolean;
}

/** Opens the channel when its first operation is called. */
export function openChannel(options: ChannelOptions, terminal: Terminal): AdminChannel {
  const target = findTarget(options, terminal.around);
  let core: Promise<Core> | undefined;
  let isServerGone = target.server === undefined;
  return {
    dataDir: target.dataDir,
    async call(operation, input) {
      const checked = checkInput(operation, input);
      if (!isServerGone) {
        const { socket, pid } = target.server!;
        try {
          const answer = await callServer(socket, operation, input);
          if (!options.isChosen) {
            terminal.err(`Through the server with process id ${pid}, data dir ${target.dataDir}\n`);
          }
          return answer;
        } catch (error) {
          if (!(error instanceof NoServerError)) throw error;
          // Its lock file outlived it: the lock itself did not.
          isServerGone = true;
        }
      }
      core ??= openHere(target, options, terminal);
      return await operation.run((await core).admin, checked);
    },
    async close() {
      await (await core)?.close();
    },
  };
}

function openHere(
  { dataDir }: Target,
  { mayCreate, catalogueOwner }: ChannelOptions,
  { around, err }: Terminal,
): Promise<Core> {
  if (!mayCreate && !around.isDirectory(dataDir)) {
    throw new CommandFailure(
      `There is no data dir ${dataDir} and no running server: name one with --data-dir, or start \`tollgate serve\``,
    );
  }
  const secrets = createSecretResolver({ env: around.env, clock: systemClock });
  return openCore({
    dataDir,
    processKind: "cli",
    socketPath: undefined,
    catalogueOwner,
    resolveSecret(reference) {
      const result = secrets.resolve(reference);
      return result.ok ? result.value : undefined;
    },
    proxied: readProxiedSchemes(around.env),
    onTrouble: (message) => err(`Storage refused: ${message}\n`),
    // Whoever waits for the operation is told by its own failure.
    onStorageLost: (error) => err(`Storage is lost: ${error.message}\n`),
  });
}
