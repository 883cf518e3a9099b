/**
 * What is known of films whose downloads wait for room on the disk, so that the next
 * attempt goes on where the last one stopped.
 *
 * @module
 */

import type { VideoTask } from "../../domain/video_task.ts";
import type { ContentFiles } from "../files/content_files.ts";
import type { PartFile } from "../../files/part_file.ts";

/** What a download knows of its film. */
export interface ContentFacts {
  /** The film's first bytes, one character each. */
  readonly head: string;
  readonly etag: string | undefined;
  readonly totalBytes: number | undefined;
}

/** A film of which a part is on disk. */
export interface BegunContent {
  readonly part: PartFile;
  readonly facts: ContentFacts;
}

/** In memory alone, for as long as the files have the part. */
export class PausedDownloads {
  readonly #files: Pick<ContentFiles, "pausedPart">;
  readonly #paused = new WeakMap<
    PartFile,
    { readonly job: string; readonly facts: ContentFacts }
  >();

  constructor(files: Pick<ContentFiles, "pausedPart">) {
    this.#files = files;
  }

  /**
   * Keeps a task's part for its next attempt.
   *
   * @returns `false` where it could not be told later whether the film is still the same:
   * then the part is of no use.
   */
  pause(task: VideoTask, { part, facts }: BegunContent): boolean {
    const job = nameOfJob(task);
    const isKnown = facts.etag !== undefined || facts.totalBytes !== undefined;
    if (job === undefined || part.bytes === 0 || !isKnown) return false;
    part.pause();
    this.#paused.set(part, { job, facts });
    return true;
  }

  /** Opens the part of a task again; `undefined` when there is none of the same job any more. */
  async resume(task: VideoTask): Promise<BegunContent | undefined> {
    const part = this.#files.pausedPart(task.id);
    const paused = part && this.#paused.get(part);
    if (part === undefined || paused === undefined || paused.job !== nameOfJob(task)) {
      return undefined;
    }
    this.#paused.delete(part);
    try {
      await part.resume();
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
    return { part, facts: paused.facts };
  }
}

/** Only a provider's own ids tell its jobs apart. */
function nameOfJob({ provider, job }: VideoTask): string | undefined {
  return job && `${provider} ${job.id}`;
}
