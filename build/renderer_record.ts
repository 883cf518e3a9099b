/**
 * Remembers, in a file that is committed, for which renderer its tests have passed, so that the gate
 * runs them only when the renderer has changed since. `render/README.md` says how that works.
 *
 * @module
 */

import { createHash } from "node:crypto";
import renderer from "../render/deno.json" with { type: "json" };
import { lockedPackages } from "./locked_packages.ts";
import { ROOT } from "./paths.ts";
import { listFiles } from "./program_files.ts";
import { PINNED_DENO } from "./toolchain.ts";

/** The file, from the project's root: the one of its folder that nothing is made from. */
export const RENDERER_RECORD = "render/tests/passed.sha256";

/** Whether the tests of the renderer have passed for it as it is. */
export async function hasPassed(): Promise<boolean> {
  try {
    return (await Deno.readTextFile(`${ROOT}/${RENDERER_RECORD}`)).trim() === await rendererHash();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Notes that they have. */
export async function notePassed(): Promise<void> {
  if (!await hasPassed()) {
    await Deno.writeTextFile(`${ROOT}/${RENDERER_RECORD}`, `${await rendererHash()}\n`);
  }
}

/** SHA-256 (hex) over the runtime's version, the locked packages, the renderer and its tests. */
async function rendererHash(): Promise<string> {
  const lock = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.lock`));
  const packages = lockedPackages(lock, Object.values<string>(renderer.imports));
  const hash = createHash("sha256").update([PINNED_DENO, ...packages].join("\0"));
  for (const path of await listFiles("render")) {
    if (path === RENDERER_RECORD || path.endsWith(".md")) continue;
    const bytes = await Deno.readFile(`${ROOT}/${path}`);
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
}
