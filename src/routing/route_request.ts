/**
 * What route selection is asked, and what it answers.
 *
 * @module
 */

import type { Capability } from "../domain/capabilities.ts";
import type { Model, Route } from "../domain/catalogue.ts";
import type { VideoWork } from "../domain/call.ts";
import type { AmountE8, RateE8 } from "../domain/money.ts";
import type { Unit } from "../domain/units.ts";
import type { OperatorFault } from "../domain/upstream_error.ts";
import type { RequestFacts, SourceWishes } from "../domain/request_facts.ts";
import type { RouteRefusal } from "../errors.ts";

/** A route that may serve the request. */
export interface Candidate {
  readonly route: Route;
  readonly official: boolean;
  /** Whether its health would keep it out, were there any other: a call may probe it. */
  readonly isLastResort?: true;
  /** Whether it comes before others as the conversation gives back what only it can read. */
  readonly isSticky?: true;
}

/** The decision: candidates in the order they are tried, and why each other route is out. */
export interface Selection {
  readonly candidates: readonly Candidate[];
  readonly rejected: readonly RouteRefusal[];
}

/**
 * What selection knows of a route's recent past. `now` is the monotonic time of
 * the question: who asks about many routes looks at the clock once. `projectId` says
 * who asks, as a route may be shut for one project alone; without it the answer is
 * that of the project which is worst off.
 */
export interface HealthView {
  /** Whether no attempt at any of a model's routes has failed of late; absent: ask about each. */
  isCalmOn?(routes: readonly Route[]): boolean;
  /** Milliseconds on the monotonic clock until which the route is cooling down; 0 if it is not. */
  coolingUntil(routeId: string, projectId?: string): number;
  /** Why: an upstream asked for it (`cooling_down`) or the breaker is open (`circuit_open`). */
  coolingReason(routeId: string, projectId?: string): "cooling_down" | "circuit_open";
  /**
   * Milliseconds on the monotonic clock from which a call that has no other route may
   * try this one although it cools down or its circuit is open; 0 if it is neither.
   */
  lastResortFrom(routeId: string, projectId?: string): number;
  /** Projects that a route is shut for although it is not for others. */
  shutProjects(routeId: string): readonly string[];
  /** What the upstream refuses of the operator's, while the route cools down for that. */
  coolingFault(routeId: string): OperatorFault | undefined;
  /** Whether the last attempts failed, and nobody's has succeeded since. */
  isDown(routeId: string): boolean;
  /** Whether any attempt failed of late; if not, the route is ready and its success rate is high. */
  isTroubled(routeId: string): boolean;
  /**
   * 0..1 over the rolling window, with a prior. For a project it leaves out what one other project
   * alone has failed at; without one it counts everybody's failures.
   */
  successRate(routeId: string, projectId?: string, now?: number): number;
  /** Rolling milliseconds: to the first byte for streams, total otherwise; `undefined` without samples. */
  latencyMs(routeId: string, stream: boolean): number | undefined;
  /**
   * Rolling mean of the tokens per second that streams wrote from their first byte on; `undefined`
   * without samples.
   */
  tokensPerSecond(routeId: string): number | undefined;
}

/** What selection knows of a route's own limits. */
export interface CapacityView {
  /** 0 if the route takes a call of this many tokens now, else seconds until it may. */
  secondsUntilRoom(route: Route, tokens: number, now?: number): number;
  /**
   * Whether each of a model's routes takes a call of this many tokens now; `false` where that is not known
   * without a look at each. Absent: likewise.
   */
  hasRoomOnAll?(routes: readonly Route[], tokens: number, now: number): boolean;
}

/** Everything the decision depends on. */
export interface RouteQuestion {
  readonly model: Model;
  /** Whose request it is; `undefined` where nobody in particular asks. */
  readonly projectId: string | undefined;
  readonly wishes: SourceWishes;
  readonly facts: RequestFacts;
  readonly isOfficial: (providerId: string) => boolean;
  /** Whether a route's upstream speaks a dialect itself; absent: nobody asks. */
  readonly isNative?: (route: Route, dialect: string) => boolean;
  /** Why a route's model does not serve what others of its kind do; absent: nobody asks. */
  readonly capabilityFault?: (route: Route, capability: Capability) => string | undefined;
  /** Why a route's upstream makes no such film; absent: nobody asks. */
  readonly filmFault?: (route: Route, film: VideoWork) => string | undefined;
  /** The route that comes first if it may serve: what the conversation gives back only it can read. */
  readonly sticky?: string | undefined;
  /** By their ids, routes that can serve nothing, and why. */
  readonly unserved: ReadonlyMap<string, Pick<RouteRefusal, "detail" | "reason">>;
  /** Any route of the catalogue, by its id; absent: nobody asks. */
  readonly routeOf?: ((id: string) => Route | undefined) | undefined;
  /** What this request would likely be sold for on a route; `undefined` when unpriced. */
  readonly quote: (route: Route) => AmountE8 | undefined;
  /**
   * The quote as a plain number, unrounded, to weigh the default order by: it
   * spares the hot path its big integers. Without it the quote is used.
   */
  readonly weighPrice?: ((route: Route) => number) | undefined;
  /** What one of a unit (or a million) sells for on a route; absent: nobody asks. */
  readonly rateE8?: (route: Route, unit: Unit) => RateE8;
  readonly health: HealthView;
  readonly capacity: CapacityView;
  /** Monotonic milliseconds. */
  readonly now: number;
  readonly random: () => number;
}
