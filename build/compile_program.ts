/**
 * Turns the program's files into an executable with `deno compile`, choosing the runtime to embed.
 *
 * @module
 */

import { PROGRAM_FILES, ROOT } from "./paths.ts";
import { registryDenort } from "./registry_denort.ts";
import { runCommand } from "./run_command.ts";
import {
  denoCommand,
  FALLBACK_DENO,
  PINNED_DENO,
  SYS_KINDS_UNKNOWN_TO_FALLBACK,
} from "./toolchain.ts";

/** Where packets to the download host are dropped, the attempt would hang for many minutes. */
const DOWNLOAD_TIMEOUT_MS = 120_000;

/** No runtime to embed could be had from anywhere: there is no way to build an executable here. */
export class NoRuntimeError extends Error {
  override readonly name = "NoRuntimeError";
}

/** What is compiled to where. */
export interface CompileOptions {
  readonly output: string;
  /** What it is for, as `Deno.build.target` has it; by default this machine. */
  readonly target?: string;
  readonly log: (line: string) => void;
}

/** How the engine is run: what it has compiled before it takes only where this is the same. */
export const ENGINE_FLAGS =
  "--v8-flags=--heap-growing-percent=40,--no-allocation-site-pretenuring,--no-maglev";

/**
 * Compiles `dist/program` into `output`: with the pinned version's own runtime where Deno's download
 * host answers, else, saying so through `log`, with the newest one that a package registry has.
 *
 * @param included paths in `dist/program` that are embedded besides `main.js`
 * @returns the version of Deno whose runtime is inside.
 * @throws {NoRuntimeError} when neither runtime can be had.
 * @throws {Error} when a runtime was had and the compilation failed all the same.
 */
export async function compileProgram(
  included: readonly string[],
  { output, target = Deno.build.target, log }: CompileOptions,
): Promise<string> {
  await writeCompileConfig([]);
  const args = compileArgs(included, { output, target });
  const pinned = await runCommand([...denoCommand(PINNED_DENO), ...args], {
    cwd: PROGRAM_FILES,
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
  });
  if (pinned.success) return PINNED_DENO;
  const hasNoRuntime = pinned.isLate || pinned.stderr.includes("Setting up base binary");
  if (!hasNoRuntime) throw new Error(`Cannot compile the program: ${pinned.stderr.trim()}`);

  const denort = await registryDenort(target).catch((cause) => {
    throw new NoRuntimeError(`No runtime for deno compile can be had: ${cause.message}`, { cause });
  });
  log(`Deno's download host does not answer: embedding runtime ${FALLBACK_DENO} from a registry`);
  await writeCompileConfig(SYS_KINDS_UNKNOWN_TO_FALLBACK);
  const fallback = await runCommand([...denoCommand(FALLBACK_DENO), ...args], {
    cwd: PROGRAM_FILES,
    env: { DENORT_BIN: denort.path },
  });
  if (!fallback.success) throw new Error(`Cannot compile the program: ${fallback.stderr.trim()}`);
  return FALLBACK_DENO;
}

/**
 * `--no-prompt`: a permission that is missing is an error, never a question to an operator.
 * `--no-code-cache`: otherwise the executable writes a file of predictable name into `$TMPDIR`.
 * `--heap-growing-percent`: the engine collects when the heap has grown by so much since the last
 * time, and not by a multiple of it (`bench/README.md` has what that costs and saves).
 * `--no-allocation-site-pretenuring`: where much of what a place makes outlives a quick collection,
 * the engine makes it in its old generation from then on. Calls that wait for their upstreams look
 * like that, and each keeps all that it points to until the whole memory is looked at.
 * `--no-maglev`: without the engine's middle compiler, what is called often goes from its simplest code
 * to its best at once. A call's way is hundreds of functions, none of which is called much more often
 * than others: they waited for long in middling code, and were compiled twice beside the calls.
 */
function compileArgs(
  included: readonly string[],
  { output, target }: { readonly output: string; readonly target: string },
): string[] {
  return [
    "compile",
    ...(target === Deno.build.target ? [] : [`--target=${target}`]),
    "--config=deno.json",
    "--permission-set=serve",
    "--no-prompt",
    "--no-code-cache",
    ENGINE_FLAGS,
    ...included.map((path) => `--include=${path}`),
    `--output=${output}`,
    "main.js",
  ];
}

/** What the executable bakes in comes from the project's own deno.json, its one owner. */
async function writeCompileConfig(unknownSysKinds: readonly string[]): Promise<void> {
  const { permissions, unstable } = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.json`));
  const sys = permissions.serve.sys.filter((kind: string) => !unknownSysKinds.includes(kind));
  const config = {
    // A workspace of its own, or it would have to be a member of the project's.
    workspace: [],
    permissions: { serve: { ...permissions.serve, sys } },
    unstable,
    lock: false,
  };
  await Deno.writeTextFile(`${PROGRAM_FILES}/deno.json`, JSON.stringify(config, null, 2));
}
