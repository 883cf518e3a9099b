/**
 * The gateway and what it is compared with: on the same runtime.
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
  /** An executable made before, where the gateway is to be compared with it. */
  readonly before?: Command;
  readonly passThrough: Command;
  readonly bareServer: Command;
  readonly helloWorld: Command;
  /** Version of Deno under all of them. */
  readonly runtime: string;
}

const YARDSTICKS = {
  pass_through: ["--allow-net"],
  bare_server: ["--allow-net", "--allow-read"],
  hello_world: ["--allow-net"],
} as const;

/** Builds `dist/tollgate` and, with the same runtime, the yardsticks in `dist/bench`. */
export async function buildExecutables(log: (line: string) => void): Promise<Compared> {
  const { path, runtime } = await buildExecutable({ log });
  return {
    gateway: [path],
    passThrough: [await compileYardstick("pass_through", runtime)],
    bareServer: [await compileYardstick("bare_server", runtime)],
    helloWorld: [await compileYardstick("hello_world", runtime)],
    runtime,
  };
}

/** All from source, under the Deno that runs the benchmark. */
export function fromSource(): Compared {
  const run: Command = [Deno.execPath(), "run", "--quiet", "--no-prompt"];
  const runYardstick = (name: keyof typeof YARDSTICKS): Command => [
    ...run,
    "--no-config",
    ...YARDSTICKS[name],
    `${ROOT}/bench/${name}.ts`,
  ];
  return {
    gateway: [...run, "-P=serve", `${ROOT}/main.ts`],
    passThrough: runYardstick("pass_through"),
    bareServer: runYardstick("bare_server"),
    helloWorld: runYardstick("hello_world"),
    runtime: Deno.version.deno,
  };
}

async function compileYardstick(
  name: keyof typeof YARDSTICKS,
  runtime: string,
): Promise<string> {
  const output = `${DIST}/bench/${name}`;
  const result = await runCommand([
    ...denoCommand(runtime),
    "compile",
    "--quiet",
    "--no-config",
    "--no-code-cache",
    "--no-prompt",
    ...YARDSTICKS[name],
    `--output=${output}`,
    `${ROOT}/bench/${name}.ts`,
  ], {
    cwd: ROOT,
    env: runtime === FALLBACK_DENO
      ? { DENORT_BIN: (await registryDenort(Deno.build.target)).path }
      : {},
  });
  if (!result.success) throw new Error(`Cannot compile ${name}: ${result.stderr.trim()}`);
  return output;
}
