/**
 * Failures of one route over the last minutes, by project: what one project alone has met says
 * nothing of the route to the others.
 *
 * @module
 */

/** Projects whose failures are told apart; of more, the first that had any is forgotten. */
const MOST_PROJECTS = 64;

/** Failures of one project, by bucket. */
interface Failures {
  readonly counts: Uint32Array;
  sum: number;
  newest: number;
}

/** Buckets are numbered as time goes by; as many count as there are places. */
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
