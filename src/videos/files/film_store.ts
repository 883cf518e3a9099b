/**
 * The contract of where finished films are kept, with their thumbnails and the images that open
 * tasks refer to. What is being written lies in the data dir's folder until it is handed over.
 *
 * @module
 */

import type { VideoFile, VideoTask } from "../../domain/video_task.ts";
import type { PartFile } from "../../files/part_file.ts";
import type { StoredObject } from "../../objects/read_back.ts";

/** A whole film that waits to be kept. */
export interface WholeFilm {
  readonly part: PartFile;
  /** Whether its thumbnail lies beside it. */
  readonly hasThumbnail: boolean;
}

/** Who waits for a film to be kept. */
export interface KeepOptions {
  /** Fires when the attempt is to end: a store that is away is not waited for any longer. */
  readonly signal: AbortSignal;
  /** Fires when nobody waits any more. */
  readonly hardSignal: AbortSignal;
  /** Told again and again while it goes on. */
  readonly onSign: () => void;
}

/** Which of a film's files. */
export type FilmVariant = "video" | "thumbnail";

/** Bytes of a film to send, in a file of the data dir. */
export interface FilmPath {
  readonly path: string;
}

/** Bytes of a film to send. */
export type FilmContent = FilmPath | StoredObject;

/** Where films are kept. */
export interface FilmStore {
  /**
   * Keeps an attempt's film. When this resolves it is there to stay, and whole.
   *
   * @throws {Deno.errors.NotFound} When the part was removed or another one begun.
   * @throws What the disk throws; an `AbortError` when a signal ended the wait for a store that is away.
   */
  keep(
    task: Pick<VideoTask, "id" | "attempt">,
    film: WholeFilm,
    options: KeepOptions,
  ): Promise<VideoFile>;
  /** What to send of the film of a task that has one. */
  contentOf(task: VideoTask, variant: FilmVariant): FilmContent;
  /** Where an operator finds the film of a task that has one. */
  placeOf(task: VideoTask): string;
  /**
   * Keeps the reference image of a task that is about to be stored.
   *
   * @throws {GatewayError} `films_away`
   */
  writeReference(taskId: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /**
   * @throws {Deno.errors.NotFound}
   * @throws {GatewayError} `films_away`
   */
  readReference(taskId: string): Promise<Uint8Array<ArrayBuffer>>;
  removeReference(taskId: string): Promise<void>;
  /** Removes the film and its thumbnail. Whoever is downloading it gets the rest of it. */
  removeContent(task: VideoTask): Promise<void>;
  /** Removes everything of a task. */
  removeAll(taskId: string): Promise<void>;
}
