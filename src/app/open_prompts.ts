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
import type { ServerState } from "../storage/ports/server_state.ts";
import type { Storage } from "../storage/ports/storage.ts";
import type { DiskReserve } from "./database/disk_reserve.ts";
import type { UsedBucket } from "./film_place.ts";

/** What nodes keep prompts with, together. */
export interface SharedPrompts {
  /** Whatever one keeps there is read by all. */
  readonly bucket: Pick<UsedBucket, "store" | "quick" | "prefix">;
  /** Whose clock all of them know. */
  readonly server: { state(): Pick<ServerState, "answerMs" | "clockAheadMs"> };
  readonly seals: Storage["seals"];
}

/** Opens it; nothing is made before something is kept. */
export async function openPrompts(
  dataDir: string,
  { directory, reserve, shared }: {
    readonly directory: Pick<KeyDirectory, "project">;
    readonly reserve: Pick<DiskReserve, "freeBytes">;
    /** Of nodes with a bucket. */
    readonly shared: SharedPrompts | undefined;
  },
): Promise<KeptPrompts> {
  const files = new PromptFiles({
    folder: join(dataDir, "prompts"),
    freeBytes: () => reserve.freeBytes(),
  });
  return new KeptPrompts({
    place: shared === undefined ? files : await objectsIn(shared, files),
    clock: systemClock,
    daysOf: (projectId) => directory.project(projectId)?.quotas.promptDays,
  });
}

async function objectsIn({ bucket, server, seals }: SharedPrompts, files: PromptFiles) {
  const { PromptObjects } = await import("../prompts/prompt_objects.ts");
  const { store, quick, prefix } = bucket;
  return new PromptObjects({
    ...{ store, quick, prefix, files },
    monotonic: () => systemClock.monotonic(),
    offset() {
      const { answerMs, clockAheadMs: aheadMs } = server.state();
      // The server has looked at its clock somewhere within the answer; before the first nobody has.
      return { aheadMs, errorMs: answerMs === 0 ? undefined : answerMs / 2 };
    },
    isChosen: async () => await seals?.isSealer() ?? true,
  });
}
