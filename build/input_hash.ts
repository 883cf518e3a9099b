/**
 * One hash over everything that shapes the executable, to tell whether it is out of date.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { ROOT } from "./paths.ts";

const INPUTS = ["deno.json", "deno.lock", "main.ts", "src", "build"];

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

async function listFiles(path: string): Promise<string[]> {
  if ((await Deno.stat(`${ROOT}/${path}`)).isFile) return [path];
  const files: string[] = [];
  for await (const entry of Deno.readDir(`${ROOT}/${path}`)) {
    files.push(...await listFiles(`${path}/${entry.name}`));
  }
  return files.sort();
}
