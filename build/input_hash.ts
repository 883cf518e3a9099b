/**
 * One hash over everything that shapes the executable, to tell whether it is out of date.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { ROOT } from "./paths.ts";
import { listFiles, PROGRAM } from "./program_files.ts";

/** What a build is made from, from the project's root. */
export const INPUTS: readonly string[] = [
  "deno.json",
  "deno.lock",
  "main.ts",
  ...PROGRAM,
  "build",
];

/** SHA-256 (hex) over the paths and contents of the build's inputs. */
export async function inputHash(): Promise<string> {
  const hash = createHash("sha256");
  for (const input of INPUTS) {
    for (const path of await listFiles(input)) {
      const bytes = await Deno.readFile(`${ROOT}/${path}`);
      hash.update(`${path}\0${bytes.length}\0`).update(bytes);
    }
  }
  return hash.digest("hex");
}
