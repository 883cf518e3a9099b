/**
 * Lists of video tasks and of their films.
 *
 * @module
 */

import type { VideoStatus } from "../../domain/video_task.ts";

/** Which tasks a list shows, in order of creation. */
export interface VideoQuery {
  /** `undefined` for all projects. */
  readonly projectId?: string | undefined;
  readonly status?: VideoStatus | undefined;
  /** Only tasks created after (`asc`) or before (`desc`) the call of this id. */
  readonly afterCallId?: number | undefined;
  readonly order: "asc" | "desc";
  readonly limit: number;
}

/** A part of a list of films, which is in order of a time and then of creation. */
export interface ContentPage {
  /** Up to this time, milliseconds since the epoch. */
  readonly untilMs: number;
  readonly limit: number;
  /** Behind this film; from the first one without it. */
  readonly after?: { readonly at: number; readonly callId: number } | undefined;
}

/** Bytes of a project's films; of one that has none there is no row. */
export interface ProjectBytes {
  readonly projectId: string;
  readonly bytes: number;
}
