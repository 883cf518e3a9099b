/**
 * Builds an executable of patched source, beside `dist/tollgate` and never in its place.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { inputHash, INPUTS } from "../../../build/input_hash.ts";
import { DIST, ROOT } from "../../../build/paths.ts";
import { runCommand } from "../../../build/run_command.ts";
import { denoCommand, PINNED_DENO } from "../../../build/toolchain.ts";
import { ifThere } from "../../../src/files/if_there.ts";
import { applyPatch, type SourcePatch } from "./source_patch.ts";

const FOLDER = `${DIST}/test_builds`;

/**
 * Returns the path of an executable of the source as it is now with `patches` on top. It is kept
 * until one of them changes.
 *
 * @throws {Error} when a patch does not fit, or the build fails.
 */
export async function buildTestExecutable(
  patches: readonly SourcePatch[],
  { log }: { readonly log: (line: string) => void },
): Promise<string> {
  const name = patches.map((patch) => patch.name).join("+");
  const folder = `${FOLDER}/${name}`;
  await Deno.mkdir(FOLDER, { recursive: true });
  using lock = await Deno.open(`${FOLDER}/.lock`, { create: true, write: true });
  await lock.lock(true);
  const executable = `${folder}/tollgate`;
  const inputs = createHash("sha256").update(await inputHash()).update(JSON.stringify(patches))
    .digest("hex");
  if (await ifThere(Deno.readTextFile(`${folder}/inputs`)) === inputs) return executable;

  log(`Building a test executable: ${name}`);
  await ifThere(Deno.remove(folder, { recursive: true }));
  const copy = `${folder}/source`;
  await Deno.mkdir(copy, { recursive: true });
  for (const path of INPUTS) await copyTree(`${ROOT}/${path}`, `${copy}/${path}`);
  for (const patch of patches) await applyPatch(copy, patch);
  // The copy builds itself, the way the project does.
  const [program, ...before] = denoCommand(PINNED_DENO);
  const built = await runCommand(
    [program, ...before, "run", "--quiet", "--permission-set=build", "build/compile.ts"],
    { cwd: copy },
  );
  if (!built.success) {
    throw new Error(`Cannot build the test executable '${name}': ${built.stderr.trim()}`);
  }
  await Deno.rename(`${copy}/dist/tollgate`, executable);
  await Deno.remove(copy, { recursive: true });
  await Deno.writeTextFile(`${folder}/inputs`, inputs);
  return executable;
}

async function copyTree(from: string, to: string): Promise<void> {
  if ((await Deno.stat(from)).isFile) {
    await Deno.mkdir(to.slice(0, to.lastIndexOf("/")), { recursive: true });
    return await Deno.copyFile(from, to);
  }
  await Deno.mkdir(to);
  for await (const { name } of Deno.readDir(from)) {
    await copyTree(`${from}/${name}`, `${to}/${name}`);
  }
}
