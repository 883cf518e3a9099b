/**
 * A call of the usual kind by callbacks: asked of its first route on a connection that is idle, answered
 * with what comes, settled. Nothing is awaited, so that hundreds of calls that wait for their upstreams
 * leave little for the collector to keep.
 *
 * The rules are the engine's own, called one by one; whatever does not go as it mostly does is handed
 * over to the engine in the middle, which goes on by promises from where the call is.
 *
 * @module
 */

import { type AnswerEvent, brokenStream } from "../dialects/base/answer.ts";
import type { Roster } from "../domain/brief_map.ts";
import type { ClosedCall } from "../domain/call.ts";
import type { Route } from "../domain/catalogue.ts";
import type { JsonObject } from "../domain/json_value.ts";
import type { TextParts } from "../domain/text_parts.ts";
import { UpstreamError } from "../domain/upstream_error.ts";
import type { Plan } from "../planning/plan_call.ts";
import type {
  BegunCall,
  BegunListener,
  Conversation,
  ProviderCall,
} from "../providers/contract/provider.ts";
import {
  type AttemptLoopDeps,
  type BegunAttempt,
  enterRoute,
  noteAnswer,
  type Served,
} from "./attempt_loop.ts";
import { metAgain, orElse, type QuickCaller } from "./quick_caller.ts";
import { type MeteredCall, toldAnswer } from "./metered_call.ts";
import { hasOutput, MOST_HELD_EVENTS } from "./open_stream.ts";
import { StreamFrames } from "./stream_frames.ts";
import {
  asGatewayError,
  isHeldBack,
  KEEP_ALIVE,
  type OpenStream,
  type RelayOptions,
  relayStream,
  tellDefect,
} from "./stream_relay.ts";

/** What the engine does for a call that goes on by callbacks. */
export interface QuickEngine {
  readonly deps: AttemptLoopDeps;
  /** Streams under way. */
  readonly open: Roster<OpenStream>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** What a provider is asked on a route. */
  providerCall(call: MeteredCall, plan: Plan, route: Route): ProviderCall;
  /** How a stream is relayed, whoever does it. */
  relayOptions(call: MeteredCall, plan: Plan): RelayOptions;
  noteSeal(call: MeteredCall, seal: string | undefined): void;
  /** Ends a call by a defect; rejects with what its caller is told. */
  fail(call: MeteredCall, error: unknown): Promise<never>;
  /** Goes on by promises, where nothing was told yet: awaits the attempt that was begun, and makes others. */
  goOn(
    call: MeteredCall,
    plan: Plan,
    attempt: BegunAttempt | undefined,
    begun: BegunCall | undefined,
  ): Promise<unknown>;
}

export class QuickCall implements BegunListener, OpenStream {
  place = -1;
  readonly #engine: QuickEngine;
  readonly #call: MeteredCall;
  readonly #caller: QuickCaller;
  /** Let go of once a stream has begun, as it has all routes that were weighed. */
  #plan: Plan | undefined;
  #attempt: BegunAttempt | undefined;
  #begun: BegunCall | undefined;
  #ended: Served<unknown>["ended"] | undefined;
  /** Whether it is the engine's from now on, or is being settled. */
  #isLeft = false;
  /** Events before the first output. */
  #first: AnswerEvent[] = [];
  #options: RelayOptions | undefined;
  #frames: StreamFrames | undefined;
  #openedAt = 0;
  #lastSentAt = 0;
  #heldBackMs = 0;
  #isSending = false;
  /** Whether more was asked for, and is not there yet. */
  #isWaiting = false;
  /** Whether more has come while a part was sent. */
  #hasMore = false;
  /** What follows once the part is sent that is being sent. */
  #next: (() => void) | undefined;

  constructor(
    engine: QuickEngine,
    { call, plan, caller }: {
      readonly call: MeteredCall;
      readonly plan: Plan;
      readonly caller: QuickCaller;
    },
  ) {
    this.#engine = engine;
    this.#call = call;
    this.#plan = plan;
    this.#caller = caller;
  }

  /** Makes the first attempt, or leaves it to the engine. */
  ask(conversation: Conversation): void {
    this.#do(() => this.#ask(conversation));
  }

  #ask(conversation: Conversation): void {
    const { deps, providerCall } = this.#engine;
    const plan = this.#plan!;
    const call = this.#call;
    const candidate = plan.selection.candidates[0]!;
    const { worstCaseE8, quoteE8 } = plan;
    if (enterRoute(deps, { call, worstCaseE8, quoteE8 }, candidate) !== undefined) {
      return this.#handOver();
    }
    deps.retryBudget.earn();
    const provider = deps.registry.provider(candidate.route.providerId);
    this.#attempt = { candidate, provider, startedAt: deps.clock.monotonic() };
    try {
      this.#begun = conversation.begin!(providerCall(call, plan, candidate.route), {
        stream: call.facts.stream,
        listener: this,
      });
    } catch (error) {
      // No key, or a header that cannot go on the wire: the engine asks again, and tells of it.
      if (!(error instanceof UpstreamError || error instanceof TypeError)) throw error;
    }
    if (this.#begun === undefined) this.#handOver();
  }

  onBytes(): void {
    this.#isWaiting = false;
    if (this.#isLeft) return;
    this.#do(() => {
      if (!this.#call.facts.stream) this.#answer();
      else if (this.#isSending) this.#hasMore = true;
      else if (this.#frames === undefined) this.#open();
      else this.#relay();
    });
  }

  onTrouble(): void {
    if (this.#isLeft) return;
    this.#do(() => {
      if (this.#frames === undefined) this.#handOver();
      else this.#afterSending(() => this.#handOverStream());
    });
  }

  /** The caller has left, of which its request's signal tells. */
  left(): void {
    if (this.#isLeft) return;
    this.#do(() => {
      if (this.#frames === undefined) return this.#handOver();
      this.#isLeft = true;
      this.#readOn();
    });
  }

  /** The caller has been sent the part that it was given last. */
  sent(): void {
    this.#isSending = false;
    this.#heldBackMs += this.#engine.now() - this.#lastSentAt;
    const next = this.#next;
    this.#next = undefined;
    if (next !== undefined) this.#do(next);
    else if (!this.#isLeft) this.#do(() => this.#hasMore ? this.#relay() : this.#goOn());
  }

  /** Nobody awaits a step: a defect of one ends the call as a defect of any other call does. */
  #do(step: () => void): void {
    try {
      step();
    } catch (error) {
      if (this.#isLeft) tellDefect(error);
      else this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#isLeft = true;
    if (this.#frames === undefined) {
      this.#begun?.cancel();
      this.#noteFailure();
      this.#caller.handOver(this.#engine.fail(this.#call, error));
      return;
    }
    this.#handOverRest(this.#readOn({ error }));
  }

  keepAlive(before: number): void {
    if (this.#isSending || this.#lastSentAt >= before) return;
    this.#do(() => this.#send(this.#options!.writer.keepAlive ?? KEEP_ALIVE));
  }

  stop(): void {
    this.#isLeft = true;
    this.#do(() => {
      const rest = this.#readOn();
      rest.stop();
      this.#handOverRest(rest);
    });
  }

  /** The whole answer, if it is there. */
  #answer(): void {
    const answer = this.#begun!.answerNow();
    if (answer === undefined) return;
    const call = this.#call;
    call.meter.report(answer.usage, answer.terms);
    this.#engine.noteSeal(call, answer.seal);
    if (!call.meter.hasReport) call.meter.wrote(answer.text());
    const reported = answer.body.usage as JsonObject | undefined;
    const textOf = (closed: ClosedCall) =>
      JSON.stringify(toldAnswer(call, answer.body, { closed, reported }));
    this.#begun!.served();
    this.#noteAnswer()("success");
    // From here on it is the close that tells what goes wrong.
    this.#isLeft = true;
    let text: string | undefined;
    const failed = (error: unknown) => this.#caller.handOver(Promise.reject(error));
    call.closeThen(COMPLETED, (meter) => meter.complete(), {
      decided: (closed) => orElse(() => this.#caller.prepare(text = textOf(closed)), metAgain),
      done: (closed) => orElse(() => this.#caller.answer(text ?? textOf(closed)), failed),
      failed,
    });
  }

  /** Of an attempt that a defect has ended: its route may have been probed by it. */
  #noteFailure(): void {
    const { deps } = this.#engine;
    const projectId = this.#call.request.caller.project.id;
    if (this.#ended !== undefined) this.#ended("broken");
    else if (this.#attempt !== undefined) {
      const { candidate: { route }, startedAt } = this.#attempt;
      deps.health.record(route.id, { startedAt, projectId, outcome: "broken" });
    }
  }

  #noteAnswer(): Served<unknown>["ended"] {
    const { candidate: { route }, startedAt } = this.#attempt!;
    return noteAnswer(this.#engine.deps, this.#call, { route, startedAt });
  }

  /** Holds events back until one is output, as `openStream` does. */
  #open(): void {
    const begun = this.#begun!;
    if (this.#first.length === 0) begun.served();
    const events = begun.eventsNow();
    if (events !== undefined) this.#first.push(...events);
    if (begun.isOdd) return this.#handOver();
    const first = this.#first;
    const isOpen = first.some(hasOutput) || first.length >= MOST_HELD_EVENTS ||
      (begun.isDone && first.length > 0);
    if (!isOpen) {
      if (begun.isDone) this.#handOver();
      else this.#wait(first.length > 0);
      return;
    }
    this.#first = [];
    this.#begin(first);
  }

  #begin(first: readonly AnswerEvent[]): void {
    const { open, now, relayOptions } = this.#engine;
    const call = this.#call;
    this.#ended = this.#noteAnswer();
    const options = this.#options = relayOptions(call, this.#plan!);
    this.#plan = undefined;
    const { writer, mostTokens, onSeal } = options;
    this.#frames = new StreamFrames({ writer, meter: call.meter, mostTokens, onSeal });
    this.#openedAt = this.#lastSentAt = now();
    open.add(this);
    this.#caller.begin(call.route.providerId, call.route.id);
    this.#tell(first);
  }

  /** What has come of a stream that has begun. */
  #relay(): void {
    this.#hasMore = false;
    const events = this.#begun!.eventsNow();
    if (events === undefined) this.#goOn();
    else this.#tell(events);
  }

  #tell(events: readonly AnswerEvent[]): void {
    const frames = this.#frames!;
    const text = frames.add(events);
    if (text !== "") this.#send(text);
    if (frames.isTooLong) this.#afterSending(() => this.#handOverStream(true));
    else if (text === "") this.#goOn();
  }

  #goOn(): void {
    const begun = this.#begun!;
    if (begun.isOdd) this.#handOverStream();
    else if (begun.isDone) this.#finish();
    else this.#wait(true);
  }

  #wait(hasBegun: boolean): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#begun!.more(hasBegun);
  }

  #send(text: string, isLast = false): void {
    this.#isSending = true;
    this.#lastSentAt = this.#engine.now();
    this.#caller.part(text, isLast);
  }

  #afterSending(next: () => void): void {
    if (this.#isSending) this.#next ??= next;
    else next();
  }

  /** In the place of whatever was to follow the part that is being sent. */
  #handOverRest(rest: TextParts): void {
    this.#next = undefined;
    this.#afterSending(() => this.#caller.handOverParts(rest));
  }

  /** The tail, once the call is settled on disk. */
  #finish(): void {
    const { now, open } = this.#engine;
    const call = this.#call;
    open.delete(this);
    const isHeld = isHeldBack(this.#heldBackMs, now() - this.#openedAt);
    this.#ended!("success", isHeld ? undefined : call.meter.seenTokens);
    this.#isLeft = true;
    const { writer } = this.#options!;
    const tailOf = (closed: ClosedCall) =>
      writer.tail(call.describe(closed, this.#frames!.usageBody));
    let tail: string | undefined;
    const failed = (error: unknown) => {
      tellDefect(error);
      this.#send(writer.errorFrame(asGatewayError(error)), true);
    };
    call.closeThen(COMPLETED, (meter) => meter.complete(), {
      decided: (closed) => orElse(() => tail = tailOf(closed), metAgain),
      done: (closed) => orElse(() => this.#send(tail ?? tailOf(closed), true), failed),
      failed,
    });
  }

  /** Before anything was told: the engine awaits the attempt, if there is one, and makes others. */
  #handOver(): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.#begun?.putBack(this.#first);
    this.#call.watchCaller();
    const { goOn } = this.#engine;
    this.#caller.handOver(goOn(this.#call, this.#plan!, this.#attempt, this.#begun));
  }

  #handOverStream(isTooLong = false): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.#caller.handOverParts(this.#readOn({ isTooLong }));
  }

  /**
   * The rest of the stream by promises, whose caller may have left already.
   *
   * @param failed What is wrong with it; absent: nothing is.
   */
  #readOn(
    { isTooLong = false, ...failed }: { readonly isTooLong?: boolean; readonly error?: unknown } =
      {},
  ): TextParts & OpenStream {
    const call = this.#call;
    this.#engine.open.delete(this);
    const read = this.#begun!.readOn(call.upstreamSignal);
    const stream = "error" in failed ? brokenStream(read, failed.error) : read;
    const served = { answer: { stream, first: undefined }, ended: this.#ended! };
    const rest = relayStream(call, served, {
      ...this.#options!,
      soFar: {
        frames: this.#frames!,
        openedAt: this.#openedAt,
        heldBackMs: this.#heldBackMs,
        isTooLong,
      },
    });
    call.watchCaller();
    return rest;
  }
}

const COMPLETED = { result: "completed", billable: true, status: 200 } as const;
