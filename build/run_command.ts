/**
 * Runs one outside command to its end and keeps what it printed.
 *
 * @module
 */

/** What a finished command left behind; `output` is its stdout and stderr as text. */
export interface CommandResult {
  readonly success: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** How to run it: where, and with which variables on top of (or instead of) our own. */
export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly clearEnv?: boolean;
}

/**
 * Runs `command` (program, then arguments) without a shell and with no input.
 *
 * A program that is not installed is a result like any other failure, because callers choose
 * another way then.
 */
export async function runCommand(
  command: readonly [string, ...string[]],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const [program, ...args] = command;
  try {
    const output = await new Deno.Command(program, {
      args,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      cwd: options.cwd,
      clearEnv: options.clearEnv ?? false,
      env: { NO_COLOR: "1", ...options.env },
    }).output();
    const decoder = new TextDecoder();
    return {
      success: output.success,
      stdout: decoder.decode(output.stdout),
      stderr: decoder.decode(output.stderr),
    };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return { success: false, stdout: "", stderr: `Cannot run ${program}: it is not installed` };
  }
}
