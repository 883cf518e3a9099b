/**
 * Video tasks: their states, the one table of transitions, and everything that
 * is stored of a task. A task is an immutable value; each change makes the next
 * one, with the next revision.
 *
 * @module
 */

import type { AmountE8 } from "./money.ts";
import type { SessionId } from "./session.ts";
import type { SourceWishes } from "./request_facts.ts";

/** Section 2.4 of the service specification. */
export type VideoStatus = "queued" | "in_progress" | "completed" | "failed";

/** Which status may follow which. A rescued task stays `in_progress`: it never goes back to `queued`. */
export const VIDEO_TRANSITIONS: {
  readonly [status in VideoStatus]: readonly VideoStatus[];
} = {
  queued: ["in_progress", "failed"],
  in_progress: ["completed", "failed"],
  completed: [],
  failed: [],
};

/** Whether a stored task may be replaced by the next one, by status and progress. */
export function mayFollow(
  before: Pick<VideoTask, "status" | "progress">,
  next: Pick<VideoTask, "status" | "progress">,
): boolean {
  const isAllowed = before.status === next.status ||
    VIDEO_TRANSITIONS[before.status].includes(next.status);
  return isAllowed && next.progress >= before.progress;
}

/** Whether the task's outcome is open. */
export function isOpen({ status }: Pick<VideoTask, "status">): boolean {
  return status === "queued" || status === "in_progress";
}

/** By what a project's tasks come in turn, smaller first: in the order of their calls, unless moved. */
export function turnOf({ movedTo, callId }: Pick<VideoTask, "movedTo" | "callId">): number {
  return movedTo ?? callId;
}

/** The upstream's own job behind a task. */
export interface UpstreamJob {
  /** The upstream's id for it. */
  readonly id: string;
  /** Reference (`env:NAME`, `file:PATH` …) of the credential it was made with; `undefined` without one. */
  readonly keyReference: string | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** The finished film. */
export interface VideoFile {
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Whether there is a thumbnail of it. */
  readonly hasThumbnail: boolean;
  /** Where it is in the bucket, below its prefix; `undefined` for a film in the data dir. */
  readonly key: string | undefined;
}

/** A claim: who works on a task until when. */
export interface VideoLease {
  /** Whose claim it is; void once that session has ended. */
  readonly session: SessionId;
  /** Milliseconds since the epoch; renewed by heartbeats. */
  readonly until: number;
}

/** A video task as stored. All times are milliseconds since the epoch. */
export interface VideoTask {
  /** `video_` and 26 characters of base32: 130 random bits. */
  readonly id: string;
  /** The call that created it: its hold, its price, and the order of creation. */
  readonly callId: number;
  readonly requestId: string;
  readonly projectId: string;
  readonly keyId: string;
  /** Logical model id. */
  readonly model: string;
  readonly prompt: string;
  readonly size: string;
  readonly seconds: number;
  readonly wishes: SourceWishes;
  /** Further create fields, which only routes take that list them in `pass_fields`. */
  readonly fields: { readonly [name: string]: unknown };
  /** Media type of the image in `<id>.input`; `undefined` without one. */
  readonly referenceType: string | undefined;
  readonly callbackUrl: string | undefined;
  /** SHA-256 of the parsed request, to recognise a repeated create. */
  readonly fingerprint: string;
  readonly createdAt: number;

  /** Rises by one with each stored change: every write compares it. */
  readonly revision: number;
  readonly provider: string;
  readonly route: string;
  readonly status: VideoStatus;
  /** 0..100, never falling. */
  readonly progress: number;
  /** Rises with each claim: an attempt that was given up cannot write any more. */
  readonly attempt: number;
  /** Attempts whose work failed. */
  readonly failures: number;
  /** Attempts that ended because the server stopped or died. */
  readonly restarts: number;
  readonly lease: VideoLease | undefined;
  /** Where an operator has moved it, by {@linkcode turnOf}; `undefined` where nobody has. */
  readonly movedTo: number | undefined;
  /** Not claimed before this time; 0 for at once. */
  readonly notBefore: number;
  /** First claim. */
  readonly startedAt: number | undefined;
  readonly job: UpstreamJob | undefined;
  /**
   * Whether an upstream was asked for a job and its answer is not stored: it may make the
   * film. Stored before it is asked; nobody else is asked from then on.
   */
  readonly mayHaveBegun: boolean;
  /** Whether the caller has used the task's id since it was told. */
  readonly isIdUsed: boolean;
  readonly completedAt: number | undefined;
  /** When the film will be, or was, removed; `undefined` for never. */
  readonly expiresAt: number | undefined;
  readonly file: VideoFile | undefined;
  /** When the film was first fetched; `undefined` until it is. */
  readonly fetchedAt: number | undefined;
  /** When the film's file was removed although the task is kept. */
  readonly fileRemovedAt: number | undefined;
  readonly error: { readonly code: string; readonly message: string } | undefined;
  /** What it cost and sold for; `undefined` until it is settled. */
  readonly costE8: AmountE8 | undefined;
  readonly saleE8: AmountE8 | undefined;
}

/** What changes in a task, as it is before anybody has worked on it; its source is not among it. */
export const NEW_TASK = Object.freeze({
  revision: 1,
  status: "queued",
  progress: 0,
  attempt: 0,
  failures: 0,
  restarts: 0,
  lease: undefined,
  movedTo: undefined,
  notBefore: 0,
  startedAt: undefined,
  job: undefined,
  mayHaveBegun: false,
  isIdUsed: false,
  completedAt: undefined,
  expiresAt: undefined,
  file: undefined,
  fetchedAt: undefined,
  fileRemovedAt: undefined,
  error: undefined,
  costE8: undefined,
  saleE8: undefined,
}) satisfies Partial<VideoTask>;
