/**
 * Where what calls said is kept, of projects that have it so.
 *
 * @module
 */

import { join } from "node:path";
import type { KeyDirectory } from "../accounts/key_directory.ts";
import { systemClock } from "../domain/clock.ts";
import { KeptPrompts } from "../prompts/kept_prompts.ts";
import type { DiskReserve } from "./database/disk_reserve.ts";

/** Opens it; nothing is made before something is kept. */
export function openPrompts(
  dataDir: string,
  { directory, reserve }: {
    readonly directory: Pick<KeyDirectory, "project">;
    readonly reserve: Pick<DiskReserve, "freeBytes">;
  },
): KeptPrompts {
  return new KeptPrompts({
    folder: join(dataDir, "prompts"),
    clock: systemClock,
    freeBytes: () => reserve.freeBytes(),
    daysOf: (projectId) => directory.project(projectId)?.quotas.promptDays,
  });
}
