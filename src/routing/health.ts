/**
 * What the gateway remembers of its routes' recent attempts: cool-downs, a
 * circuit breaker, success rates and latencies. In memory, empty at start.
 *
 * @module
 */

import type { Clock } from "../domain/clock.ts";
import type { Route } from "../domain/catalogue.ts";
import type { OperatorFault } from "../domain/upstream_error.ts";
import { type AttemptSample, AttemptWindow, SAYS_NOTHING } from "./attempt_window.ts";
import { RouteHealth } from "./route_health.ts";
import type { HealthView } from "./route_request.ts";

/** Troubled routes that are looked for among those of a model: of more, each route is asked about. */
const MOST_LOOKED_FOR = 8;

/** The health of all routes: a view for selection and a record for the attempt loop. */
export class Health implements HealthView {
  readonly #clock: Clock;
  readonly #routes = new Map<string, RouteHealth>();
  /**
   * Those of `#routes` that failed of late. Selection asks about every route of a
   * model, and this small set is quicker to ask than thousands of routes are.
   */
  readonly #troubled = new Set<string>();
  /** Asked before a probe, where other threads may be probing the same route; absent: none do. */
  mayProbe: ((routeId: string) => boolean) | undefined;
  /**
   * Told of each outcome that is recorded here, for those who keep count too, and whether that is news
   * to them: it was a failure, or the route has had some of late. Nobody is at first.
   */
  onSample: ((routeId: string, sample: AttemptSample, isNews: boolean) => void) | undefined;

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  /** How many routes are remembered. */
  get size(): number {
    return this.#routes.size;
  }

  isCalmOn(routes: readonly Route[]): boolean {
    if (this.#troubled.size === 0) return true;
    if (this.#troubled.size > MOST_LOOKED_FOR) {
      // Those that nobody calls any more are over some day.
      const [first] = this.#troubled;
      if (!this.#isOver(first!)) this.#troubled.add(first!);
      return false;
    }
    for (const routeId of this.#troubled) {
      if (!routes.some(({ id }) => id === routeId)) continue;
      if (this.#isOver(routeId)) continue;
      this.#troubled.add(routeId);
      return false;
    }
    return true;
  }

  /** Whether all that has befallen a troubled route is over. It is taken from the troubled ones. */
  #isOver(routeId: string): boolean {
    this.#troubled.delete(routeId);
    return this.#routes.get(routeId)?.isOver(this.#clock.monotonic()) ?? true;
  }

  isTroubled(routeId: string): boolean {
    return this.#troubled.has(routeId);
  }

  coolingUntil(routeId: string, projectId?: string): number {
    if (!this.#troubled.has(routeId)) return 0;
    const route = this.#routes.get(routeId);
    if (route === undefined || route.calm) return 0;
    return route.blockedUntil(projectId, this.#clock.monotonic());
  }

  coolingReason(routeId: string, projectId?: string): "cooling_down" | "circuit_open" {
    return this.#routes.get(routeId)?.blockedBy(projectId, this.#clock.monotonic()) ??
      "cooling_down";
  }

  lastResortFrom(routeId: string, projectId?: string): number {
    if (!this.#troubled.has(routeId)) return 0;
    const route = this.#routes.get(routeId);
    if (route === undefined || route.calm) return 0;
    const now = this.#clock.monotonic();
    return route.blockedUntil(projectId, now) === 0 ? 0 : route.probeFrom(projectId, now);
  }

  shutProjects(routeId: string): readonly string[] {
    return this.#routes.get(routeId)?.shutProjects(this.#clock.monotonic()) ?? [];
  }

  coolingFault(routeId: string): OperatorFault | undefined {
    if (!this.#troubled.has(routeId)) return undefined;
    return this.#routes.get(routeId)?.faultAt(this.#clock.monotonic());
  }

  isDown(routeId: string): boolean {
    if (!this.#troubled.has(routeId)) return false;
    return this.#routes.get(routeId)?.isDown(this.#clock.monotonic()) ?? false;
  }

  successRate(routeId: string, projectId?: string, now = this.#clock.monotonic()): number {
    return this.#routes.get(routeId)?.window.successRate(now, projectId) ??
      AttemptWindow.UNKNOWN_SUCCESS_RATE;
  }

  latencyMs(routeId: string, stream: boolean): number | undefined {
    return this.#routes.get(routeId)?.window.latencyMs(this.#clock.monotonic(), stream);
  }

  tokensPerSecond(routeId: string): number | undefined {
    return this.#routes.get(routeId)?.window.tokensPerSecond(this.#clock.monotonic());
  }

  /**
   * Asks to attempt a route now, for a project. `false` means that it has begun to
   * cool down since it was selected, or that another call of the project is probing
   * it: try the next candidate. `true` must be followed by {@linkcode Health.record}
   * exactly once at least, with the same project and whatever happens, because it may
   * have been its one probe of an open circuit.
   */
  beginAttempt(routeId: string, projectId?: string): boolean {
    const route = this.#routes.get(routeId);
    return route === undefined || route.calm ||
      route.enter(projectId, this.#clock.monotonic(), this.#leave(routeId));
  }

  /**
   * The same for a call that has no other route: it may also probe a route that cools
   * down or whose circuit is open, one call of a project at a time and about once a second.
   */
  beginLastResort(routeId: string, projectId?: string): boolean {
    const route = this.#routes.get(routeId);
    return route === undefined || route.calm ||
      route.enterAsLast(projectId, this.#clock.monotonic(), this.#leave(routeId));
  }

  #leave(routeId: string): (() => boolean) | undefined {
    const { mayProbe } = this;
    return mayProbe && (() => mayProbe(routeId));
  }

  /**
   * Says that a stream has begun to answer. A half-open circuit closes then: the
   * probe's own end may be minutes away. Its outcome is still to be recorded, and
   * a bad one opens the circuit again at once.
   */
  answered(routeId: string, attempt: Pick<AttemptSample, "startedAt" | "projectId">): void {
    const route = this.#routes.get(routeId);
    if (route !== undefined && !route.calm) route.answered(attempt, this.#clock.monotonic());
  }

  /**
   * Takes in an outcome: `success` and `broken` are counted, for the project and, where
   * several have failed, for all; `busy` cools the route for the project, and for all once
   * two have met it; `operator` cools it, `doubtful` once two projects have met it; `caller`,
   * `oversized`, `starved` and `aborted` say nothing about it.
   */
  record(routeId: string, sample: AttemptSample): void {
    const { onSample } = this;
    if (onSample === undefined) return this.hear(routeId, sample);
    const wasTroubled = this.isTroubled(routeId);
    this.hear(routeId, sample);
    onSample(routeId, sample, wasTroubled || sample.outcome !== "success");
  }

  /** Takes in an outcome that was recorded elsewhere. */
  hear(routeId: string, sample: AttemptSample): void {
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

  /** Ends the cool-downs for the operator's faults and of busy upstreams: something was mended. */
  forgive(): void {
    for (const route of this.#routes.values()) {
      route.forgiveFault();
      route.forgiveBusy();
    }
  }

  /** Forgets every other route. */
  retain(routeIds: Iterable<string>): void {
    const kept = new Set(routeIds);
    for (const routeId of this.#routes.keys()) {
      if (kept.has(routeId)) continue;
      this.#routes.delete(routeId);
      this.#troubled.delete(routeId);
    }
  }
}
