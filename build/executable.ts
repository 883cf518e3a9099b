/**
 * Builds `dist/tollgate` and proves it by running it; does nothing when it is up to date.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { attachFiles } from "./attach_files.ts";
import { bundle } from "./bundle.ts";
import { type CompileOptions, compileProgram } from "./compile_program.ts";
import { inputHash } from "./input_hash.ts";
import { BUILD_RECORD, DIST, EXECUTABLE, START_CACHES } from "./paths.ts";
import { runCommand } from "./run_command.ts";
import { type Caches, startCaches } from "./scripts/make_caches.ts";
import {
  fixTimes,
  writeEntries,
  writeProgram,
  type WrittenProgram,
} from "./scripts/write_program.ts";

/** The finished product. `runtime` is the version of Deno inside, `bytes` the file's size. */
export interface Executable {
  readonly path: string;
  readonly version: string;
  readonly runtime: string;
  readonly bytes: number;
  readonly sha256: string;
}

interface BuildRecord extends Executable {
  readonly inputs: string;
}

/**
 * Returns the executable for the sources as they are now, building it unless the last build had the
 * same inputs (`force` builds always).
 *
 * The file appears under its name only after it has been run and found good, so nobody ever starts
 * half of one. One build at a time works in `dist`; a second waits for the first.
 *
 * The same sources and the same start caches (`scripts/make_caches.ts`) give the same bytes: neither
 * a time nor a path of this machine is in them.
 *
 * @throws {NoRuntimeError} when there is no runtime to embed.
 * @throws {Error} when a step fails or the product is not a standalone executable.
 */
export async function buildExecutable(
  { force = false, log }: { readonly force?: boolean; readonly log: (line: string) => void },
): Promise<Executable> {
  await Deno.mkdir(DIST, { recursive: true });
  using lock = await Deno.open(`${DIST}/.lock`, { create: true, write: true });
  await lock.lock(true);
  const inputs = await inputHash();
  const previous = force ? undefined : await readRecord();
  if (previous?.inputs === inputs && previous.sha256 === await fileHash(EXECUTABLE)) {
    return previous;
  }

  log("Bundling");
  const program = await writeProgram(await bundle());
  const caches = await startCaches(program, { log });
  log("Compiling");
  const unproven = `${DIST}/tollgate.unproven`;
  const runtime = await compileWith(caches, program, { output: unproven, log });
  const version = await proveStandalone(unproven, { runtime, caches });
  await Deno.rename(unproven, EXECUTABLE);

  const { size } = await Deno.stat(EXECUTABLE);
  const sha256 = await fileHash(EXECUTABLE) ?? "";
  const executable: Executable = { path: EXECUTABLE, version, runtime, bytes: size, sha256 };
  const record: BuildRecord = { ...executable, inputs };
  await Deno.writeTextFile(BUILD_RECORD, `${JSON.stringify(record, null, 2)}\n`);
  return executable;
}

/**
 * Compiles the program into `output`, with what each start reads attached where that can be done.
 *
 * @returns the version of the runtime inside.
 */
async function compileWith(
  caches: Caches,
  program: WrittenProgram,
  options: CompileOptions,
): Promise<string> {
  const attaching = await writeEntries(program, { starter: "start", caches, attaches: true });
  await fixTimes();
  const runtime = await compileProgram(attaching.included, options);
  if (await attachFiles(options.output, attaching.attached!)) return runtime;
  options.log("Nothing can be attached to this kind of executable: embedding all");
  const { included } = await writeEntries(program, { starter: "start", caches });
  await fixTimes();
  return await compileProgram(included, options);
}

/** An executable for another kind of machine. `isProven`: it was run here, under an emulator. */
export interface ForeignExecutable {
  readonly runtime: string;
  readonly isProven: boolean;
}

/**
 * Builds the executable for another kind of machine into `output`, from the sources as they are. It
 * has no start caches, which only a machine of its kind can make, and starts slower for it.
 *
 * @throws {NoRuntimeError} when there is no runtime to embed.
 * @throws {Error} when a step fails, or an emulator that is here does not run the product.
 */
export async function buildForeign(
  target: string,
  { output, log }: { readonly output: string; readonly log: (line: string) => void },
): Promise<ForeignExecutable> {
  await Deno.mkdir(DIST, { recursive: true });
  using lock = await Deno.open(`${DIST}/.lock`, { create: true, write: true });
  await lock.lock(true);
  const program = await writeProgram(await bundle());
  const caches = new Map();
  const runtime = await compileWith(caches, program, { output, target, log });
  const emulator = await emulatorOf(target);
  if (emulator !== undefined) await proveStandalone(output, { runtime, caches }, emulator);
  return { runtime, isProven: emulator !== undefined };
}

/** A command that runs programs of another kind of Linux, and where it finds their libraries. */
interface Emulator {
  readonly command: readonly string[];
  readonly env: Record<string, string>;
}

/** Debian's `qemu-user-static` with `libgcc-s1-arm64-cross`; `undefined` where it is not installed. */
async function emulatorOf(target: string): Promise<Emulator | undefined> {
  if (target !== "aarch64-unknown-linux-gnu") return undefined;
  const emulator = {
    command: ["qemu-aarch64-static"],
    env: { QEMU_LD_PREFIX: "/usr/aarch64-linux-gnu" },
  };
  const { success } = await runCommand(["qemu-aarch64-static", "--version"]);
  const libraries = `${emulator.env.QEMU_LD_PREFIX}/lib/libgcc_s.so.1`;
  const hasLibraries = await Deno.stat(libraries).then(() => true, () => false);
  return success && hasLibraries ? emulator : undefined;
}

/**
 * `deno compile` can succeed and still yield a plain `deno`, so the product itself is asked what it
 * is, in an empty folder and an empty environment, and whether the engine has taken its caches.
 * Returns its version.
 */
async function proveStandalone(
  path: string,
  { runtime, caches }: { readonly runtime: string; readonly caches: Caches },
  { command, env }: Emulator = { command: [], env: {} },
): Promise<string> {
  const cwd = await Deno.makeTempDir({ prefix: "tollgate-build-" });
  try {
    const [program = path, ...before] = [...command, path];
    const result = await runCommand([program, ...before, "version", "--json"], {
      cwd,
      clearEnv: true,
      env: { ...env, ...(command.length > 0 && { PATH: Deno.env.get("PATH") ?? "" }) },
    });
    const facts = result.success ? JSON.parse(result.stdout) : {};
    if (facts.standalone !== true || facts.runtime !== runtime) {
      throw new Error(
        `Cannot accept ${path} as the executable: "version --json" printed ` +
          `${JSON.stringify(result.stdout)} and ${JSON.stringify(result.stderr)}`,
      );
    }
    for (const name of caches.keys()) {
      if (facts.start_caches?.[name] === "taken") continue;
      throw new Error(
        `The engine refuses the start caches: remove ${START_CACHES} and build again`,
      );
    }
    return facts.version;
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
}

async function readRecord(): Promise<BuildRecord | undefined> {
  try {
    return JSON.parse(await Deno.readTextFile(BUILD_RECORD));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function fileHash(path: string): Promise<string | undefined> {
  try {
    return createHash("sha256").update(await Deno.readFile(path)).digest("hex");
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
