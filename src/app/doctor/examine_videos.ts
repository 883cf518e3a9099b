/**
 * Films: those that tasks have and the folder lacks, and the other way round.
 *
 * @module
 */

import { existsSync } from "node:fs";
import type { VideoStore } from "../../storage/ports/storage.ts";
import { pauseWords, resumeCommand } from "../../domain/video_pause.ts";
import { ifThere } from "../../files/if_there.ts";
import { ContentFiles } from "../../videos/files/content_files.ts";
import { keptVideos, withoutTask } from "../backups/kept_videos.ts";
import { type Finding, listed, ok, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

const CHECK = "films";

type Videos = Pick<VideoStore, "list" | "idsWithoutContent" | "pauses">;

/** Something that does not fit, by the task's id. */
interface Misfits {
  /** Of tasks whose film is gone, or has another size than it was stored with. */
  readonly missing: readonly string[];
  /** Of films that no task has. */
  readonly unknown: readonly string[];
  readonly films: number;
}

/**
 * Compares tasks with files. Of what seems wrong only that counts which is wrong
 * again with what `reopened` reads: a server makes and removes films meanwhile.
 */
export async function examineVideos(
  { dataDir, server }: Patient,
  videos: Videos,
  reopened: () => Promise<Videos>,
): Promise<readonly Finding[]> {
  // Before the second look, which closes what the first was of.
  const paused = (await videos.pauses()).map((pause) =>
    warning(
      CHECK,
      [pauseWords(pause), pause.reason].filter((words) => words !== undefined).join(": "),
      `Films wait until you resume it: ${resumeCommand(pause)}`,
    )
  );
  const files = new ContentFiles(`${dataDir}/videos`);
  let { missing, unknown, films } = await compare(videos, files);
  if (server !== undefined && missing.length + unknown.length > 0) {
    const again = await compare(await reopened(), files);
    missing = missing.filter((id) => again.missing.includes(id));
    unknown = unknown.filter((id) => again.unknown.includes(id));
    films = again.films;
  }
  if (missing.length + unknown.length === 0) {
    return [ok(CHECK, `${films} kept, none missing`), ...paused];
  }
  return [
    ...paused,
    ...(missing.length === 0 ? [] : [
      warning(
        CHECK,
        `${missing.length} missing or cut short in ${files.folder}: ${listed(missing, 3)}`,
        "Copy them there from a copy of that folder, or tollgate videos delete ID; whoever asks is told that they are gone",
      ),
    ]),
    ...(unknown.length === 0 ? [] : [
      warning(
        CHECK,
        `${unknown.length} in ${files.folder} that no task has: ${listed(unknown, 3)}`,
        "Copy them elsewhere if you need them: the next start removes them",
      ),
    ]),
  ];
}

async function compare(videos: Videos, files: ContentFiles): Promise<Misfits> {
  const missing: string[] = [];
  let films = 0;
  for await (const { taskId, bytes } of keptVideos(videos)) {
    films++;
    if ((await ifThere(Deno.stat(files.contentPath(taskId))))?.size !== bytes) missing.push(taskId);
  }
  return { missing, unknown: await unknownVideos(videos, files), films };
}

async function unknownVideos(videos: Videos, files: ContentFiles): Promise<readonly string[]> {
  if (!existsSync(files.folder)) return [];
  const ids = (await Array.fromAsync(files.entries()))
    .filter(({ kind }) => kind === "mp4").map(({ taskId }) => taskId);
  return [...await withoutTask(videos, ids)];
}
