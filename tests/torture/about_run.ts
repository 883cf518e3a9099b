/**
 * What a run of the scorecard was: when, where, on what, from which seed.
 *
 * @module
 */

import { ROOT } from "../../build/paths.ts";
import { runCommand } from "../../build/run_command.ts";
import { flagsOf, type TestedSettings } from "../../build/tested_settings.ts";
import type { TortureSize } from "./size.ts";

/** The lines above the table. */
export async function aboutRun({ seed, size, settings, isFromSource }: {
  readonly seed: number;
  readonly size: TortureSize;
  readonly settings: TestedSettings;
  readonly isFromSource: boolean;
}): Promise<readonly string[]> {
  const commit = await git("rev-parse", "--short=10", "HEAD");
  const changed = await git("status", "--porcelain") === "" ? "" : " with changes";
  const { total } = Deno.systemMemoryInfo();
  return [
    `Scorecard, ${size.name} size, ${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`,
    `Machine: ${navigator.hardwareConcurrency} cores, ${(total / 2 ** 30).toFixed(0)} GiB, ` +
    `${Deno.build.target}, load average ${Deno.loadavg()[0]!.toFixed(1)}`,
    `Program: ${isFromSource ? "the source" : "dist/tollgate"} of commit ${commit}${changed}` +
    flagsOf(settings),
    `Seed: ${seed}`,
  ];
}

/** Empty where there is no repository. */
async function git(...args: string[]): Promise<string> {
  return (await runCommand(["git", ...args], { cwd: ROOT })).stdout.trim();
}
