/**
 * What tests drive: the executable of the source as it is.
 *
 * @module
 */

import { NoRuntimeError } from "./compile_program.ts";
import { buildExecutable, type Executable } from "./executable.ts";

/**
 * Brings the executable up to date; `undefined` where no runtime for `deno compile` can be had, so
 * that the source has to stand in, under the same permissions.
 *
 * @throws {NoRuntimeError} in that case with `CI=true`, where a missing executable is a failure.
 */
export async function executableUnderTest(
  { log }: { readonly log: (line: string) => void },
): Promise<Executable | undefined> {
  try {
    return await buildExecutable({ log });
  } catch (error) {
    if (!(error instanceof NoRuntimeError) || Deno.env.get("CI") === "true") throw error;
    log(`${error.message}\nDriving the source under the executable's permissions`);
    return undefined;
  }
}
