/**
 * What the gateway remembers of its routes' recent attempts: cool-downs, a
 * circuit breaker, success rates and latencies. In memory, empty at start.
 *
 * @module
 */

import type { Clock } from "../domain/clock.ts";
import { AttemptWindow } from "./attempt_window.ts";
import type { HealthView } from "./route_request.ts";

/** How an attempt failed, as the provider contract names it. */
export type AttemptFailure = "caller" | "operator" | "busy" | "broken" | "starved" | "aborted";

/** One attempt's outcome. Attempts are sampled, not calls: a retried call leaves several. */
export type AttemptSample =
  & {
    /** Monotonic milliseconds at which the attempt began. */
    readonly startedAt: number;
  }
  & (
    | {
      readonly outcome: "success";
      /** To the first byte; for streams. */
      readonly firstByteMs?: number | undefined;
      /** To the end; for calls that are not streamed, whose length a client waits for. */
      readonly totalMs?: number | undefined;
    }
    | {
      readonly outcome: AttemptFailure;
      /** What a `busy` upstream asked for. */
      readonly retryAfterSeconds?: number | undefined;
    }
  );

/** The health of all routes: a view for selection and a record for the attempt loop. */
export interface Health extends HealthView {
  /**
   * Asks to attempt a route now. `false` means that it has begun to cool down
   * since it was selected, or that another call is probing it: try the next
   * candidate. `true` must be followed by {@linkcode Health.record} exactly once
   * at least, whatever happens, because it may have been the one probe of an
   * open circuit.
   */
  beginAttempt(routeId: string): boolean;
  /**
   * Says that a stream has begun to answer. A half-open circuit closes then: the
   * probe's own end may be minutes away. Its outcome is still to be recorded, and
   * a bad one opens the circuit again at once.
   */
  answered(routeId: string, startedAt: number): void;
  /**
   * Takes in an outcome: `success` and `broken` are counted; `busy` and
   * `operator` only cool the route; `caller`, `starved` and `aborted` say nothing about it.
   */
  record(routeId: string, sample: AttemptSample): void;
  /** Forgets every other route. */
  retain(routeIds: Iterable<string>): void;
  /** How many routes are remembered. */
  readonly size: number;
}

/** Failures in a row that open the circuit. */
export /** What tells nothing of a route. */
const SAYS_NOTHING: ReadonlySet<AttemptSample["outcome"]> = new Set([
  "caller",
  "starved",
  "aborted",
]);
const BREAKER_FAILURES = 5;
/** How long an open circuit waits for its probe. */
export const BREAKER_OPEN_MS = 30_000;
/** How long a route cools whose key, account or model name the upstream refused. */
export const OPERATOR_COOLING_MS = 60_000;
/** Cool-down of a busy upstream that named none. */
export const DEFAULT_BUSY_SECONDS = 5;
/** An upstream's Retry-After is believed up to this: a wrong date must not end a route. */
export const MAX_BUSY_SECONDS = 300;

/** A probe whose outcome was never recorded ends here, beyond any attempt's time limit. */
const PROBE_LEASE_MS = 900_000;
/** While a probe is out, others are told to come back in this time. */
const PROBE_RETRY_MS = 1_000;

/** Health for routes whose time and samples the arguments give. */
export function createHealth({ clock }: { readonly clock: Clock }): Health {
  return new RouteHealthBook(clock);
}

class RouteHealthBook implements Health {
  readonly #clock: Clock;
  readonly #routes = new Map<string, RouteHealth>();
  /**
   * Those of `#routes` that failed of late. Selection asks about every route of a
   * model, and this small set is quicker to ask than thousands of routes are.
   */
  readonly #troubled = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#routes.size;
  }

  isTroubled(routeId: string): boolean {
    return this.#troubled.has(routeId);
  }

  coolingUntil(routeId: string): number {
    if (!this.#troubled.has(routeId)) return 0;
    const route = this.#routes.get(routeId);
    return route === undefined || route.calm ? 0 : route.blockedUntil(this.#clock.monotonic());
  }

  coolingReason(routeId: string): "cooling_down" | "circuit_open" {
    return this.#routes.get(routeId)?.blockedBy(this.#clock.monotonic()) ?? "cooling_down";
  }

  successRate(routeId: string, now = this.#clock.monotonic()): number {
    return this.#routes.get(routeId)?.window.successRate(now) ??
      AttemptWindow.UNKNOWN_SUCCESS_RATE;
  }

  latencyMs(routeId: string, stream: boolean): number | undefined {
    return this.#routes.get(routeId)?.window.latencyMs(this.#clock.monotonic(), stream);
  }

  beginAttempt(routeId: string): boolean {
    const route = this.#routes.get(routeId);
    return route === undefined || route.calm || route.enter(this.#clock.monotonic());
  }

  answered(routeId: string, startedAt: number): void {
    const route = this.#routes.get(routeId);
    if (route !== undefined && !route.calm) route.closeCircuit(startedAt);
  }

  record(routeId: string, sample: AttemptSample): void {
    let route = this.#routes.get(routeId);
    if (route === undefined) {
      if (SAYS_NOTHING.has(sample.outcome)) return;
      route = new RouteHealth();
      this.#routes.set(routeId, route);
    }
    const now = this.#clock.monotonic();
    route.take(sample, now);
    if (!route.calm || route.window.hasFailures(now)) this.#troubled.add(routeId);
    else this.#troubled.delete(routeId);
  }

  retain(routeIds: Iterable<string>): void {
    const kept = new Set(routeIds);
    for (const routeId of this.#routes.keys()) {
      if (kept.has(routeId)) continue;
      this.#routes.delete(routeId);
      this.#troubled.delete(routeId);
    }
  }
}

/**
 * One route. Its circuit is closed, open until a time, or half-open after it:
 * then one attempt at a time may probe it. An attempt that began before the
 * circuit opened is no probe, so what becomes of it moves the circuit no more.
 */
class RouteHealth {
  readonly window = new AttemptWindow();
  #brokenInARow = 0;
  #coolUntil = 0;
  /** 0 while the circuit is closed. */
  #openUntil = 0;
  /** When the probe began; `undefined` while none is out. */
  #probeSince: number | undefined;

  /** Neither cooling nor open: the usual case, answered without a clock. */
  get calm(): boolean {
    return this.#coolUntil === 0 && this.#openUntil === 0;
  }

  /** Until when no attempt may begin; 0 if one may. */
  blockedUntil(now: number): number {
    const until = Math.max(this.#coolUntil, this.#circuitUntil(now));
    if (until > now) return until;
    this.#coolUntil = 0;
    return 0;
  }

  blockedBy(now: number): "cooling_down" | "circuit_open" {
    return this.#circuitUntil(now) >= Math.max(this.#coolUntil, now)
      ? "circuit_open"
      : "cooling_down";
  }

  /** Begins an attempt if one may; in a half-open circuit that is the probe. */
  enter(now: number): boolean {
    if (this.blockedUntil(now) > now) return false;
    if (this.#openUntil !== 0) this.#probeSince = now;
    return true;
  }

  /** The probe has an answer: others may follow. The failures in a row stand until a success. */
  closeCircuit(startedAt: number): void {
    if (!this.#isProbe(startedAt)) return;
    this.#probeSince = undefined;
    this.#openUntil = 0;
  }

  take(sample: AttemptSample, now: number): void {
    const isProbe = this.#isProbe(sample.startedAt);
    if (isProbe) this.#probeSince = undefined;
    switch (sample.outcome) {
      case "success":
        this.window.addSuccess(now, sample);
        if (isProbe) this.#openUntil = 0;
        if (this.#openUntil === 0) this.#brokenInARow = 0;
        return;
      case "broken":
        this.window.addFailure(now);
        this.#brokenInARow++;
        if (isProbe || (this.#openUntil === 0 && this.#brokenInARow >= BREAKER_FAILURES)) {
          this.#openUntil = now + BREAKER_OPEN_MS;
        }
        return;
      case "busy":
        return this.#cool(now + busyMs(sample.retryAfterSeconds));
      case "operator":
        return this.#cool(now + OPERATOR_COOLING_MS);
      case "caller":
      case "starved":
      case "aborted":
        return;
    }
  }

  /** Nothing but a probe begins after the circuit opened. */
  #isProbe(startedAt: number): boolean {
    return this.#probeSince !== undefined && startedAt >= this.#openUntil - BREAKER_OPEN_MS;
  }

  #circuitUntil(now: number): number {
    if (this.#openUntil === 0 || this.#openUntil > now) return this.#openUntil;
    if (this.#probeSince === undefined || now >= this.#probeSince + PROBE_LEASE_MS) return 0;
    return now + PROBE_RETRY_MS;
  }

  #cool(until: number): void {
    this.#coolUntil = Math.max(this.#coolUntil, until);
  }
}

function busyMs(retryAfterSeconds: number | undefined): number {
  if (retryAfterSeconds === undefined || !(retryAfterSeconds > 0)) {
    return DEFAULT_BUSY_SECONDS * 1_000;
  }
  return Math.min(retryAfterSeconds, MAX_BUSY_SECONDS) * 1_000;
}
