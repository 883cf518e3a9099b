/**
 * Who has met trouble at one route, and what of it is true for the others as well:
 * one project's requests may bring about failures and pauses that nobody else meets.
 *
 * @module
 */

import { BREAKER_FAILURES, ProjectTrouble } from "./project_trouble.ts";

/** Between two looks at a route that may be shut, and between its failure and the first. */
export const LAST_RESORT_MS = 1_000;
/** For so long what one project alone has met is doubted, or waits for another to meet the same. */
export const DOUBT_MS = 60_000;

/** Projects whose trouble is remembered; of more, the first that had any is forgotten. */
export const MOST_PROJECTS = 64;
/** Of a row of failures over all projects, those of one that count: it takes others to shut a route for all. */
const MOST_OF_ONE = 3;

/** A project that is `undefined` asks for anybody, and gets the worst. */
export class ProjectTroubles {
  readonly #byProject = new Map<string | undefined, ProjectTrouble>();
  /** The latest of what busy upstreams asked anybody for; 0 when that is past. */
  #busyUntil = 0;
  /** The row of failures over all projects: which, how long, and of how many projects. */
  #row = 1;
  #inRow = 0;
  #projectsInRow = 0;

  /** Whether there is none. */
  get none(): boolean {
    return this.#byProject.size === 0;
  }

  /** How many projects are remembered. */
  get size(): number {
    return this.#byProject.size;
  }

  /** Those that are remembered by name. */
  get projectIds(): readonly string[] {
    return [...this.#byProject.keys()].filter((id) => id !== undefined);
  }

  find(projectId: string | undefined): ProjectTrouble | undefined {
    return this.#byProject.get(projectId);
  }

  of(projectId: string | undefined): ProjectTrouble {
    let trouble = this.#byProject.get(projectId);
    if (trouble === undefined) {
      if (this.#byProject.size === MOST_PROJECTS) {
        this.#byProject.delete(this.#byProject.keys().next().value);
      }
      trouble = new ProjectTrouble();
      this.#byProject.set(projectId, trouble);
    }
    return trouble;
  }

  /** Forgets a project that was served, once nothing of its trouble matters. */
  settle(projectId: string | undefined, now: number): void {
    if (this.#byProject.get(projectId)?.isOver(now)) this.#byProject.delete(projectId);
  }

  /** Forgets what is so old that it says nothing; not of who is there now. */
  forgetStale(now: number, present: string | undefined): void {
    for (const [projectId, trouble] of this.#byProject) {
      if (projectId !== present && trouble.isStale(now)) this.#byProject.delete(projectId);
    }
    if (this.none) this.endRow();
  }

  /** Until when the project's own circuit keeps it out; 0 if it does not. */
  circuitUntil(projectId: string | undefined, now: number, isOnTrial: boolean): number {
    if (projectId !== undefined) {
      return this.#byProject.get(projectId)?.circuitUntil(now, isOnTrial) ?? 0;
    }
    let until = 0;
    for (const trouble of this.#byProject.values()) {
      until = Math.max(until, trouble.circuitUntil(now, isOnTrial));
    }
    return until;
  }

  /** Whether a circuit is open or half-open since nobody has been served. */
  isAnyShutSince(servedAt: number): boolean {
    for (const { shutSince } of this.#byProject.values()) {
      if (shutSince !== undefined && shutSince >= servedAt) return true;
    }
    return false;
  }

  /**
   * Counts a failure in the row over all projects.
   *
   * @param isOnTrial Whether the route was shut for all before, and is being tried again.
   * @returns Whether it now is shut for all: two projects at least have met the failures.
   */
  isBrokenForAll(trouble: ProjectTrouble, isOnTrial: boolean): boolean {
    if (trouble.row !== this.#row) {
      trouble.row = this.#row;
      trouble.inRow = 0;
      this.#projectsInRow++;
    }
    if (trouble.inRow < MOST_OF_ONE) {
      trouble.inRow++;
      this.#inRow++;
    }
    return this.#projectsInRow > 1 && (isOnTrial || this.#inRow >= BREAKER_FAILURES);
  }

  /** Ends the row over all projects. */
  endRow(): void {
    this.#row++;
    this.#inRow = this.#projectsInRow = 0;
  }

  /**
   * Notes how long a busy upstream asked a project to stay away.
   *
   * @param servedAt When another project was served for the last time.
   */
  noteBusy(
    trouble: ProjectTrouble,
    now: number,
    { retryAfterSeconds, isSpent, servedAt }: {
      readonly retryAfterSeconds: number | undefined;
      readonly isSpent: boolean | undefined;
      readonly servedAt: number;
    },
  ): void {
    trouble.busy(now, retryAfterSeconds, isSpent);
    trouble.lonelyUntil = servedAt + DOUBT_MS;
    this.#busyUntil = Math.max(this.#busyUntil, trouble.busyUntil);
  }

  /** Ends what busy upstreams asked for. */
  forgiveBusy(): void {
    for (const trouble of this.#byProject.values()) trouble.busyUntil = 0;
    this.#busyUntil = 0;
  }

  isBusy(now: number): boolean {
    if (this.#busyUntil <= now) this.#busyUntil = 0;
    return this.#busyUntil !== 0;
  }

  /**
   * Until when a busy upstream keeps a project out: as long as it was asked itself, or two
   * others were. What one other was asked keeps it out but for a look about once a second, and
   * not at all while somebody else was served of late.
   */
  busyUntil(projectId: string | undefined, now: number): number {
    if (!this.isBusy(now)) return 0;
    if (projectId === undefined) return this.#busyUntil;
    let own = 0;
    let lastLook = -Infinity;
    let first = 0;
    let second = 0;
    let lonelyUntil = 0;
    for (const [id, trouble] of this.#byProject) {
      const { busyUntil, doubtedUntil } = trouble;
      if (id === projectId) {
        own = busyUntil;
        lastLook = trouble.lastLook;
      } else if (doubtedUntil > now) continue;
      else if (busyUntil > first) {
        second = first;
        first = busyUntil;
        lonelyUntil = trouble.lonelyUntil;
      } else if (busyUntil > second) second = busyUntil;
    }
    if (second > now) return Math.max(own, second);
    return lonelyUntil > now ? own : Math.max(own, Math.min(first, lastLook + LAST_RESORT_MS));
  }

  /**
   * A project was taken that asked while others had been told to stay away: for a while, what
   * they are told is taken for their own affair.
   */
  doubtBusy(projectId: string | undefined, startedAt: number, now: number): void {
    if (!this.isBusy(startedAt)) return;
    for (const [id, trouble] of this.#byProject) {
      if (id === projectId || trouble.busyUntil <= startedAt || trouble.busySince > startedAt) {
        continue;
      }
      trouble.doubtedUntil = now + DOUBT_MS;
    }
  }
}
