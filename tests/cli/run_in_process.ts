/**
 * Runs the command line in this process, with a terminal that remembers.
 *
 * @module
 */

import "../support/held_answers.ts";
import { runCli } from "../../src/cli/run_cli.ts";
import type { Terminal } from "../../src/cli/base/terminal.ts";

/** How a command ended and what it printed. */
export interface CommandRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What the command finds around itself. */
export interface CommandSurroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly outColors?: boolean;
  /** Answers what is asked; nobody sits there when absent. */
  readonly answers?: (question: string) => boolean;
  /** Answers in words; empty when absent. */
  readonly lines?: (question: string) => string;
}

/** Runs one command line. */
export async function runCommand(
  args: readonly string[],
  { env = {}, cwd = "/", outColors = false, answers, lines }: CommandSurroundings = {},
): Promise<CommandRun> {
  let stdout = "";
  let stderr = "";
  const terminal: Terminal = {
    out: (text) => void (stdout += text),
    err: (text) => void (stderr += text),
    outColors,
    outIsTerminal: outColors,
    errIsTerminal: false,
    errColors: false,
    canAsk: answers !== undefined,
    ask: (question) => answers!(question),
    askLine: (question) => lines?.(question) ?? "",
    around: {
      env,
      cwd,
      executableFolder: undefined,
      uid: undefined,
      isDirectory,
      isWritable: isDirectory,
    },
    exit(code) {
      throw new Error(`The command ended the process with ${code}`);
    },
  };
  const code = await runCli(args, terminal);
  return { code, stdout, stderr };
}

function isDirectory(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Runs `test` with a path for a data dir that does not exist yet. */
export async function withDataDir(test: (dataDir: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-cli-" });
  try {
    await test(`${folder}/data`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
