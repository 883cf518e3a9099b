/**
 * Starts the processes that take part in a measurement and ends them.
 *
 * @module
 */

import { fileURLToPath } from "node:url";

/** A program and its arguments. */
export type Command = readonly [string, ...string[]];

/** A server under measurement, or the upstream behind it. */
export interface Server extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  /** Ends it by a signal and waits until it is gone. */
  end(signal: Deno.Signal): Promise<void>;
}

/**
 * A part of the benchmark that runs as a process of its own, from source.
 *
 * @param allow What it may use.
 */
export function scriptCommand(file: string, allow: "ffi" | "net" = "ffi"): Command {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const flags = ["--quiet", "--no-config", "--no-prompt", `--allow-${allow}`];
  return [Deno.execPath(), "run", ...flags, path];
}

/**
 * Starts a server that writes everything it prints to `logFile`, and waits until that names its
 * port.
 *
 * @param port Finds the port in what was printed so far.
 * @throws {Error} With what it printed when it ends instead.
 */
export async function startServer(
  command: Command,
  { logFile, port }: {
    readonly logFile: string;
    readonly port: (printed: string) => string | undefined;
  },
): Promise<Server> {
  const process = spawnLogging(command, logFile);
  let hasEnded = false;
  const ended = process.status.then(() => void (hasEnded = true));
  const end = async (signal: Deno.Signal) => {
    if (!hasEnded) process.kill(signal);
    await ended;
  };
  for (;;) {
    const printed = await Deno.readTextFile(logFile);
    const found = port(printed);
    if (found !== undefined) {
      const server = { pid: process.pid, port: Number(found), end };
      return { ...server, [Symbol.asyncDispose]: () => end("SIGKILL") };
    }
    if (hasEnded) throw new Error(`Cannot start ${command.join(" ")}: it printed ${printed}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The shell replaces itself by the command, so the process id is the command's own. */
function spawnLogging(command: readonly string[], logFile: string): Deno.ChildProcess {
  Deno.writeTextFileSync(logFile, "");
  return new Deno.Command("/bin/sh", {
    args: ["-c", 'log=$1; shift; exec "$@" >>"$log" 2>&1', "sh", logFile, ...command],
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
    env: { NO_COLOR: "1" },
  }).spawn();
}

/**
 * Runs a command to its end.
 *
 * @param input What it reads; nothing by default.
 * @returns What it printed.
 * @throws {Error} With its messages when it fails.
 */
export async function runToEnd(command: Command, input = ""): Promise<string> {
  const [program, ...args] = command;
  const process = new Deno.Command(program, {
    args,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    env: { NO_COLOR: "1" },
  }).spawn();
  const [{ success, stdout, stderr }] = await Promise.all([
    process.output(),
    new Blob([input]).stream().pipeTo(process.stdin).catch(ignoreUnread),
  ]);
  const decoder = new TextDecoder();
  if (success) return decoder.decode(stdout);
  throw new Error(`Cannot run ${command.slice(0, 4).join(" ")} …: ${decoder.decode(stderr)}`);
}

/** A command that ends before it has read everything says why by its status. */
function ignoreUnread(): void {}
