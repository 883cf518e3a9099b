/**
 * The executable under test, as a release packs it.
 *
 * @module
 */

import type { Packed } from "../../build/release/pack.ts";
import { TARGETS } from "../../build/release/targets.ts";
import { runTool } from "./outside_tool.ts";

/** Under a version of its own. */
export async function packedProgram(version: string): Promise<Packed> {
  const executable = Deno.env.get("TOLLGATE_BINARY")!;
  const { stdout } = await runTool(executable, ["version", "--json"]);
  return {
    target: TARGETS.find(({ triple }) => triple === Deno.build.target)!,
    executable,
    sha256: "0".repeat(64),
    version,
    runtime: JSON.parse(stdout).runtime,
    epoch: 1_700_000_000,
  };
}
