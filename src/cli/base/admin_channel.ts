/**
 * The way to the administrative operations: through the server that owns the
 * data dir, or in this process when none does.
 *
 * @module
 */

import type * as z from "zod";
import { type AdminClient, readAnswer } from "../../admin/base/client.ts";
import type { AdminDeps } from "../../admin/base/deps.ts";
import type { Operation } from "../../admin/base/operation.ts";
import type { JobRow } from "../../admin/jobs/jobs.ts";
import { checkInput, runOperation } from "../../admin/base/run_operation.ts";
import { bucketOf } from "../../app/film_place.ts";
import { type Core, hasDatabase, openCore, refuseForeignDataDir } from "../../app/gateway.ts";
import { readProxiedSchemes } from "../../config/proxied_schemes.ts";
import { readS3Access } from "../../config/s3_access.ts";
import { createSecretResolver } from "../../config/secrets.ts";
import type {
  DatabaseSettings,
  DiskSettings,
  FilmBucketSettings,
} from "../../config/process_settings.ts";
import { systemClock } from "../../domain/clock.ts";
import type { Shown } from "../../documents/shown.ts";
import { GatewayError } from "../../errors.ts";
import { beginServed, NoServerError, type ServerCall, serverClient } from "./control_client.ts";
import { CommandFailure } from "./failure.ts";
import { type DataDirChoice, findTarget, type Target } from "./find_server.ts";
import { type AskedOperation, explainVersions } from "./other_version.ts";
import { runningUser } from "./running_user.ts";
import type { Terminal } from "./terminal.ts";

/** Runs operations, wherever that is. */
export interface AdminChannel extends AdminClient {
  /** Runs a long operation: says how far it is, and a Ctrl-C ends it. Throws as `call` does. */
  callLong<Input extends z.ZodType, Output extends z.ZodType>(
    operation: Operation<Input, Output>,
    input: z.input<Input>,
  ): Promise<Shown<Output>>;
  /** Where the data is. */
  readonly dataDir: string;
  /** What a failure of the work is told as: a server that was asked may be of another version. */
  explain(error: unknown): Promise<unknown>;
  /** Gives the data dir free. */
  close(): Promise<void>;
}

/** Where a command works. */
export interface CommandPlace extends DataDirChoice {
  /** The catalogue file that the settings name, which then owns the catalogue. */
  readonly catalogueOwner: string | undefined;
  readonly disk: DiskSettings;
  /** The server that has the database; a file of the data dir when absent. */
  readonly database: DatabaseSettings | undefined;
  /** The bucket that has the films; the data dir does when absent. */
  readonly filmBucket: FilmBucketSettings | undefined;
  /** Whose people may sign in at the console, as far as the settings file says it. */
  readonly oidcIssuer?: string | undefined;
}

/** What a channel is opened for. */
export interface ChannelOptions extends CommandPlace {
  /** Whether a data dir may be made: not by a command that only reads. */
  readonly mayCreate: boolean;
}

/** For how long a server that has the data dir, but does not listen yet, is waited for. */
const STARTING_MS = 5_000;
const STARTING_POLL_MS = 50;

/** Opens the channel when its first operation is called. */
export function openChannel(options: ChannelOptions, terminal: Terminal): AdminChannel {
  let target = findTarget(options, terminal.around);
  let core: Promise<Core> | undefined;
  /** The one that has answered or refused. */
  let asked: AskedOperation | undefined;
  /** The process that was named already: a command that calls twice says it once. */
  let told: number | undefined;

  /** This process's own, or `undefined` when a server has taken the data dir meanwhile. */
  async function openUnlessServed(): Promise<Core | undefined> {
    core ??= openHere(target, options, terminal);
    try {
      return await core;
    } catch (error) {
      core = undefined;
      target = findTarget(options, terminal.around);
      const isTaken = error instanceof GatewayError && error.code === "conflict";
      if (isTaken && target.server !== undefined) return undefined;
      throw error;
    }
  }

  /** By the server, or in this process where none has the data dir. */
  async function through<Answer>(operation: Operation, input: unknown, ways: {
    readonly served: (call: ServerCall) => Promise<Answer>;
    readonly here: (deps: AdminDeps) => Promise<Answer>;
  }): Promise<Answer> {
    checkInput(operation, input);
    for (let waitedMs = 0; waitedMs < STARTING_MS; waitedMs += STARTING_POLL_MS) {
      const { server, dataDir } = target;
      if (core === undefined && server !== undefined) {
        try {
          const call = { socketPath: server.socket, user: runningUser(terminal.around) };
          asked = { server, operation };
          const answer = await ways.served(call);
          if (!options.isChosen && told !== server.pid) {
            told = server.pid;
            terminal.err(
              `Through the server with process id ${server.pid}, data dir ${dataDir}\n`,
            );
          }
          return answer;
        } catch (error) {
          // Its lock file outlived it, or it is about to listen: the lock itself tells which.
          if (!(error instanceof NoServerError)) throw error;
          asked = undefined;
        }
      }
      const here = await openUnlessServed();
      if (here !== undefined) return await ways.here(here.admin);
      await new Promise((resolve) => setTimeout(resolve, STARTING_POLL_MS));
    }
    core = openHere(target, options, terminal);
    return await ways.here((await core).admin);
  }

  return {
    get dataDir() {
      return target.dataDir;
    },
    call: (operation, input) =>
      through(operation, input, {
        served: (call) => serverClient(call).call(operation, input),
        here: (deps) => runOperation(operation, { deps, input }),
      }),
    async callLong(operation, input) {
      const { followHere, followJob } = await import("./follow_work.ts");
      // Once it is begun, it is not begun again: whoever then does not answer has broken off.
      let hasBegun = false;
      const answer = await through<unknown>(operation, input, {
        async served(call) {
          if (hasBegun) throw brokenOff(operation);
          const begun = await beginServed(call, operation, input as object);
          hasBegun = true;
          if (begun.kind === "answer") return begun.answer;
          const { id } = begun.job as JobRow;
          return await followJob(terminal, serverClient(call), { id });
        },
        async here(deps) {
          if (hasBegun) throw brokenOff(operation);
          return await followHere(
            terminal,
            (watcher) => runOperation(operation, { deps: { ...deps, watcher }, input }),
          );
        },
      });
      return readAnswer(operation, answer);
    },
    explain: async (error) => asked === undefined ? error : await explainVersions(error, asked),
    async close() {
      await (await core)?.close();
    },
  };
}

function brokenOff({ name }: Operation): CommandFailure {
  return new CommandFailure(
    `The server ended before ${name} did: see its log, then \`tollgate jobs list\``,
  );
}

function openHere(
  { dataDir, server, serviceDir }: Target,
  { mayCreate, catalogueOwner, disk, database, filmBucket }: ChannelOptions,
  { around, err }: Terminal,
): Promise<Core> {
  // A server that is about to listen has the lock before it has made the database.
  if (database === undefined && server === undefined && !hasDatabase(dataDir)) {
    // Whoever runs a service means its data, and not a second data dir that begins empty.
    if (serviceDir !== undefined) {
      throw new CommandFailure(
        `No server was found, but a service has its data in ${serviceDir}: run this as root while the service runs (systemctl start tollgate), or name another data dir with --data-dir`,
      );
    }
    if (!mayCreate) {
      refuseForeignDataDir(dataDir);
      const missing = around.isDirectory(dataDir)
        ? `There is no database in ${dataDir} and no running server: name the data dir`
        : `There is no data dir ${dataDir} and no running server: name one`;
      throw new CommandFailure(`${missing} with --data-dir, or start \`tollgate serve\``);
    }
    err(`No server runs on the data dir ${dataDir}: it is new\n`);
  }
  const secrets = createSecretResolver({ env: around.env, clock: systemClock });
  const resolveSecret = (reference: string) => secrets.resolve(reference);
  return openCore({
    dataDir,
    database,
    filmBucket: bucketOf({ filmBucket, s3: readS3Access(around.env, resolveSecret) }),
    processKind: "cli",
    user: runningUser(around),
    socketPath: undefined,
    catalogueOwner,
    disk,
    resolveSecret,
    proxied: readProxiedSchemes(around.env),
    onTrouble: (message) => err(`Storage refused: ${message}\n`),
    onPause: ({ scope, id }) =>
      err(`Its spend brake pauses ${scope} ${id}: tollgate ${scope}s resume ${id}\n`),
    onTablesInUse: (why) => err(`${why}\n`),
    // Commands keep no answers.
    onKeptFull: () => {},
    onVideoTrouble: (what, error) => err(`Trouble with a video task (${what}): ${error}\n`),
    // Whoever waits for the operation is told by its own failure.
    onStorageLost: (error) => err(`Storage is lost: ${error.message}\n`),
  });
}
