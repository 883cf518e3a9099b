/**
 * Bundles the entry and every Worker, so that the program needs neither an npm tree nor TypeScript. The
 * npm package has the bundles as they are, the executable as scripts (`scripts/write_program.ts`).
 *
 * **What is loaded on demand.** A module that is imported by `await import("./x.ts")`, and what
 * nothing else needs, is cut off the entry's file into one of its own beside it, which is read and
 * evaluated when that line runs. Workers are one file each.
 *
 * **Worker entries.** Every `worker.ts` under `src/` or `render/` is one. The bundler leaves
 * `new URL("./worker.ts", import.meta.url)` alone, and inside a bundle `import.meta.url` is the
 * bundle's own address, so the module that starts a Worker picks its address by what it runs from:
 *
 * ```ts
 * const entry = import.meta.url.endsWith(".ts")
 *   ? new URL("./worker.ts", import.meta.url) // from source
 *   : new URL("./storage_sqlite_worker.js", import.meta.url); // bundled from src/storage/sqlite/worker.ts
 * const worker = new Worker(entry); // from node:worker_threads
 * ```
 *
 * All bundles lie in one folder; a Worker's is named after its path, less `src/`, with `_` for
 * `/` (see {@linkcode workerBundleName}).
 *
 * @module
 */

import { copyAssets } from "./assets.ts";
import { BUNDLES, ROOT } from "./paths.ts";
import { listProgram } from "./program_files.ts";
import { runCommand } from "./run_command.ts";
import { makeStable } from "./stable_names.ts";
import { denoCommand, PINNED_DENO } from "./toolchain.ts";

/** File name of the bundle of `src/<path>/worker.ts` or `<path>/worker.ts`. */
export function workerBundleName(source: string): string {
  return source.replace(/^src\//, "").replaceAll("/", "_").replace(/\.ts$/, ".js");
}

/** Every Worker entry, relative to the project's root, sorted. */
export async function findWorkerEntries(): Promise<string[]> {
  return (await listProgram()).filter((path) => path.endsWith("/worker.ts"));
}

/**
 * Writes `main.js` and what is cut off it, one file per Worker, their linked source maps and the assets into `dist/bundle`.
 *
 * @returns what the executable includes besides `main.js`: the Workers' bundles and the assets, as
 *   paths in `dist/bundle`.
 * @throws {Error} with the bundler's words when a bundle fails.
 */
export async function bundle(): Promise<string[]> {
  await Deno.remove(BUNDLES, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await Deno.mkdir(BUNDLES, { recursive: true });
  const workers = await findWorkerEntries();
  await bundleEntry("main.ts", inParts(BUNDLES));
  for (const worker of workers) {
    await bundleEntry(worker, [`--output=${BUNDLES}/${workerBundleName(worker)}`]);
  }
  await makeStable(BUNDLES);
  // The executable embeds this time; a fixed one lets the same sources give the same bytes.
  for await (const { name } of Deno.readDir(BUNDLES)) await Deno.utime(`${BUNDLES}/${name}`, 0, 0);
  return [...workers.map(workerBundleName), ...await copyAssets()];
}

/** The bundler's options for an entry and what it loads on demand, each in a file of `folder`. */
export function inParts(folder: string): readonly string[] {
  return ["--code-splitting", `--outdir=${folder}`];
}

/** Not minified: it gains less than 1 MB and breaks CommonJS dependencies on the older runtime. */
export async function bundleEntry(source: string, output: readonly string[]): Promise<void> {
  const result = await runCommand(
    [
      ...denoCommand(PINNED_DENO),
      "bundle",
      "--platform=deno",
      "--sourcemap=linked",
      ...output,
      source,
    ],
    { cwd: ROOT },
  );
  if (!result.success) throw new Error(`Cannot bundle ${source}: ${result.stderr.trim()}`);
}
