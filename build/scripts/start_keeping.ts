/**
 * Takes the place of `start.ts` in the executable that makes the caches, which nobody gets: it keeps
 * what the engine has compiled when it is told to.
 *
 * @module
 */

import { crc32 } from "node:zlib";
import { isThere } from "../../src/cli/base/is_there.ts";
import { cacheHeader } from "./cache_header.ts";
import { type ScriptIndex, ScriptLoader } from "./script_loader.ts";

const LOOK_MS = 50;

/**
 * As the other one; and once there is a file `now` in the folder that `TOLLGATE_START_CACHES` names,
 * a cache of each script that belongs to this thread is written beside it.
 */
export async function start(url: string, entry: string, index: ScriptIndex): Promise<void> {
  const loader = new ScriptLoader(url, index);
  const folder = Deno.env.get("TOLLGATE_START_CACHES")!;
  const timer = setInterval(() => {
    if (!isThere(`${folder}/now`)) return;
    clearInterval(timer);
    for (const [name, script] of loader.compiled) {
      if (!(name in index.scripts)) continue;
      const cache = script.createCachedData();
      const header = new TextEncoder().encode(cacheHeader(crc32(cache)));
      Deno.writeFileSync(`${folder}/${name}.part`, new Uint8Array([...header, ...cache]));
      Deno.renameSync(`${folder}/${name}.part`, `${folder}/${name}.cache`);
    }
  }, LOOK_MS);
  Deno.unrefTimer(timer);
  wakeOften();
  await loader.run(entry);
}

/** A thread that waits blocked looks at no timer. */
function wakeOften(): void {
  const { wait } = Atomics;
  Atomics.wait =
    ((...[words, index, value, ms = Infinity]: Parameters<typeof wait>) =>
      wait(words, index, value, Math.min(ms, LOOK_MS))) as typeof wait;
}
