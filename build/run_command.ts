/**
 * Runs one outside command to its end and keeps what it printed.
 *
 * @module
 */

/** What a finished command left behind. */
export interface CommandResult {
  readonly success: boolean;
  /** It was ended because it took longer than `timeoutMs`. */
  readonly isLate: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** How to run it: where, and with which variables on top of (or instead of) our own. */
export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly clearEnv?: boolean;
  /** Ends the command, as a failure, when it takes longer; no limit by default. */
  readonly timeoutMs?: number;
}

/**
 * Runs `command` (program, then arguments) without a shell and with no input.
 *
 * A program that is not installed, or not done in time, is a result like any other failure, because
 * callers choose another way then.
 */
export async function runCommand(
  command: readonly [string, ...string[]],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const [program, ...args] = command;
  const { timeoutMs } = options;
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  try {
    const output = await new Deno.Command(program, {
      args,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      cwd: options.cwd,
      signal: timeout,
      clearEnv: options.clearEnv ?? false,
      env: { NO_COLOR: "1", ...options.env },
    }).output();
    const decoder = new TextDecoder();
    const late = timeout?.aborted === true;
    return {
      success: output.success && !late,
      stdout: decoder.decode(output.stdout),
      stderr: decoder.decode(output.stderr) +
        (late ? `Cannot finish ${program} in time: it was ended after ${timeoutMs} ms` : ""),
      isLate: late,
    };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return {
      success: false,
      isLate: false,
      stdout: "",
      stderr: `Cannot run ${program}: it is not installed`,
    };
  }
}
