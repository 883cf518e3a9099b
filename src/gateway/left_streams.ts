/**
 * Streams whose callers have left in mid-answer: how long each is read on, so that the
 * upstream's counts are known. To leave a token early makes nothing free that only the
 * upstream can count, such as thoughts that nobody is shown.
 *
 * @module
 */

import type { Route } from "../domain/catalogue.ts";
import type { CountingHabits } from "../metering/counting_habits.ts";
import { DEFAULT_OUTPUT_CAP } from "../pricing/output_cap.ts";
import type { AnswerEvent, AnswerStream } from "../dialects/base/answer.ts";
import type { MeteredCall } from "./metered_call.ts";
import { LIKELY_TOKENS_PER_SECOND } from "./metered_call.ts";
import { pricesThoughts, toldToThink } from "./thinking.ts";

/** For how long, and for how much of an answer that nobody reads. */
interface Patience {
  readonly ms: number;
  readonly bytes: number;
}

/** For any stream: the end of most answers. */
const SHORT: Patience = { ms: 1_000, bytes: 256 * 1024 };
/** For one that may have taken thoughts: they are spent, whatever of the answer is still to come. */
const LONG: Patience = { ms: 30_000, bytes: 4 * 1024 * 1024 };
/** Streams that are read on for long, at a time: of one project, and of all. */
const MOST_OF_PROJECT = 4;
const MOST = 64;
/** Of the calls that a route may have at a time, they are no more than this part. */
const SHARE_OF_ROUTE = 1 / 4;
/** From a route that nobody knows yet, a first word this late may have had thoughts before it. */
const LATE_SECONDS = 3;
/** What an event takes besides its text, about. */
const EVENT_BYTES = 200;

/** A stream whose caller has left. */
export interface LeftStream {
  readonly stream: AnswerStream;
  /** A read that was under way when the caller left: it is not lost. */
  readonly reading: Promise<readonly AnswerEvent[] | undefined> | undefined;
  /** Tokens that the answer may have over all choices; `undefined` for no limit. */
  readonly mostTokens: number | undefined;
}

/** What is needed. */
export interface LeftStreamsDeps {
  /** Waits; resolves early when the signal fires. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly habits: CountingHabits;
}

export class LeftStreams {
  readonly #deps: LeftStreamsDeps;
  readonly #ofProject = new Map<string, number>();
  readonly #ofRoute = new Map<string, number>();
  #all = 0;
  /** How to end each wait for long. No signal that outlives them is joined to theirs: it would keep them all. */
  readonly #waits = new Set<AbortController>();
  /** Whether the gateway stops: nobody is waited for long any more. */
  #isStopped = false;

  constructor(deps: LeftStreamsDeps) {
    this.#deps = deps;
  }

  /** How many are read on for long. */
  get size(): number {
    return this.#all;
  }

  /** Ends all long reading, now and from now on. */
  stop(): void {
    this.#isStopped = true;
    for (const wait of this.#waits) wait.abort();
  }

  /**
   * Reads a stream on until its counts are in, or for as long as it is worth it. Where none
   * come from a model that thinks, its thoughts are estimated by the time that it took to begin.
   */
  async read(call: MeteredCall, left: LeftStream): Promise<void> {
    const { meter, route, request: { body, caller } } = call;
    const told = toldToThink(body, route);
    const { habits } = this.#deps;
    const habit = habits.of(route.id);
    const thinks = told ?? (habit === "thinks" || pricesThoughts(route));
    const mayThink = thinks ||
      (told === undefined && habit === undefined && call.waitedSeconds >= LATE_SECONDS);
    const leave = mayThink && habit !== "silent"
      ? this.#enter(caller.project.id, route)
      : undefined;
    try {
      const isOver = await this.#readFor(leave === undefined ? SHORT : LONG, call, left);
      if (isOver && !meter.hasReport && habit === undefined) habits.note(route.id, "silent");
    } finally {
      leave?.();
    }
    if (thinks && !meter.hasReport) {
      const seconds = Math.floor(call.waitedSeconds * LIKELY_TOKENS_PER_SECOND);
      meter.thoughtUnseen(seconds, left.mostTokens ?? DEFAULT_OUTPUT_CAP);
    }
  }

  /** @returns Whether the stream has come to its end. */
  async #readFor(patience: Patience, call: MeteredCall, left: LeftStream): Promise<boolean> {
    const wait = new AbortController();
    if (patience === LONG) this.#waits.add(wait);
    const isOver = await Promise.race([
      readUsage(call, left, patience.bytes),
      this.#deps.delay(patience.ms, wait.signal),
    ]);
    this.#waits.delete(wait);
    wait.abort();
    return isOver === true;
  }

  /** Takes a place among those that are read on for long, if there is one; gives how to give it back. */
  #enter(projectId: string, { id, limits }: Route): (() => void) | undefined {
    const ofProject = this.#ofProject.get(projectId) ?? 0;
    const ofRoute = this.#ofRoute.get(id) ?? 0;
    const mostOfRoute = (limits.concurrent ?? Infinity) * SHARE_OF_ROUTE;
    if (this.#isStopped || this.#all >= MOST) return undefined;
    if (ofProject >= MOST_OF_PROJECT || ofRoute + 1 > mostOfRoute) return undefined;
    this.#add(projectId, id, 1);
    return () => this.#add(projectId, id, -1);
  }

  #add(projectId: string, routeId: string, count: 1 | -1): void {
    this.#all += count;
    for (const [counts, id] of [[this.#ofProject, projectId], [this.#ofRoute, routeId]] as const) {
      const now = (counts.get(id) ?? 0) + count;
      if (now === 0) counts.delete(id);
      else counts.set(id, now);
    }
  }
}

/** @returns Whether the stream has come to its end. */
async function readUsage(
  { meter }: MeteredCall,
  { stream, reading }: LeftStream,
  mostBytes: number,
): Promise<boolean> {
  try {
    let next = reading;
    for (let bytes = 0; bytes < mostBytes;) {
      const events = await (next ?? stream.next());
      next = undefined;
      if (events === undefined) return true;
      for (const { usage, terms, text } of events) {
        meter.report(usage, terms);
        bytes += EVENT_BYTES + text.length;
      }
      if (meter.isReportWhole) return false;
    }
  } catch {
    // The stream broke, after its caller left: nobody is to be told, and what was delivered is billed.
  }
  return false;
}
