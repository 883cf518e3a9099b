/**
 * Long operations of administration in a database that several processes use: each is run by one session,
 * and all know of it. What a job is made of are texts here, which whoever runs jobs makes and reads.
 *
 * @module
 */

/** How a job stands; one that is under way ends as `interrupted` with its session. */
export type SharedJobState =
  | "running"
  | "cancelling"
  | "completed"
  | "failed"
  | "cancelled"
  | "interrupted";

/** What a job begins with. */
export interface SharedJobStart {
  readonly id: string;
  /** The operation's name. */
  readonly operation: string;
  /** JSON of what never changes of it. */
  readonly facts: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** How a job ends. */
export interface SharedJobEnd {
  readonly state: SharedJobState;
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
  /** JSON; `undefined` where there is none. */
  readonly result: string | undefined;
  /** JSON; `undefined` where there is none. */
  readonly error: string | undefined;
}

/** A job as all see it. */
export interface SharedJob extends SharedJobStart {
  readonly state: SharedJobState;
  /** What `tollgate nodes list` calls the node that runs it, or has run it. */
  readonly node: string;
  readonly endedAt: number | undefined;
  /** JSON, as it was written last. */
  readonly progress: string | undefined;
  /** JSON; `undefined` in lists. */
  readonly result: string | undefined;
  /** JSON. */
  readonly error: string | undefined;
}

/** How much is remembered. */
export interface JobBounds {
  /** Jobs that have ended. */
  readonly ended: number;
  /** Characters of their results, together. */
  readonly characters: number;
}

/** Jobs, as one session sees them. Each rejects with `storage_away` while the database does not answer. */
export interface SharedJobs {
  /**
   * Begins one as this session's, unless one of its operation is under way.
   *
   * @param own Ids of the jobs that this process runs: others of its session nobody does, as their
   * beginning was written, and its answer lost.
   * @param onSent Hears, perhaps more than once, that it is written, or may yet be. Where it rejects without,
   * nothing was.
   * @returns It, or the one that is under way; `undefined` where the session has ended.
   */
  start(
    job: SharedJobStart,
    own: readonly string[],
    onSent: () => void,
  ): Promise<SharedJob | undefined>;
  /** Newest first, without results. */
  list(): Promise<readonly SharedJob[]>;
  find(id: string): Promise<SharedJob | undefined>;
  /** Makes one `cancelling` that is running. */
  cancel(id: string): Promise<void>;
  /** Notes how far one of its own is; the state that it has, `undefined` where there is none. */
  tell(id: string, progress: string | undefined): Promise<SharedJobState | undefined>;
  /** Ends one of its own, unless it is `interrupted`, and forgets what is beyond the bounds. */
  end(id: string, end: SharedJobEnd, bounds: JobBounds): Promise<void>;
  /**
   * Ends one of its own as `interrupted` of which nobody knows whether `start` has written it, or will yet:
   * it never is under way from then on.
   */
  giveUp(job: SharedJobStart, endedAt: number, bounds: JobBounds): Promise<void>;
}
