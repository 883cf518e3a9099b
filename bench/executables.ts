/**
 * The gateway and the pass-through as they are compared: on the same runtime.
 *
 * @module
 */

import { buildExecutable } from "../build/executable.ts";
import { DIST, ROOT } from "../build/paths.ts";
import { registryDenort } from "../build/registry_denort.ts";
import { runCommand } from "../build/run_command.ts";
import { denoCommand, FALLBACK_DENO } from "../build/toolchain.ts";
import type { Command } from "./child_process.ts";

/** What is compared. */
export interface Compared {
  readonly gateway: Command;
  readonly passThrough: Command;
  /** Version of Deno under both. */
  readonly runtime: string;
}

/** Builds `dist/tollgate` and, with the same runtime, `dist/bench/pass_through`. */
export async function buildExecutables(log: (line: string) => void): Promise<Compared> {
  const { path, runtime } = await buildExecutable({ log });
  return { gateway: [path], passThrough: [await compilePassThrough(runtime)], runtime };
}

/** Both from source, under the Deno that runs the benchmark. */
export function fromSource(): Compared {
  const run: Command = [Deno.execPath(), "run", "--quiet", "--no-prompt"];
  return {
    gateway: [...run, "-P=serve", `${ROOT}/main.ts`],
    passThrough: [...run, "--no-config", "--allow-net", `${ROOT}/bench/pass_through.ts`],
    runtime: Deno.version.deno,
  };
}

async function compilePassThrough(runtime: string): Promise<string> {
  const output = `${DIST}/bench/pass_through`;
  const result = await runCommand([
    ...denoCommand(runtime),
    "compile",
    "--quiet",
    "--no-config",
    "--no-code-cache",
    "--no-prompt",
    "--allow-net",
    `--output=${output}`,
    `${ROOT}/bench/pass_through.ts`,
  ], {
    cwd: ROOT,
    env: runtime === FALLBACK_DENO ? { DENORT_BIN: (await registryDenort()).path } : {},
  });
  if (!result.success) throw new Error(`Cannot compile the pass-through: ${result.stderr.trim()}`);
  return output;
}
