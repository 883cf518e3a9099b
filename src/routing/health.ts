/**
 * What the gateway remembers of its routes' recent attempts: cool-downs, a
 * circuit breaker, success rates and latencies. In memory, empty at start.
 *
 * @module
 */

import type { Clock } from "../domain/clock.ts";
import type { OperatorFault } from "../domain/operator_fault.ts";
import { type AttemptSample, SAYS_NOTHING } from "./attempt_sample.ts";
import { AttemptWindow } from "./attempt_window.ts";
import { RouteHealth } from "./route_health.ts";
import type { HealthView } from "./route_request.ts";

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
   * The same for a call that has no other route: it may also probe a route that
   * cools down or whose circuit is open, one call at a time and about once a second.
   */
  beginLastResort(routeId: string): boolean;
  /**
   * Says that a stream has begun to answer. A half-open circuit closes then: the
   * probe's own end may be minutes away. Its outcome is still to be recorded, and
   * a bad one opens the circuit again at once.
   */
  answered(routeId: string, startedAt: number): void;
  /**
   * Takes in an outcome: `success` and `broken` are counted; `busy` and
   * `operator` only cool the route, `doubtful` once two projects or a probe have
   * met it; `caller`, `oversized`, `starved` and `aborted` say nothing about it.
   */
  record(routeId: string, sample: AttemptSample): void;
  /** Ends the cool-downs for the operator's faults: something was mended. */
  forgiveFaults(): void;
  /** Forgets every other route. */
  retain(routeIds: Iterable<string>): void;
  /** How many routes are remembered. */
  readonly size: number;
}

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

  lastResortFrom(routeId: string): number {
    const now = this.#clock.monotonic();
    const route = this.#shut(routeId, now);
    return route === undefined ? 0 : route.probeFrom(now);
  }

  coolingFault(routeId: string): OperatorFault | undefined {
    const now = this.#clock.monotonic();
    return this.#shut(routeId, now)?.faultAt(now);
  }

  isDown(routeId: string): boolean {
    if (!this.#troubled.has(routeId)) return false;
    return this.#routes.get(routeId)?.isDown(this.#clock.monotonic()) ?? false;
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

  beginLastResort(routeId: string): boolean {
    const route = this.#routes.get(routeId);
    return route === undefined || route.calm || route.enterAsLast(this.#clock.monotonic());
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

  /** A route that may not be tried now. */
  #shut(routeId: string, now: number): RouteHealth | undefined {
    if (!this.#troubled.has(routeId)) return undefined;
    const route = this.#routes.get(routeId);
    return route === undefined || route.calm || route.blockedUntil(now) === 0 ? undefined : route;
  }

  forgiveFaults(): void {
    for (const route of this.#routes.values()) route.forgiveFault();
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
