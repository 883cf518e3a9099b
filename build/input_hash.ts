/**
 * One hash over everything that shapes the executable, to tell whether it is out of date.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { ROOT } from "./paths.ts";
import { listFiles, PROGRAM } from "./program_files.ts";
import { RENDERER_RECORD } from "./renderer_record.ts";

/** What a build is made from, from the project's root. */
export const INPUTS: readonly string[] = [
  "deno.json",
  "deno.lock",
  "main.ts",
  ...PROGRAM,
  "build",
];

/**
 * The files of the inputs, from the project's root. What the gate itself notes is none of them: a build that
 * finds another note would replace the executable under those who are starting it.
 */
export async function inputFiles(): Promise<readonly string[]> {
  const files = (await Promise.all(INPUTS.map(listFiles))).flat();
  return files.filter((path) => path !== RENDERER_RECORD);
}

/** SHA-256 (hex) over the paths and contents of the build's inputs. */
export async function inputHash(): Promise<string> {
  const hash = createHash("sha256");
  for (const path of await inputFiles()) {
    const bytes = await Deno.readFile(`${ROOT}/${path}`);
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
}
