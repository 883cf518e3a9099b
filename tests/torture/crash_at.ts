/**
 * Kills a test build at one of its crash points.
 *
 * @module
 */

import type { RunningTollgate } from "../support/executable.ts";
import { until } from "../support/until.ts";
import type { CrashPointName } from "./test_build/crash_points.ts";

/** The environment to start the program with: it stops at that pass of that point. */
export function crashEnvironment(
  point: CrashPointName,
  { folder, pass = 1 }: { readonly folder: string; readonly pass?: number },
): Readonly<Record<string, string>> {
  return { CRASH_AT: `${point}:${pass}`, CRASH_FILE: markerOf(point, folder) };
}

/** Waits until the program has come to the point, then kills it. */
export async function killAtPoint(
  server: Pick<RunningTollgate, "kill">,
  { point, folder }: { readonly point: CrashPointName; readonly folder: string },
): Promise<void> {
  const marker = markerOf(point, folder);
  await until(
    `the program to come to '${point}'`,
    () => Deno.readTextFile(marker).then(() => true, () => false),
  );
  await server.kill();
  await Deno.remove(marker);
}

function markerOf(point: CrashPointName, folder: string): string {
  return `${folder}/crashed_at_${point}`;
}
