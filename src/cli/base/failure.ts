/**
 * Why a command ends with something other than 0, as its user reads it.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";

/** Exit codes: failure, and wrong usage. */
export const EXIT_FAILURE = 1;
export const EXIT_USAGE = 2;

/** An end of a command that its user is told about. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly exitCode: number;
  /** Of the answer of a server that has refused it; else `undefined`. */
  readonly status: number | undefined;

  constructor(
    message: string,
    options: { exitCode?: number; status?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? EXIT_FAILURE;
    this.status = options.status;
  }
}

/** Codes of errors that the user's own input caused. */
const USAGE_CODES: ReadonlySet<string> = new Set([
  "invalid_value",
  "missing_required_parameter",
  "invalid_json",
]);

/** The exit code for an error by its code on the wire. */
export function exitCodeFor(code: string): number {
  return USAGE_CODES.has(code) ? EXIT_USAGE : EXIT_FAILURE;
}

/** Any error as a command's end: its message for the user, and the exit code. */
export function describeFailure(error: unknown): { message: string; exitCode: number } {
  if (error instanceof CommandFailure) return error;
  if (error instanceof GatewayError) {
    return { message: error.message, exitCode: exitCodeFor(error.code) };
  }
  if (!(error instanceof Error)) return { message: String(error), exitCode: EXIT_FAILURE };
  return {
    // Where a fault is, is what helps.
    message: isFault(error) ? error.stack ?? error.message : error.message,
    exitCode: EXIT_FAILURE,
  };
}

/** Whether an error is a fault of the program rather than of its surroundings. */
export function isFault(error: unknown): boolean {
  return error instanceof TypeError || error instanceof ReferenceError ||
    error instanceof RangeError;
}
