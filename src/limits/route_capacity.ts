/**
 * The routes' own limits: what their upstreams allow the operator.
 *
 * @module
 */

import type { Route } from "../domain/catalogue.ts";
import type { Clock } from "../domain/clock.ts";
import { Gauge, isLimited } from "./gauge.ts";
import { GaugeBook, type PastCalls } from "./gauge_book.ts";
import { GaugePermit } from "./gauge_permit.ts";
import { type Permit, UNLIMITED_PERMIT } from "./permit.ts";
import type { GaugeCells } from "./shared_gauges.ts";

/** Stands for a route that nobody has used: asking alone makes no gauge. */
const UNUSED = new Gauge(0);

/** Capacity of all routes: a view for selection, and permits for attempts. */
export class RouteCapacity {
  readonly #clock: Clock;
  readonly #book = new GaugeBook();

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  /** How many routes are remembered. */
  get size(): number {
    return this.#book.size;
  }

  /**
   * 0 if the route takes a call of this many tokens now, else whole seconds
   * until it may: 60 where it never will, as the call alone exceeds its limit.
   */
  secondsUntilRoom(
    { id, limits }: Route,
    tokens: number,
    nowMs = this.#clock.monotonic(),
  ): number {
    if (!isLimited(limits)) return 0;
    const second = Math.floor(nowMs / 1000);
    const gauge = this.#book.find(id) ?? UNUSED;
    const placeWait = gauge.placeShortage(limits)?.waitSeconds ?? 0;
    if (gauge.hasRoom(limits, tokens, second)) return placeWait;
    return Math.max(placeWait, gauge.shortage(limits, tokens, nowMs)?.waitSeconds ?? 0);
  }

  /**
   * Takes a share for one call, or `undefined` when another call took the last
   * one since selection: try the next candidate. Every attempt takes its own, as
   * every attempt is a request to the upstream.
   */
  enter({ id, limits }: Route, tokens: number): Permit | undefined {
    if (!isLimited(limits)) return UNLIMITED_PERMIT;
    const second = Math.floor(this.#clock.monotonic() / 1000);
    const gauge = this.#book.open(id, second);
    if (!gauge.hasRoom(limits, tokens, second) || !gauge.enter(limits)) return undefined;
    const permit = new GaugePermit([gauge], [limits]);
    if (permit.count(tokens, second)) return permit;
    permit.release();
    return undefined;
  }

  /** Counts a route where other threads do so too, from now on, with what is counted so far. */
  share(routeId: string, cells: GaugeCells): void {
    this.#book.share(routeId, cells, Math.floor(this.#clock.monotonic() / 1000));
  }

  /** Counts a route where another thread has it shared. */
  adopt(routeId: string, cells: GaugeCells): void {
    this.#book.adopt(routeId, cells, Math.floor(this.#clock.monotonic() / 1000));
  }

  /** Counts calls made before this process began; a route without limits is not counted. */
  restore({ id, limits }: Route, past: PastCalls): void {
    if (!isLimited(limits)) return;
    this.#book.restore(id, past, { clock: this.#clock });
  }
}
