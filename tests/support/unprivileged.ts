/**
 * Programs that refuse to run as root: then they run as a user who may do nothing.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runTool } from "./outside_tool.ts";

const NOBODY = "nobody";
const isRoot = Deno.uid() === 0;

/** The words that run a program so; its folder has to be one that everybody may enter. */
export function unprivileged(...words: readonly string[]): readonly [string, ...string[]] {
  const own = words as readonly [string, ...string[]];
  return isRoot
    ? ["setpriv", "--reuid", NOBODY, "--regid", "nogroup", "--clear-groups", ...own]
    : own;
}

/** Gives files, or folders with what is in them, to that user. */
export async function giveAway(...paths: readonly string[]): Promise<void> {
  if (!isRoot) return;
  const { code, stderr } = await runTool("chown", ["-R", NOBODY, ...paths]);
  assert.equal(code, 0, stderr);
}
