/**
 * Films and a database that is about to be restored: which are missing, and which
 * the next start would remove because no task has them.
 *
 * @module
 */

import { existsSync } from "node:fs";
import type { VideoStore } from "../../storage/ports/storage.ts";
import type { ContentFiles } from "../../videos/files/content_files.ts";
import { keptVideos, withoutTask } from "./kept_videos.ts";
import { linkOrCopy } from "../../files/link_or_copy.ts";
import { syncFolder } from "../../files/place_new_file.ts";

/** What was found and kept. */
export interface VideoComparison {
  readonly films_missing: number;
  readonly films_set_aside: number;
  readonly films_folder: string | null;
}

/** What is compared, and where unknown films go. */
export interface SetVideosAsideOptions {
  /** Of the database that will be. */
  readonly videos: Pick<VideoStore, "list" | "idsWithoutContent">;
  readonly files: ContentFiles;
  /** Made when it is needed. */
  readonly folder: string;
}

/** Gives every file of a task that the database does not know a second name in `folder`. */
export async function setVideosAside(
  { videos, files, folder }: SetVideosAsideOptions,
): Promise<VideoComparison> {
  let missing = 0;
  for await (const { taskId } of keptVideos(videos)) {
    if (!existsSync(files.contentPath(taskId))) missing++;
  }
  const films = new Set<string>();
  for (const names of await unknownFiles(videos, files)) {
    if (films.size === 0) await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    films.add(names.taskId);
    await linkOrCopy(`${files.folder}/${names.name}`, `${folder}/${names.name}`);
  }
  if (films.size > 0) await syncFolder(folder);
  return {
    films_missing: missing,
    films_set_aside: films.size,
    films_folder: films.size > 0 ? folder : null,
  };
}

/** Parts of films are begun anew in any case. */
async function unknownFiles(
  videos: Pick<VideoStore, "idsWithoutContent">,
  files: ContentFiles,
): Promise<readonly { readonly name: string; readonly taskId: string }[]> {
  if (!existsSync(files.folder)) return [];
  const entries = await Array.fromAsync(files.entries());
  const named = entries.filter(({ kind }) => kind !== "part");
  const unknown = await withoutTask(videos, named.map(({ taskId }) => taskId));
  return named.filter(({ taskId }) => unknown.has(taskId));
}
