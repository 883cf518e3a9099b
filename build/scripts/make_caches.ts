/**
 * Has the program itself make what the engine compiles of the scripts that a start needs: it is
 * started on a data dir, answers what a first caller asks, and keeps what is compiled by then.
 *
 * Which functions are compiled by then differs a little from run to run, so that these files are not
 * made of the sources alone. They are kept in `dist/start_caches`, and taken again for the same scripts.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { compileProgram, ENGINE_FLAGS } from "../compile_program.ts";
import { DIST, START_CACHES } from "../paths.ts";
import { FALLBACK_DENO, PINNED_DENO } from "../toolchain.ts";
import { firstCalls } from "./first_calls.ts";
import { fixTimes, writeEntries, type WrittenProgram } from "./write_program.ts";

/** Caches with their headers, by the script's name. */
export type Caches = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

/**
 * The caches of a program's scripts: those that were made for the same ones before, or new ones.
 *
 * @throws {NoRuntimeError} when there is no runtime to make them with.
 * @throws {Error} when the program does not start or answer.
 */
export async function startCaches(
  program: WrittenProgram,
  { log }: { readonly log: (line: string) => void },
): Promise<Caches> {
  const folder = `${START_CACHES}/${keyOf(program)}`;
  const kept = await readCaches(folder, program);
  if (kept !== undefined) return kept;
  log("Compiling what starts need");
  const maker = `${DIST}/tollgate.making_caches`;
  const work = await Deno.makeTempDir({ prefix: "tollgate-caches-" });
  try {
    const { included } = await writeEntries(program, {
      starter: "start_keeping",
      caches: new Map(),
    });
    await fixTimes();
    await compileProgram(included, { output: maker, log });
    await firstCalls(maker, { folder: work, scripts: [...program.scripts.keys()] });
    const made = await readCaches(work, program);
    if (made === undefined) throw new Error("The program has kept nothing of what was compiled");
    await keepCaches(made, folder);
    return made;
  } finally {
    await Deno.remove(work, { recursive: true });
    await Deno.remove(maker).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
}

/** Tells programs apart whose caches differ. */
function keyOf({ scripts }: WrittenProgram): string {
  const hash = createHash("sha256").update(`${PINNED_DENO} ${FALLBACK_DENO} ${ENGINE_FLAGS}`);
  for (const [name, text] of scripts) hash.update(`\0${name}\0${text}`);
  return hash.digest("hex").slice(0, 32);
}

async function readCaches(folder: string, program: WrittenProgram): Promise<Caches | undefined> {
  const caches = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const name of program.scripts.keys()) {
    try {
      caches.set(name, await Deno.readFile(`${folder}/${name}.cache`));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  }
  return caches;
}

/** In place of those of other scripts. */
async function keepCaches(caches: Caches, folder: string): Promise<void> {
  await Deno.remove(START_CACHES, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await Deno.mkdir(folder, { recursive: true });
  for (const [name, cache] of caches) await Deno.writeFile(`${folder}/${name}.cache`, cache);
}
