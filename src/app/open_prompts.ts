/**
 * Where what calls said is kept, of projects that have it so: in the data dir, or where several nodes use
 * one database and a bucket, in that.
 *
 * @module
 */

import { join } from "node:path";
import type { KeyDirectory } from "../accounts/key_directory.ts";
import { systemClock } from "../domain/clock.ts";
import { KeptPrompts } from "../prompts/kept_prompts.ts";
import { PromptFiles } from "../prompts/prompt_files.ts";
import type { DiskReserve } from "./database/disk_reserve.ts";
import type { UsedBucket } from "./film_place.ts";

/** Opens it; nothing is made before something is kept. */
export async function openPrompts(
  dataDir: string,
  { directory, reserve, bucket }: {
    readonly directory: Pick<KeyDirectory, "project">;
    readonly reserve: Pick<DiskReserve, "freeBytes">;
    /** Of nodes: whatever one keeps there is read by all. */
    readonly bucket: UsedBucket | undefined;
  },
): Promise<KeptPrompts> {
  const files = new PromptFiles({
    folder: join(dataDir, "prompts"),
    freeBytes: () => reserve.freeBytes(),
  });
  return new KeptPrompts({
    place: bucket === undefined ? files : await objectsIn(bucket, files),
    clock: systemClock,
    daysOf: (projectId) => directory.project(projectId)?.quotas.promptDays,
  });
}

async function objectsIn({ store, quick, prefix }: UsedBucket, files: PromptFiles) {
  const { PromptObjects } = await import("../prompts/prompt_objects.ts");
  const monotonic = () => systemClock.monotonic();
  return new PromptObjects({ store, quick, prefix, files, monotonic });
}
