/**
 * Who may start programs: `tollgate update`, which tries the executable that it was given. All else
 * gives the right up before anything is read or listened to.
 *
 * @module
 */

/**
 * Gives up the right to start programs, and to signal them, for this process and all its Workers. It
 * does not come back: nobody is asked for permissions (`--no-prompt`).
 *
 * @param args Of the command line.
 */
export function startNoProgram(args: readonly string[]): void {
  if (args[0] !== "update") Deno.permissions.revokeSync({ name: "run" });
}
