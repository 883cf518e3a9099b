/**
 * What the executable's entry and its Workers' begin with.
 *
 * @module
 */

import { type ScriptIndex, ScriptLoader } from "./script_loader.ts";

/** Runs the program from its part `entry` on; `url` is what the part takes for its own address. */
export async function start(url: string, entry: string, index: ScriptIndex): Promise<void> {
  await new ScriptLoader(url, index).run(entry);
}
