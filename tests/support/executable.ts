/**
 * Starts and runs the program under test the way a user would: as its own process, in a folder of
 * its own, with no environment but what the test gives it.
 *
 * The program is the executable named by `TOLLGATE_BINARY` (set by `deno task test`), else the
 * source under the permissions that the executable has.
 *
 * @module
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { carriedSettings } from "../../build/tested_settings.ts";
import { ProcessOutput } from "./process_output.ts";
import { suiteDatabase } from "./suite_database.ts";
import { within } from "./within.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BINARY = Deno.env.get("TOLLGATE_BINARY");
/** Only a guard against a start that hangs; nothing is measured by it. */
const READY_WITHIN_MS = 30_000;
/** A command that has not ended by then never will; some tests sweep for minutes with one. */
const ENDS_WITHIN_MS = 600_000;

/** What the tests drive; for tests that make sense for one of them only. */
export const programKind: "executable" | "source" = BINARY === undefined ? "source" : "executable";

/** Options of {@linkcode runTollgate}. */
export interface RunOptions {
  /** The whole environment; empty by default. */
  readonly env?: Readonly<Record<string, string>>;
  /** Text given on stdin; without it stdin is empty. */
  readonly stdin?: string;
  /** Working folder; a fresh one, removed afterwards, by default. */
  readonly cwd?: string;
}

/** How a finished process ended and what it printed. */
export interface FinishedTollgate {
  readonly code: number;
  readonly signal: Deno.Signal | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options of {@linkcode startTollgate}. */
export interface StartOptions {
  /** Arguments after `serve --listen … --data-dir …`. */
  readonly args?: readonly string[];
  /** The whole environment; empty by default. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default `127.0.0.1:0`: any free port. */
  readonly listen?: string;
  /** An existing data dir, for a second start; it is not removed. Default: a new one. */
  readonly dataDir?: string;
  /** The process's `ulimit -n`; needs bash. Default: the test's own. */
  readonly openFiles?: number;
  /** A program and its arguments that run the server in their own process, such as `bash -c …`. */
  readonly through?: readonly string[];
  /** An executable in place of the one under test: of another version, say. */
  readonly executable?: string | undefined;
  /** Whether a project key will be printed. Default: on a new data dir without `--catalog`. */
  readonly expectKey?: boolean;
  /** The guard against a start that hangs, for many starts at one time. Default: 30 s. */
  readonly readyWithinMs?: number;
}

/** A server that has said where it listens. `await using` ends it and removes its folder. */
export interface RunningTollgate extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, without `/v1`. */
  readonly baseUrl: string;
  /** The project key printed at first run; empty when none was expected. */
  readonly key: string;
  readonly dataDir: string;
  /** The working folder, empty at start. */
  readonly cwd: string;
  readonly process: Deno.ChildProcess;
  /** Whether the process is gone. */
  readonly hasEnded: boolean;
  /** Everything printed so far. */
  readonly stdout: string;
  readonly stderr: string;
  /** Resolves when something printed matches; rejects when the process ends without it. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal (default SIGTERM) and waits for the end. */
  stop(signal?: Deno.Signal): Promise<FinishedTollgate>;
  /** Ends it at once, as a crash would (SIGKILL). */
  kill(): Promise<FinishedTollgate>;
}

/** Runs one command to its end. */
export async function runTollgate(
  args: readonly string[],
  { env = {}, stdin, cwd }: RunOptions = {},
): Promise<FinishedTollgate> {
  const folder = cwd ?? await Deno.makeTempDir({ prefix: "tollgate-run-" });
  try {
    const process = spawn(args, {
      env,
      cwd: folder,
      stdin: stdin === undefined ? "null" : "piped",
    });
    const output = new ProcessOutput(process);
    const guard = setTimeout(() => sendSignal(process, "SIGKILL"), ENDS_WITHIN_MS);
    try {
      if (stdin !== undefined) await writeStdin(process, stdin);
      return await finish(process, output);
    } finally {
      clearTimeout(guard);
    }
  } finally {
    if (cwd === undefined) await Deno.remove(folder, { recursive: true });
  }
}

/** Starts `tollgate serve` and waits until it has printed its base URL (and key). */
export async function startTollgate(options: StartOptions = {}): Promise<RunningTollgate> {
  const { args = [], env = {}, listen = "127.0.0.1:0" } = options;
  const cwd = await Deno.makeTempDir({ prefix: "tollgate-serve-" });
  const dataDir = options.dataDir ?? `${cwd}/data`;
  const expectKey = options.expectKey ??
    (options.dataDir === undefined && !args.includes("--catalog"));
  const process = spawn(["serve", "--listen", listen, "--data-dir", dataDir, ...args], {
    env,
    cwd,
    stdin: "null",
    openFiles: options.openFiles,
    through: options.through,
    executable: options.executable,
  });
  const output = new ProcessOutput(process);
  let finished: Promise<FinishedTollgate> | undefined;
  let hasEnded = false;
  process.status.finally(() => hasEnded = true);

  function end(signal: Deno.Signal): Promise<FinishedTollgate> {
    sendSignal(process, signal);
    return finished ??= finish(process, output);
  }
  let disposed: Promise<void> | undefined;
  function dispose(): Promise<void> {
    return disposed ??= end("SIGKILL").then(() => Deno.remove(cwd, { recursive: true }));
  }

  try {
    const { baseUrl, key } = await untilReady(output, {
      expectKey,
      readyWithinMs: options.readyWithinMs,
    });
    return {
      baseUrl,
      key,
      dataDir,
      cwd,
      process,
      get hasEnded() {
        return hasEnded;
      },
      get stdout() {
        return output.stdout;
      },
      get stderr() {
        return output.stderr;
      },
      waitForOutput: (pattern) => output.waitFor(pattern),
      stop: (signal = "SIGTERM") => end(signal),
      kill: () => end("SIGKILL"),
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function untilReady(
  output: ProcessOutput,
  { expectKey, readyWithinMs = READY_WITHIN_MS }: {
    readonly expectKey: boolean;
    readonly readyWithinMs: number | undefined;
  },
) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`Cannot see the server get ready: it printed\n${output.all}`)),
      readyWithinMs,
    );
  });
  try {
    const [url, key] = await Promise.race([
      Promise.all([
        output.waitFor(/http:\/\/(?:127\.0\.0\.1|localhost|\[::1?\]|0\.0\.0\.0):\d+/),
        expectKey ? output.waitFor(/sk-tg-[A-Za-z0-9_-]{43}/) : undefined,
      ]),
      deadline,
    ]);
    return { baseUrl: url[0], key: key?.[0] ?? "" };
  } finally {
    clearTimeout(timer);
  }
}

function spawn(
  args: readonly string[],
  { env, cwd, stdin, openFiles, through, executable }: {
    readonly env: Readonly<Record<string, string>>;
    readonly cwd: string;
    readonly stdin: "null" | "piped";
    readonly openFiles?: number | undefined;
    readonly through?: readonly string[] | undefined;
    readonly executable?: string | undefined;
  },
): Deno.ChildProcess {
  const [program, ...programArgs] = executable === undefined
    ? commandOf(args)
    : [executable, ...args];
  const [first = program!, ...others] = [
    ...(through ?? []),
    ...(openFiles === undefined ? [] : ["bash", "-c", `ulimit -n ${openFiles}; exec "$0" "$@"`]),
    program!,
    ...programArgs,
  ];
  return new Deno.Command(first, {
    args: others,
    clearEnv: true,
    env: {
      ...SETTINGS,
      ...suiteDatabase(args),
      ...(BINARY === undefined && { DENO_DIR: denoDir() }),
      ...env,
    },
    cwd,
    stdin,
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** What all executables of a run are set to, where it says so. */
const SETTINGS = carriedSettings();

/** The words that run the program. */
export function commandOf(args: readonly string[]): readonly string[] {
  const source = ["run", "--quiet", `--config=${ROOT}deno.json`, "-P=serve", "--no-prompt"];
  return BINARY === undefined
    ? [Deno.execPath(), ...source, `${ROOT}main.ts`, ...args]
    : [BINARY, ...args];
}

/** From source, the empty environment would hide where the dependencies are cached. */
function denoDir(): string {
  const cache = Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`;
  return Deno.env.get("DENO_DIR") ?? `${cache}/deno`;
}

/** A process that ends without reading its input is no failure of the test. */
async function writeStdin(process: Deno.ChildProcess, text: string): Promise<void> {
  const writer = process.stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  } catch (error) {
    assert.ok(error instanceof Deno.errors.BrokenPipe, String(error));
  }
}

/** A process that has ended already cannot be signalled, and needs not be. */
function sendSignal(process: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    process.kill(signal);
  } catch (error) {
    const gone = error instanceof Deno.errors.NotFound || error instanceof TypeError;
    if (!gone) throw error;
  }
}

async function finish(
  process: Deno.ChildProcess,
  output: ProcessOutput,
): Promise<FinishedTollgate> {
  const ended = Promise.all([process.status, output.ended]);
  const [{ code, signal }] = await within(
    // Who is killed by a guard has a little time to be gone.
    ENDS_WITHIN_MS + READY_WITHIN_MS,
    ended,
    // Or a process that it has started holds what it prints to.
    () => `The process does not end: it printed\n${output.all}`,
  );
  return { code, signal, stdout: output.stdout, stderr: output.stderr };
}
