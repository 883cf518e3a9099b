/**
 * The health of one route: what keeps whom from trying it, until when, and who
 * may try it all the same.
 *
 * @module
 */

import type { OperatorFault } from "../domain/upstream_error.ts";
import { type AttemptSample, AttemptWindow } from "./attempt_window.ts";
import { BREAKER_OPEN_MS, PROBE_RETRY_MS, type ProjectTrouble } from "./project_trouble.ts";
import { DOUBT_MS, LAST_RESORT_MS, ProjectTroubles } from "./project_troubles.ts";

/** How long a route cools whose key, account or model name the upstream refused. */
export const OPERATOR_COOLING_MS = 60_000;

/** A project that has met nothing. */
const STRANGER = "";

/** A refusal that the request itself may have caused. */
interface Doubt {
  readonly projectId?: string | undefined;
  readonly status?: number | undefined;
  readonly until: number;
}

/**
 * One route. Failures open the circuit of the project that has met them; those of several
 * projects open the circuit of all. That one is closed, open until a time, or on trial after
 * it: then each project may have one attempt out at a time, and two that fail shut it again.
 * Where a route is the last of its model, a call may probe it before that.
 *
 * Where a project is named it is whose attempt it is; `undefined` asks for anybody.
 */
export class RouteHealth {
  readonly window = new AttemptWindow();
  readonly #projects = new ProjectTroubles();
  /** When anybody's last success came, whose it was, and when the last of another came. */
  #servedAt = -Infinity;
  #servedLast: string | undefined;
  #servedOtherAt = -Infinity;
  /** Until when the route cools because the upstream refused what is the operator's. */
  #faultUntil = 0;
  #fault: OperatorFault | undefined;
  #doubt: Doubt | undefined;
  /** 0 while the circuit of all is closed. */
  #openUntil = 0;
  /** When the route was shut for all. */
  #shutAt = -Infinity;

  /** Neither cooling nor open for anybody: the usual case, answered without a clock. */
  get calm(): boolean {
    return this.#faultUntil === 0 && this.#openUntil === 0 && this.#projects.none;
  }

  /** Whether the circuit is open or half-open, or the route cools for a fault: no success since. */
  isDown(now: number): boolean {
    return this.#openUntil !== 0 || this.#faultUntil > now ||
      this.#projects.isAnyShutSince(this.#servedAt);
  }

  /** What the upstream refuses of the operator's, while the route cools for that. */
  faultAt(now: number): OperatorFault | undefined {
    return this.#faultUntil > now ? this.#fault : undefined;
  }

  /** Whether nothing of what has befallen it matters any more. */
  isOver(now: number): boolean {
    this.#projects.forgetStale(now, STRANGER);
    if (this.#faultUntil <= now) this.#faultUntil = 0;
    return this.calm && !this.window.hasFailures(now);
  }

  /** Until when no attempt of a project may begin; 0 if one may. */
  blockedUntil(projectId: string | undefined, now: number): number {
    const until = Math.max(
      this.#faultUntil,
      this.#circuitUntil(projectId, now),
      this.#projects.busyUntil(projectId, now),
    );
    if (until > now) return until;
    this.#faultUntil = 0;
    return 0;
  }

  /** Who is kept out although others are not. */
  shutProjects(now: number): readonly string[] {
    if (this.blockedUntil(STRANGER, now) > now) return [];
    return this.#projects.projectIds.filter((id) => this.blockedUntil(id, now) > now);
  }

  /** From when a call that has no other route may try this one; never before a busy upstream asked. */
  probeFrom(projectId: string | undefined, now: number): number {
    const trouble = this.#projects.find(projectId);
    if (trouble?.isProbeOut(now)) return now + PROBE_RETRY_MS;
    const lastLook = Math.max(this.#shutAt, trouble?.lastLook ?? -Infinity);
    return Math.max(this.#projects.busyUntil(projectId, now), lastLook + LAST_RESORT_MS);
  }

  blockedBy(projectId: string | undefined, now: number): "cooling_down" | "circuit_open" {
    const coolingUntil = Math.max(this.#projects.busyUntil(projectId, now), this.#faultUntil, now);
    return this.#circuitUntil(projectId, now) >= coolingUntil ? "circuit_open" : "cooling_down";
  }

  /** Begins an attempt if one may; in a half-open circuit that is the project's probe. */
  enter(projectId: string | undefined, now: number, mayProbe = always): boolean {
    if (this.blockedUntil(projectId, now) > now) return false;
    const isShut = this.#projects.find(projectId)?.shutSince !== undefined;
    if (isShut || this.#openUntil !== 0) {
      if (!mayProbe()) return false;
      this.#projects.of(projectId).probe(now);
    } else if (this.#projects.isBusy(now)) this.#projects.of(projectId).lastLook = now;
    return true;
  }

  /** Begins the attempt of a call that has no other route, if one may. */
  enterAsLast(projectId: string | undefined, now: number, mayProbe = always): boolean {
    if (this.enter(projectId, now, mayProbe)) return true;
    if (this.probeFrom(projectId, now) > now || !mayProbe()) return false;
    this.#projects.of(projectId).probe(now);
    return true;
  }

  /** Ends the cool-down for a fault of the operator's. */
  forgiveFault(): void {
    this.#faultUntil = 0;
    this.#fault = undefined;
  }

  /** Ends what a busy upstream asked for, whoever was told: a day's quota may be a larger one now. */
  forgiveBusy(): void {
    this.#projects.forgiveBusy();
  }

  /** An attempt has an answer: where it was a probe, others may follow. */
  answered({ projectId, startedAt }: Pick<AttemptSample, "projectId" | "startedAt">, now: number) {
    this.#projects.doubtBusy(projectId, startedAt, now);
    const trouble = this.#projects.find(projectId);
    if (trouble?.isProbe(startedAt)) this.#reopen(trouble);
  }

  take(sample: AttemptSample, now: number): void {
    if (this.#projects.none && sample.outcome === "success" && this.#openUntil === 0) {
      this.#succeed(sample, now);
      return;
    }
    const { projectId } = sample;
    this.#projects.forgetStale(now, projectId);
    const trouble = this.#projects.find(projectId);
    const isProbe = trouble?.isProbe(sample.startedAt) ?? false;
    if (isProbe) trouble!.endProbe();
    switch (sample.outcome) {
      case "success":
        this.#succeed(sample, now);
        this.#projects.doubtBusy(projectId, sample.startedAt, now);
        if (isProbe) this.#reopen(trouble!);
        if (this.#openUntil === 0) this.#projects.endRow();
        trouble?.succeeded();
        return this.#projects.settle(projectId, now);
      case "broken":
        this.window.addFailure(now, projectId);
        return this.#break(this.#projects.of(projectId), { isProbe, ...sample }, now);
      case "busy":
        return this.#projects.noteBusy(this.#projects.of(projectId), now, {
          retryAfterSeconds: sample.retryAfterSeconds,
          isSpent: sample.isSpent,
          servedAt: projectId === this.#servedLast ? this.#servedOtherAt : this.#servedAt,
        });
      case "operator":
        return this.#cool(now, sample.fault);
      case "doubtful":
        if (this.#isConfirmed(sample, now)) return this.#cool(now, sample.fault);
        // That the operator's fault is over is not shown by this one, and may be for others.
        if (isProbe && this.#faultUntil !== 0) trouble!.open(now, OPERATOR_COOLING_MS);
        this.#doubt = { projectId, status: sample.status, until: now + DOUBT_MS };
        return;
      case "caller":
      case "oversized":
      case "starved":
      case "aborted":
        return;
    }
  }

  #succeed(sample: Extract<AttemptSample, { outcome: "success" }>, now: number): void {
    this.window.addSuccess(now, sample);
    this.#doubt = undefined;
    if (sample.projectId !== this.#servedLast) {
      this.#servedOtherAt = this.#servedAt;
      this.#servedLast = sample.projectId;
    }
    this.#servedAt = now;
  }

  #break(
    trouble: ProjectTrouble,
    { isProbe, startedAt }: { readonly isProbe: boolean; readonly startedAt: number },
    now: number,
  ): void {
    trouble.broken(isProbe, now);
    // What began before the circuit of all had opened says nothing of its trial.
    if (this.#openUntil > now || startedAt < this.#openUntil) return;
    if (!this.#projects.isBrokenForAll(trouble, this.#openUntil !== 0)) return;
    this.#openUntil = now + BREAKER_OPEN_MS;
    this.#shutAt = now;
    this.#projects.endRow();
  }

  /** Another project has met the same refusal of late, and nobody a success since. */
  #isConfirmed({ projectId, status }: Omit<Doubt, "until">, now: number): boolean {
    const doubt = this.#doubt;
    return doubt !== undefined && doubt.until > now && doubt.status === status &&
      doubt.projectId !== projectId;
  }

  #cool(now: number, fault: OperatorFault | undefined): void {
    this.#faultUntil = now + OPERATOR_COOLING_MS;
    this.#fault = fault;
    this.#doubt = undefined;
    this.#shutAt = now;
  }

  /** What a probe's answer shows: the upstream is there, and takes what is the operator's. */
  #reopen(trouble: ProjectTrouble): void {
    trouble.close();
    this.#openUntil = 0;
    this.forgiveFault();
  }

  #circuitUntil(projectId: string | undefined, now: number): number {
    if (this.#openUntil > now) return this.#openUntil;
    return this.#projects.circuitUntil(projectId, now, this.#openUntil !== 0);
  }
}

/** Where no other thread probes too. */
function always(): boolean {
  return true;
}
