/**
 * What one limited subject (a project, a key, a route) has used of its limits.
 *
 * @module
 */

import type { Limits } from "../domain/catalogue.ts";
import type { GaugeCells } from "./shared_gauges.ts";
import { OwnPlaces, SlidingWindow } from "./sliding_window.ts";
import { type Places, type Window, WINDOW_SECONDS } from "./window.ts";

/** A limit on calls that are admitted. */
export type LimitName = "requests_per_minute" | "tokens_per_minute" | "concurrent";

/** One limit without room, and when it will have some. */
export interface Shortage {
  readonly limit: LimitName;
  readonly max: number;
  /** Seconds until there is room, above 0; 60 when there will never be, as one call asks for more than the limit. */
  readonly waitSeconds: number;
}

/** What counts against each limit. */
export interface Used {
  readonly requests: number;
  readonly tokens: number;
  readonly concurrent: number;
}

/** When a running call ends, nobody knows: ask again in this many seconds. */
const UNKNOWN_WAIT_SECONDS = 1;

/** Whether any limit on admission is set. */
export function isLimited(limits: Limits): boolean {
  return limits.requestsPerMinute !== undefined || limits.tokensPerMinute !== undefined ||
    limits.concurrent !== undefined;
}

/**
 * Counters of one subject. Limits are given with each question, as they may
 * change; everything is counted whichever of them is set, so that a limit that
 * comes later finds true counts.
 */
export class Gauge {
  #requests: Window;
  #tokens: Window;
  #places: Places;
  #isShared = false;
  /** The last second in which anyone asked for this gauge or counted on it. */
  #lastUsed: number;

  constructor(second: number) {
    this.#requests = new SlidingWindow(second);
    this.#tokens = new SlidingWindow(second);
    this.#places = new OwnPlaces();
    this.#lastUsed = second;
  }

  /** Counts where other threads do so too, from now on. */
  share({ requests, tokens, places }: GaugeCells): void {
    this.#requests = requests;
    this.#tokens = tokens;
    this.#places = places;
    this.#isShared = true;
  }

  /** Puts what is counted so far where it will be shared; nobody counts there yet. */
  copyTo({ requests, tokens, places }: GaugeCells): void {
    for (const [second, amount] of this.#requests.seconds()) requests.add(second, amount);
    for (const [second, amount] of this.#tokens.seconds()) tokens.add(second, amount);
    for (let place = 0; place < this.#places.taken; place++) places.take(Infinity);
  }

  /** How many more calls its limits leave room for, whatever tokens they have. */
  callsLeft({ requestsPerMinute, concurrent }: Limits, second: number): number {
    return Math.min(
      requestsPerMinute === undefined ? Infinity : requestsPerMinute - this.#requests.sum(second),
      concurrent === undefined ? Infinity : concurrent - this.#places.taken,
    );
  }

  /** How many more tokens. */
  tokensLeft({ tokensPerMinute }: Limits, second: number): number {
    return tokensPerMinute === undefined ? Infinity : tokensPerMinute - this.#tokens.sum(second);
  }

  /** Keeps the gauge from being idle for another minute. */
  touch(second: number): void {
    this.#lastUsed = second;
  }

  /** Whether nothing is left to remember: no call runs and the windows are empty. */
  isIdle(second: number): boolean {
    return !this.#isShared && this.#places.taken === 0 && second - this.#lastUsed >= WINDOW_SECONDS;
  }

  /** What counts now against each limit, whether that is set or not. */
  used(second: number): Used {
    return {
      requests: this.#requests.sum(second),
      tokens: this.#tokens.sum(second),
      concurrent: this.#places.taken,
    };
  }

  /** Of what counts per minute, what was counted in the last so many seconds, this one among them. */
  usedLately(second: number, seconds: number): Pick<Used, "requests" | "tokens"> {
    const since = second - seconds;
    return { requests: sumAfter(this.#requests, since), tokens: sumAfter(this.#tokens, since) };
  }

  /** Whether one more may run at the same time. */
  hasPlace({ concurrent }: Limits): boolean {
    return concurrent === undefined || this.#places.taken < concurrent;
  }

  /** Whether the limits per minute have room for one more request. */
  hasRoom(limits: Limits, tokens: number, second: number): boolean {
    const { requestsPerMinute, tokensPerMinute } = limits;
    return (requestsPerMinute === undefined ||
      this.#requests.hasRoom(second, 1, requestsPerMinute)) &&
      (tokensPerMinute === undefined || this.#tokens.hasRoom(second, tokens, tokensPerMinute));
  }

  /** The limit on what runs at the same time, where it leaves no place. */
  placeShortage(limits: Limits, held: Limits = limits): Shortage | undefined {
    if (this.hasPlace(held)) return undefined;
    return {
      limit: "concurrent",
      max: limits.concurrent!,
      waitSeconds: UNKNOWN_WAIT_SECONDS,
    };
  }

  /**
   * The limit per minute that has room last, or `undefined` when all have room now.
   *
   * @param held What of the limits is this node's, where several share them.
   */
  shortage(
    limits: Limits,
    tokens: number,
    nowMs: number,
    held: Limits = limits,
  ): Shortage | undefined {
    const { requestsPerMinute, tokensPerMinute } = limits;
    let worst: Shortage | undefined;
    const consider = (limit: LimitName, max: number, waitSeconds: number) => {
      if (waitSeconds > (worst?.waitSeconds ?? 0)) worst = { limit, max, waitSeconds };
    };
    if (requestsPerMinute !== undefined) {
      const wait = secondsUntilRoom(this.#requests, {
        ...{ amount: 1, most: requestsPerMinute, held: held.requestsPerMinute!, nowMs },
      });
      consider("requests_per_minute", requestsPerMinute, wait);
    }
    if (tokensPerMinute !== undefined) {
      const wait = secondsUntilRoom(this.#tokens, {
        ...{ amount: tokens, most: tokensPerMinute, held: held.tokensPerMinute!, nowMs },
      });
      consider("tokens_per_minute", tokensPerMinute, wait);
    }
    return worst;
  }

  /** Takes a place among those that run, where there is one; says whether. */
  enter({ concurrent = Infinity }: Limits): boolean {
    return this.#places.take(concurrent);
  }

  /** Counts a call where the limits per minute have room for it; says whether. */
  count(
    { requestsPerMinute = Infinity, tokensPerMinute = Infinity }: Limits,
    tokens: number,
    second: number,
  ): boolean {
    if (!this.#requests.take(second, 1, requestsPerMinute)) return false;
    if (this.#tokens.take(second, tokens, tokensPerMinute)) return true;
    this.giveBackRequest(second);
    return false;
  }

  /** Counts calls of a second gone by, which run no more. */
  restore(
    { requests, tokens }: { readonly requests: number; readonly tokens: number },
    second: number,
  ): void {
    this.#requests.add(second, requests);
    this.#tokens.add(second, tokens);
  }

  /** Adds tokens (or takes some away) in the second where they were reserved. */
  adjust(difference: number, second: number): void {
    this.#tokens.add(second, difference);
  }

  leave(): void {
    this.#places.leave();
  }

  /** Takes one request out of the second where it was counted. */
  giveBackRequest(second: number): void {
    this.#requests.add(second, -1);
  }

  /**
   * What is left of each limit that is set, and when it is whole again.
   *
   * @param reach What of the limits this node has or may get, where several share them.
   */
  remaining(limits: Limits, nowMs: number, reach: Limits = limits): Remaining {
    const second = Math.floor(nowMs / 1000);
    const { concurrent, requestsPerMinute, tokensPerMinute } = limits;
    return {
      requests: requestsPerMinute === undefined ? undefined : {
        limit: requestsPerMinute,
        remaining: Math.max(0, reach.requestsPerMinute! - this.#requests.sum(second)),
        resetMs: msUntilRoom(this.#requests, 0, nowMs),
      },
      tokens: tokensPerMinute === undefined ? undefined : {
        limit: tokensPerMinute,
        remaining: Math.max(0, reach.tokensPerMinute! - this.#tokens.sum(second)),
        resetMs: msUntilRoom(this.#tokens, 0, nowMs),
      },
      concurrent: concurrent === undefined ? undefined : {
        limit: concurrent,
        remaining: Math.max(0, reach.concurrent! - this.#places.taken),
      },
    };
  }
}

/** What is left of one limit per minute. */
export interface RemainingRate {
  readonly limit: number;
  readonly remaining: number;
  /** Whole milliseconds until nothing of it is used, if no further call comes. */
  readonly resetMs: number;
}

/** What is left of a subject's limits; `undefined` where none is set. */
export interface Remaining {
  readonly requests: RemainingRate | undefined;
  readonly tokens: RemainingRate | undefined;
  readonly concurrent: { readonly limit: number; readonly remaining: number } | undefined;
}

function sumAfter(window: Window, second: number): number {
  let sum = 0;
  for (const [counted, amount] of window.seconds()) if (counted > second) sum += amount;
  return sum;
}

/** What there is to be room for. */
interface RoomQuestion {
  readonly amount: number;
  readonly most: number;
  /** Of that, this node's. */
  readonly held: number;
  readonly nowMs: number;
}

/** Whole seconds, rounded up, until a window has room for an amount; 0 if it has now. */
function secondsUntilRoom(window: Window, { amount, most, held, nowMs }: RoomQuestion): number {
  if (amount > most) return WINDOW_SECONDS;
  // What other nodes use of it, and until when, nobody here knows.
  if (amount > held) return UNKNOWN_WAIT_SECONDS;
  return Math.ceil(msUntilRoom(window, held - amount, nowMs) / 1000);
}

/** Whole milliseconds, rounded up, until a window holds at most `most`; 0 if it does now. */
function msUntilRoom(window: Window, most: number, nowMs: number): number {
  const second = Math.floor(nowMs / 1000);
  const free = window.secondWithAtMost(most, second);
  return free === second ? 0 : Math.ceil(free * 1000 - nowMs);
}
