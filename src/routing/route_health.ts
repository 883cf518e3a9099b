/**
 * The health of one route: what keeps it from being tried, until when, and who
 * may try it all the same.
 *
 * @module
 */

import type { OperatorFault } from "../domain/operator_fault.ts";
import type { AttemptSample } from "./attempt_sample.ts";
import { AttemptWindow } from "./attempt_window.ts";

/** Failures in a row that open the circuit. */
export const BREAKER_FAILURES = 5;
/** How long an open circuit waits for its probe. */
export const BREAKER_OPEN_MS = 30_000;
/** How long a route cools whose key, account or model name the upstream refused. */
export const OPERATOR_COOLING_MS = 60_000;
/** For so long a doubtful refusal waits for another project to meet the same. */
export const DOUBT_MS = 60_000;
/** Cool-down of a busy upstream that named none. */
export const DEFAULT_BUSY_SECONDS = 5;
/** An upstream's Retry-After is believed up to this: a wrong date must not end a route. */
export const MAX_BUSY_SECONDS = 300;
/** Between two probes of a last route, and between its failure and the first. */
export const LAST_RESORT_MS = 1_000;

/** A probe whose outcome was never recorded ends here, beyond any attempt's time limit. */
const PROBE_LEASE_MS = 900_000;
/** While a probe is out, others are told to come back in this time. */
const PROBE_RETRY_MS = 1_000;

/** A refusal that the request itself may have caused. */
interface Doubt {
  readonly projectId?: string | undefined;
  readonly status?: number | undefined;
  readonly until: number;
}

/** A success that is remembered. */
interface Served {
  readonly projectId?: string | undefined;
  until: number;
}

/**
 * One route. Its circuit is closed, open until a time, or half-open after it:
 * then one attempt at a time may probe it. Where it is the last of its model, a
 * call may probe it before that. An attempt that began before the probe is none,
 * so what becomes of it moves the circuit no more.
 */
export class RouteHealth {
  readonly window = new AttemptWindow();
  #brokenInARow = 0;
  /** Whose failures those are, while they are one project's. */
  #brokenOf: string | undefined;
  #isBrokenForOne = false;
  /** Who was served last, and the other project that was before: each shows for a while that the upstream is there. */
  #served: Served | undefined;
  #servedBefore: Served | undefined;
  /** Until when the upstream asked to be left alone. */
  #busyUntil = 0;
  /** Until when the route cools because the upstream refused what is the operator's. */
  #faultUntil = 0;
  #fault: OperatorFault | undefined;
  #doubt: Doubt | undefined;
  /** 0 while the circuit is closed. */
  #openUntil = 0;
  /** When the probe began; `undefined` while none is out. */
  #probeSince: number | undefined;
  /** When it was shut by a failure, or probed, for the last time. */
  #lastLook = 0;

  /** Neither cooling nor open: the usual case, answered without a clock. */
  get calm(): boolean {
    return this.#busyUntil === 0 && this.#faultUntil === 0 && this.#openUntil === 0;
  }

  /** Whether the circuit is open or half-open, or the route cools for a fault: no success since. */
  isDown(now: number): boolean {
    return this.#openUntil !== 0 || this.#faultUntil > now;
  }

  /** What the upstream refuses of the operator's, while the route cools for that. */
  faultAt(now: number): OperatorFault | undefined {
    return this.#faultUntil > now ? this.#fault : undefined;
  }

  /** Until when no attempt may begin; 0 if one may. */
  blockedUntil(now: number): number {
    const until = Math.max(this.#busyUntil, this.#faultUntil, this.#circuitUntil(now));
    if (until > now) return until;
    this.#busyUntil = this.#faultUntil = 0;
    return 0;
  }

  /** From when a call that has no other route may try this one; never before a busy upstream asked. */
  probeFrom(now: number): number {
    if (this.#isProbeOut(now)) return now + PROBE_RETRY_MS;
    return Math.max(this.#busyUntil, this.#lastLook + LAST_RESORT_MS);
  }

  blockedBy(now: number): "cooling_down" | "circuit_open" {
    return this.#circuitUntil(now) >= Math.max(this.#busyUntil, this.#faultUntil, now)
      ? "circuit_open"
      : "cooling_down";
  }

  /** Begins an attempt if one may; in a half-open circuit that is the probe. */
  enter(now: number): boolean {
    if (this.blockedUntil(now) > now) return false;
    if (this.#openUntil !== 0) this.#probe(now);
    return true;
  }

  /** Begins the attempt of a call that has no other route, if one may. */
  enterAsLast(now: number): boolean {
    if (this.enter(now)) return true;
    if (this.probeFrom(now) > now) return false;
    this.#probe(now);
    return true;
  }

  /** Ends the cool-down for a fault of the operator's. */
  forgiveFault(): void {
    this.#faultUntil = 0;
    this.#fault = undefined;
  }

  /** The probe has an answer: others may follow. The failures in a row stand until a success. */
  closeCircuit(startedAt: number): void {
    if (this.#isProbe(startedAt)) this.#reopen();
  }

  take(sample: AttemptSample, now: number): void {
    const isProbe = this.#isProbe(sample.startedAt);
    if (isProbe) this.#probeSince = undefined;
    switch (sample.outcome) {
      case "success":
        this.window.addSuccess(now, sample);
        this.#doubt = undefined;
        if (isProbe) this.#reopen();
        if (this.#openUntil === 0) this.#brokenInARow = 0;
        this.#noteServed(sample, now);
        return;
      case "broken":
        this.window.addFailure(now);
        this.#noteBroken(sample);
        if (isProbe || (this.#openUntil === 0 && this.#isBroken(now))) {
          this.#openUntil = now + BREAKER_OPEN_MS;
          this.#lastLook = now;
        }
        return;
      case "busy":
        this.#busyUntil = Math.max(this.#busyUntil, now + busyMs(sample.retryAfterSeconds));
        return;
      case "operator":
        return this.#cool(now, sample.fault);
      case "doubtful":
        if ((isProbe && this.#faultUntil !== 0) || this.#isConfirmed(sample, now)) {
          return this.#cool(now, sample.fault);
        }
        this.#doubt = {
          projectId: sample.projectId,
          status: sample.status,
          until: now + DOUBT_MS,
        };
        return;
      case "caller":
      case "oversized":
      case "starved":
      case "aborted":
        return;
    }
  }

  #noteServed({ projectId }: Pick<Served, "projectId">, now: number): void {
    if (this.#served === undefined || this.#served.projectId !== projectId) {
      this.#servedBefore = this.#served;
      this.#served = { projectId, until: 0 };
    }
    this.#served.until = now + DOUBT_MS;
  }

  #noteBroken({ projectId }: Pick<AttemptSample, "projectId">): void {
    this.#isBrokenForOne = this.#brokenInARow === 0 ||
      (this.#isBrokenForOne && this.#brokenOf === projectId);
    this.#brokenOf = projectId;
    this.#brokenInARow++;
  }

  /** Enough failures in a row, and not those of one project alone while another was served of late. */
  #isBroken(now: number): boolean {
    if (this.#brokenInARow < BREAKER_FAILURES) return false;
    return !this.#isBrokenForOne ||
      !(this.#hasServedOther(this.#served, now) || this.#hasServedOther(this.#servedBefore, now));
  }

  #hasServedOther(served: Served | undefined, now: number): boolean {
    return served !== undefined && served.until > now && served.projectId !== this.#brokenOf;
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
    this.#lastLook = now;
  }

  #probe(now: number): void {
    this.#probeSince = this.#lastLook = now;
  }

  /** What a probe's answer shows: the upstream is there, and takes what is the operator's. */
  #reopen(): void {
    this.#probeSince = undefined;
    this.#openUntil = 0;
    this.forgiveFault();
  }

  /** While a probe is out nothing else begins. */
  #isProbe(startedAt: number): boolean {
    return this.#probeSince !== undefined && startedAt >= this.#probeSince;
  }

  #isProbeOut(now: number): boolean {
    return this.#probeSince !== undefined && now < this.#probeSince + PROBE_LEASE_MS;
  }

  #circuitUntil(now: number): number {
    if (this.#openUntil === 0 || this.#openUntil > now) return this.#openUntil;
    return this.#isProbeOut(now) ? now + PROBE_RETRY_MS : 0;
  }
}

function busyMs(retryAfterSeconds: number | undefined): number {
  if (retryAfterSeconds === undefined || !(retryAfterSeconds > 0)) {
    return DEFAULT_BUSY_SECONDS * 1_000;
  }
  return Math.min(retryAfterSeconds, MAX_BUSY_SECONDS) * 1_000;
}
