/**
 * Which Deno versions take part in a build, and how each is called.
 *
 * @module
 */

/** Runs, tests and bundles the project. */
export const PINNED_DENO = "2.9.6";

/** Compiles where only package registries can be reached; see `registry_denort.ts`. */
export const FALLBACK_DENO = "2.6.8";

/**
 * Kinds of `sys` permission that the fallback refuses to read from a configuration: it knows no such
 * kind because it guards nothing there.
 */
export const SYS_KINDS_UNKNOWN_TO_FALLBACK: readonly string[] = ["umask"];

/** The command that starts Deno in exactly this version: ourselves, or by way of npm. */
export function denoCommand(version: string): readonly [string, ...string[]] {
  return Deno.version.deno === version
    ? [Deno.execPath()]
    : ["npx", "--yes", "--loglevel=error", `deno@${version}`];
}
