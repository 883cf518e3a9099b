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
import type { NodeShares } from "./node_shares.ts";
import { type Permit, UNLIMITED_PERMIT } from "./permit.ts";
import type { GaugeCells } from "./shared_gauges.ts";
import { Admitted, type RoomLeft, SureRoom } from "./sure_room.ts";

/** Stands for a route that nobody has used: asking alone makes no gauge. */
const UNUSED = new Gauge(0);

/** Capacity of all routes: a view for selection, and permits for attempts. */
export class RouteCapacity {
  readonly #clock: Clock;
  readonly #book = new GaugeBook();
  /** Where several nodes share the limits. */
  #nodes: NodeShares | undefined;
  readonly #admitted = new Admitted();
  /** By the routes of a model; `undefined` where others count too. */
  #sure: WeakMap<readonly Route[], SureRoom> | undefined = new WeakMap();

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  /** How many routes are remembered. */
  get size(): number {
    return this.#book.size;
  }

  /** Admits by this node's shares of limits from now on. */
  shareAmongNodes(nodes: NodeShares): void {
    this.#nodes = nodes;
    this.#sure = undefined;
  }

  /** Whether several nodes share the limits: threads have none of their shares. */
  get isShared(): boolean {
    return this.#nodes !== undefined;
  }

  /** What a route has taken; `undefined` where that is nothing. */
  gaugeOf(routeId: string): Gauge | undefined {
    return this.#book.find(routeId);
  }

  /**
   * 0 if the route takes a call of this many tokens now, else whole seconds
   * until it may: 60 where it never will, as the call alone exceeds its limit. Where several nodes
   * share its limits, it takes what {@linkcode whenRoom} may get from the others, too.
   */
  secondsUntilRoom(
    { id, limits }: Route,
    tokens: number,
    nowMs = this.#clock.monotonic(),
  ): number {
    if (!isLimited(limits)) return 0;
    const second = Math.floor(nowMs / 1000);
    const gauge = this.#book.find(id) ?? UNUSED;
    const shares = this.#nodes?.of("route", id, limits);
    // What of them is this node's, or free as it was told last.
    const reach = shares?.reach ?? limits;
    const placeWait = gauge.placeShortage(limits, reach)?.waitSeconds ?? 0;
    const hasRoom = gauge.hasRoom(reach, tokens, second);
    if (hasRoom && placeWait === 0) return 0;
    // Nobody waits for what seems to be nowhere: it is asked for with the next beat.
    if (tokens <= (limits.tokensPerMinute ?? Infinity)) shares?.miss(tokens);
    if (hasRoom) return placeWait;
    return Math.max(placeWait, gauge.shortage(limits, tokens, nowMs, reach)?.waitSeconds ?? 0);
  }

  /**
   * Whether each of a model's routes takes a call of this many tokens now; `false` where that is not known
   * without a look at each, as it is where other threads or nodes count too.
   */
  hasRoomOnAll(routes: readonly Route[], tokens: number, nowMs: number): boolean {
    if (this.#sure === undefined) return false;
    let room = this.#sure.get(routes);
    if (room === undefined) this.#sure.set(routes, room = new SureRoom());
    if (room.has(tokens, this.#admitted)) return true;
    const second = Math.floor(nowMs / 1000);
    return !room.isFullIn(second) &&
      room.learn(this.#leftOn(routes, second), tokens, this.#admitted, second);
  }

  #leftOn(routes: readonly Route[], second: number): RoomLeft {
    let [calls, tokens] = [Infinity, Infinity];
    for (const { id, limits } of routes) {
      if (!isLimited(limits)) continue;
      const gauge = this.#book.find(id) ?? UNUSED;
      calls = Math.min(calls, gauge.callsLeft(limits, second));
      tokens = Math.min(tokens, gauge.tokensLeft(limits, second));
    }
    return { calls, tokens };
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
    const held = this.#nodes?.of("route", id, limits).held ?? limits;
    if (!gauge.hasRoom(held, tokens, second) || !gauge.enter(held)) return undefined;
    const permit = new GaugePermit([gauge], [held], this.#admitted);
    if (permit.count(tokens, second)) return permit;
    permit.release();
    return undefined;
  }

  /**
   * As {@linkcode enter}, for who can wait for a moment where several nodes share a limit and the others
   * may have some of it left.
   */
  async whenRoom(route: Route, tokens: number): Promise<Permit | undefined> {
    const { id, limits } = route;
    if (this.#nodes === undefined || this.secondsUntilRoom(route, tokens) > 0) return undefined;
    const shares = this.#nodes.of("route", id, limits);
    let permit: Permit | undefined;
    await this.#nodes.whenRoom(
      [
        { shares, kind: "requests", amount: 1 },
        { shares, kind: "tokens", amount: tokens },
        { shares, kind: "concurrent", amount: 1 },
      ],
      () => (permit = this.enter(route, tokens)) !== undefined,
    );
    return permit;
  }

  /** Counts a route where other threads do so too, from now on, with what is counted so far. */
  share(routeId: string, cells: GaugeCells): void {
    this.#sure = undefined;
    this.#book.share(routeId, cells, Math.floor(this.#clock.monotonic() / 1000));
  }

  /** Counts a route where another thread has it shared. */
  adopt(routeId: string, cells: GaugeCells): void {
    this.#sure = undefined;
    this.#book.adopt(routeId, cells, Math.floor(this.#clock.monotonic() / 1000));
  }

  /** Counts calls made before this process began; a route without limits is not counted. */
  restore({ id, limits }: Route, past: PastCalls): void {
    if (!isLimited(limits)) return;
    this.#sure &&= new WeakMap();
    this.#book.restore(id, past, { clock: this.#clock });
  }
}
