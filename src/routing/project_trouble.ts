/**
 * What one project has met at one route: failures in a row, a circuit of its own,
 * and how long the upstream asked it to stay away. Others need not meet the same.
 *
 * @module
 */

/** Failures in a row that open a circuit. */
export const BREAKER_FAILURES = 5;
/** How long an open circuit waits for its probe. */
export const BREAKER_OPEN_MS = 30_000;
/** Cool-down of a busy upstream that named none. */
export const DEFAULT_BUSY_SECONDS = 5;
/** An upstream's Retry-After is believed up to this: a wrong date must not end a route. */
export const MAX_BUSY_SECONDS = 300;
/** A day's quota that is spent is believed, as its midnight is counted here. */
const MAX_SPENT_SECONDS = 86_400;

/** A probe whose outcome was never recorded ends here, beyond any attempt's time limit. */
const PROBE_LEASE_MS = 900_000;
/** While a project's probe is out, its other calls are told to come back in this time. */
export const PROBE_RETRY_MS = 1_000;
/** Trouble that is over and has not been met again for so long is forgotten. */
const FORGET_MS = 300_000;

/**
 * A project's circuit is closed, open until a time, or half-open after it: then one
 * of its attempts at a time may probe. An attempt that began before the probe is
 * none, so what becomes of it moves the circuit no more.
 */
export class ProjectTrouble {
  /** When it failed, or was let in to look, for the last time. */
  lastLook = -Infinity;
  /** Since when its circuit is open or half-open; `undefined` while it is closed. */
  shutSince: number | undefined;
  /** Until when the upstream asked this project to leave it alone, and since when. */
  busyUntil = 0;
  busySince = 0;
  /** Until when what it was asked is taken for its own: another project was served meanwhile. */
  doubtedUntil = 0;
  /** Until when that holds up nobody, unless another is told the same: one was served shortly before. */
  lonelyUntil = 0;
  /** Its part in a row of failures over all projects, and in which row. */
  row = 0;
  inRow = 0;
  #brokenInARow = 0;
  /** 0 while the circuit is closed. */
  #openUntil = 0;
  /** When the probe began; `undefined` while none is out. */
  #probeSince: number | undefined;

  /** Until when the circuit lets none of its attempts begin; 0 if it does. */
  circuitUntil(now: number, isOnTrial: boolean): number {
    if (this.#openUntil > now) return this.#openUntil;
    if (this.#openUntil === 0 && !isOnTrial) return 0;
    return this.isProbeOut(now) ? now + PROBE_RETRY_MS : 0;
  }

  /** Whether an attempt that began then is the probe that is out: nothing else begins meanwhile. */
  isProbe(startedAt: number): boolean {
    return this.#probeSince !== undefined && startedAt >= this.#probeSince;
  }

  isProbeOut(now: number): boolean {
    return this.#probeSince !== undefined && now < this.#probeSince + PROBE_LEASE_MS;
  }

  probe(now: number): void {
    this.#probeSince = this.lastLook = now;
  }

  endProbe(): void {
    this.#probeSince = undefined;
  }

  /** Takes in a failure; that of a probe opens the circuit at once. */
  broken(isProbe: boolean, now: number): void {
    this.#brokenInARow++;
    this.lastLook = now;
    const isEnough = this.#openUntil === 0 && this.#brokenInARow >= BREAKER_FAILURES;
    if (isProbe || isEnough) this.open(now, BREAKER_OPEN_MS);
  }

  open(now: number, forMs: number): void {
    this.#openUntil = now + forMs;
    this.shutSince ??= now;
    this.lastLook = now;
  }

  /** Closes the circuit. The failures in a row stand until a success. */
  close(): void {
    this.#probeSince = this.shutSince = undefined;
    this.#openUntil = 0;
  }

  /** Takes in a success; it says nothing to a circuit that has opened since. */
  succeeded(): void {
    if (this.#openUntil === 0) this.#brokenInARow = 0;
  }

  /** Notes what a busy upstream asked for. */
  busy(now: number, retryAfterSeconds: number | undefined, isSpent = false): void {
    if (this.busyUntil <= now) this.busySince = now;
    const most = isSpent ? MAX_SPENT_SECONDS : MAX_BUSY_SECONDS;
    this.busyUntil = Math.max(this.busyUntil, now + busyMs(retryAfterSeconds, most));
  }

  /** Whether nothing of it matters any more, right after a success. */
  isOver(now: number): boolean {
    return this.#openUntil === 0 && this.#brokenInARow === 0 && this.#probeSince === undefined &&
      this.busyUntil <= now && this.doubtedUntil <= now;
  }

  /** Whether it is so old that it says nothing. */
  isStale(now: number): boolean {
    const last = Math.max(this.lastLook, this.#openUntil, this.busyUntil, this.doubtedUntil);
    return last + FORGET_MS < now;
  }
}

function busyMs(retryAfterSeconds: number | undefined, most: number): number {
  if (retryAfterSeconds === undefined || !(retryAfterSeconds > 0)) {
    return DEFAULT_BUSY_SECONDS * 1_000;
  }
  return Math.min(retryAfterSeconds, most) * 1_000;
}

/** Projects whose failures are told apart; of more, the first that had any is forgotten. */
const MOST_PROJECTS = 64;

/** Failures of one project, by bucket. */
interface Failures {
  readonly counts: Uint32Array;
  sum: number;
  newest: number;
}

/**
 * Failures of one route over the last minutes, by project: what one project alone has met says nothing of
 * the route to the others. Buckets are numbered as time goes by; as many count as there are places.
 */
export class ProjectFailures {
  readonly #buckets: number;
  readonly #byProject = new Map<string | undefined, Failures>();

  /** @param buckets How many of the last buckets count. */
  constructor(buckets: number) {
    this.#buckets = buckets;
  }

  add(projectId: string | undefined, bucket: number): void {
    let failures = this.#byProject.get(projectId);
    if (failures === undefined) {
      if (this.#byProject.size === MOST_PROJECTS) {
        this.#byProject.delete(this.#byProject.keys().next().value);
      }
      failures = { counts: new Uint32Array(this.#buckets), sum: 0, newest: bucket };
      this.#byProject.set(projectId, failures);
    }
    this.#advance(failures, bucket);
    failures.counts[bucket % this.#buckets]! += 1;
    failures.sum++;
  }

  /** Failures of the one project besides `asking` that had most; those without a project are nobody's. */
  mostOfAnother(asking: string, bucket: number): number {
    let most = 0;
    for (const [projectId, failures] of this.#byProject) {
      if (projectId === undefined || projectId === asking) continue;
      this.#advance(failures, bucket);
      if (failures.sum === 0) this.#byProject.delete(projectId);
      most = Math.max(most, failures.sum);
    }
    return most;
  }

  /** Empties the buckets that have passed. */
  #advance(failures: Failures, bucket: number): void {
    const last = Math.min(bucket, failures.newest + this.#buckets);
    for (let passed = failures.newest + 1; passed <= last; passed++) {
      const place = passed % this.#buckets;
      failures.sum -= failures.counts[place]!;
      failures.counts[place] = 0;
    }
    failures.newest = Math.max(failures.newest, bucket);
  }
}
