/**
 * Remembers, in a file that is committed, for which renderer its tests have passed, so that the gate
 * runs them only when the renderer has changed since. `render/README.md` says how that works.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { ROOT } from "./paths.ts";
import { listFiles } from "./program_files.ts";
import { PINNED_DENO } from "./toolchain.ts";

const RECORD = "render/tests/passed.sha256";

/** Whether the tests of the renderer have passed for it as it is. */
export async function hasPassed(): Promise<boolean> {
  try {
    return (await Deno.readTextFile(`${ROOT}/${RECORD}`)).trim() === await rendererHash();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Notes that they have. */
export async function notePassed(): Promise<void> {
  if (!await hasPassed()) {
    await Deno.writeTextFile(`${ROOT}/${RECORD}`, `${await rendererHash()}\n`);
  }
}

/** SHA-256 (hex) over the runtime's version, the renderer and its tests. */
async function rendererHash(): Promise<string> {
  const hash = createHash("sha256").update(PINNED_DENO);
  for (const path of await listFiles("render")) {
    if (path === RECORD || path.endsWith(".md")) continue;
    const bytes = await Deno.readFile(`${ROOT}/${path}`);
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
}
