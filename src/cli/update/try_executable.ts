/**
 * Runs an executable once, before it takes another's place: what is whole and signed may still not
 * run on this machine.
 *
 * @module
 */

import { CommandFailure } from "../base/failure.ts";

/** A first start reads all of it from a disk that may be slow. */
const MOST_MS = 60_000;
/** Of what it prints; a version is much shorter. */
const MOST_CHARACTERS = 65_536;
/** Of what it printed as it is told. */
const MOST_TOLD = 300;

/**
 * Asks the executable at `path` for its version, with nothing of this one's environment.
 *
 * @throws {CommandFailure} Where it cannot be started, does not end in time or well, or is another
 * version than `version`.
 */
export async function requireRuns(
  path: string,
  { version, withinMs = MOST_MS }: { readonly version: string; readonly withinMs?: number },
): Promise<void> {
  const { code, signal, stdout, stderr } = await run(path, withinMs);
  if (code !== 0) {
    const how = signal === null ? `it ended with ${code}` : `it was ended by ${signal}`;
    throw runsNot(`${how}${told(stderr)}`);
  }
  const itsVersion = versionIn(stdout);
  if (itsVersion === undefined) throw runsNot(`asked for its version it said none${told(stdout)}`);
  if (itsVersion !== version) {
    throw runsNot(`it is version ${itsVersion}, and its archive's name says ${version}`);
  }
}

interface Ended {
  readonly code: number;
  readonly signal: Deno.Signal | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(path: string, withinMs: number): Promise<Ended> {
  const child = spawn(path);
  const late = Promise.withResolvers<undefined>();
  const deadline = setTimeout(() => late.resolve(undefined), withinMs);
  try {
    // A program that it has started may hold its output open for longer than it lives itself.
    const ended = await Promise.race([endOf(child), late.promise]);
    if (ended !== undefined) return ended;
  } finally {
    clearTimeout(deadline);
  }
  end(child);
  await child.status;
  throw runsNot(`it had not ended after ${withinMs / 1_000} seconds`);
}

async function endOf({ stdout, stderr, status }: Deno.ChildProcess): Promise<Ended> {
  const [out, err, { code, signal }] = await Promise.all([
    readText(stdout),
    readText(stderr),
    status,
  ]);
  return { code, signal, stdout: out, stderr: err };
}

function end(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    // It has ended in the meantime.
    if (!(error instanceof TypeError)) throw error;
  }
}

function spawn(path: string): Deno.ChildProcess {
  try {
    return new Deno.Command(path, {
      args: ["version", "--json"],
      clearEnv: true,
      cwd: "/",
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  } catch (error) {
    throw runsNot(`it cannot be started: ${(error as Error).message}`);
  }
}

/** The beginning; behind that it is closed, which ends whoever prints without end. */
async function readText(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of stream) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > MOST_CHARACTERS) break;
  }
  return text;
}

function versionIn(stdout: string): string | undefined {
  try {
    const { version } = JSON.parse(stdout);
    return typeof version === "string" ? version.slice(0, MOST_TOLD) : undefined;
  } catch {
    return undefined;
  }
}

/** What it printed, in one line. */
function told(text: string): string {
  const line = text.trim().split("\n", 1)[0]!;
  return line === "" ? "" : `: ${line.slice(0, MOST_TOLD)}`;
}

function runsNot(why: string): CommandFailure {
  return new CommandFailure(
    `The executable in the archive does not run here: ${why}. Nothing was changed`,
  );
}
