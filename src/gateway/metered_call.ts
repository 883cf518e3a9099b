/**
 * One admitted call: its hold, its permits and its meter, closed exactly once
 * whatever happens. Everything that ends a call goes through here.
 *
 * @module
 */

import type { CallOutcome, Closing, KeptAnswer } from "../accounts/close_call.ts";
import type { CallLedger } from "../accounts/call_ledger.ts";
import type { Hold } from "../accounts/ledger.ts";
import type { CallResult, ClosedCall, FailedAttempt } from "../domain/call.ts";
import type { Route } from "../domain/catalogue.ts";
import type { Clock } from "../domain/clock.ts";
import { likelyOutputTokens } from "../domain/likely_output.ts";
import { formatAmount } from "../domain/money.ts";
import { soldE8 } from "../domain/spending.ts";
import type { PricingView } from "../domain/price.ts";
import { completionTokens, promptTokens, type Work } from "../domain/work.ts";
import { GatewayError } from "../errors.ts";
import type { Permit } from "../limits/permit.ts";
import type { CallRecord } from "../metering/call_record.ts";
import type { CallTrace, TraceCall } from "../metering/call_trace.ts";
import type { CountingHabits } from "../metering/counting_habits.ts";
import { type MeteredUsage, NOTHING_USED, type UsageMeter } from "../metering/usage_meter.ts";
import type { JsonObject } from "../domain/json_value.ts";
import type { UpstreamError } from "../domain/upstream_error.ts";
import type { RequestFacts } from "../domain/request_facts.ts";
import type { AnswerFacts } from "../dialects/base/answer.ts";
import type { Dialect } from "../dialects/base/dialect.ts";
import type { CallRequest } from "./call_request.ts";
import { priceCall } from "./price_call.ts";
import { toldToThink } from "./thinking.ts";

/** How a call ends for its caller. */
export interface CallEnding {
  readonly result: CallResult;
  /** Whether the project pays for the usage. */
  readonly billable: boolean;
  /** HTTP status the caller saw. */
  readonly status: number;
  readonly errorCode?: string;
}

/** What a metered call needs of the engine. */
export interface MeteredCallDeps {
  readonly ledger: CallLedger;
  readonly clock: Clock;
  readonly currency: string;
  readonly onCall: (record: CallRecord) => void;
  /** Absent: calls are not traced. */
  readonly traceCall?: TraceCall | undefined;
  readonly habits: CountingHabits;
  /** Told when the call is over, also when it could not be written. */
  readonly onEnded: () => void;
}

/** What of the answer is stored with the call's end. */
type KeepAnswer = (closed: ClosedCall) => KeptAnswer;

/** The end of a call whose own end threw. */
const DEFECT = { result: "upstream_failed", billable: false, errorCode: "internal_error" } as const;

/** What a model is taken to have written in a time of which a caller that left has seen nothing. */
export const LIKELY_TOKENS_PER_SECOND = 50;

export class MeteredCall {
  readonly request: CallRequest;
  readonly facts: RequestFacts;
  readonly meter: UsageMeter;
  readonly #dialect: Dialect;
  readonly #deps: MeteredCallDeps;
  readonly hold: Hold;
  readonly #trace: CallTrace | undefined;
  #routePermit: Permit | undefined;
  #route: Route;
  #attempts = 0;
  failedAttempts: readonly FailedAttempt[] | undefined;
  /** When the upstream was asked that works for the call now, monotonic milliseconds. */
  #askedAt: number | undefined;
  /** Whether the tokens that were reserved stay counted as they are: nobody knows better. */
  #keepsReserve = false;
  #firstByteMs: number | undefined;
  #waitedSeconds = 0;
  #closing: Promise<ClosedCall> | undefined;
  #isOver = false;
  /** Made when it is first asked for: calls that go on by callbacks need none. */
  #upstream: AbortController | undefined;
  #whenCallerLeaves = (): unknown => this.#controller.abort();

  constructor(deps: MeteredCallDeps, parts: {
    request: CallRequest;
    dialect: Dialect;
    facts: RequestFacts;
    meter: UsageMeter;
    hold: Hold;
    route: Route;
    /** `false`: somebody else notices when the caller leaves, until {@linkcode MeteredCall.watchCaller}. */
    isWatched?: boolean;
  }) {
    this.#deps = deps;
    this.request = parts.request;
    this.#dialect = parts.dialect;
    this.facts = parts.facts;
    this.meter = parts.meter;
    this.hold = parts.hold;
    this.#route = parts.route;
    parts.request.note.isCall = true;
    parts.request.note.hasBegun = true;
    if (parts.isWatched !== false) this.watchCaller();
    this.#trace = deps.traceCall?.({
      note: this.request.note,
      capability: this.facts.capability,
      requestId: this.request.identity.requestId,
      projectId: this.request.caller.project.id,
      arrivedAt: this.request.arrivedAt,
      upstreamSignal: this.upstreamSignal,
    });
  }

  /** Notices from now on when the caller leaves, or has left. */
  watchCaller(): void {
    const { signal } = this.request;
    signal.addEventListener("abort", () => this.#whenCallerLeaves(), { once: true });
    if (signal.aborted) this.#whenCallerLeaves();
  }

  /** Closes upstream connections: fires when the caller leaves, unless {@linkcode whenCallerLeaves} says otherwise. */
  get upstreamSignal(): AbortSignal {
    return this.#controller.signal;
  }

  get #controller(): AbortController {
    return this.#upstream ??= new AbortController();
  }

  /** Puts something else in charge of the caller's leaving, once an answer has begun. */
  whenCallerLeaves(handler: () => unknown): void {
    if (this.#upstream?.signal.aborted === true) handler();
    else this.#whenCallerLeaves = handler;
  }

  /** The route being tried, or the one that served. */
  get route(): Route {
    return this.#route;
  }

  /** Notes that an attempt on a route starts. */
  startAttempt(route: Route, routePermit: Permit): void {
    this.#routePermit = routePermit;
    this.#route = route;
    this.#attempts++;
    this.#askedAt = this.#deps.clock.monotonic();
    this.#trace?.attempt(route);
  }

  /**
   * Notes that the attempt failed; gives back the route's capacity, tokens included. Not of one
   * that its caller has left, nor of one whose answer has no room here: its upstream works on, or
   * has done so.
   */
  endAttempt(error: UpstreamError): void {
    const { failure, isUnsent, cause } = error;
    this.#trace?.attemptFailed(error);
    if (failure === "aborted" && !isUnsent) return;
    if (cause instanceof GatewayError) return;
    this.#askedAt = undefined;
    this.#routePermit?.correct(0);
    this.#routePermit?.release();
  }

  /** Notes when the upstream's first byte came, counted from the request's arrival. */
  noteFirstByte(): void {
    const now = this.#deps.clock.monotonic();
    this.#firstByteMs ??= Math.round(now - this.request.arrivedAt);
    this.#waitedSeconds = (now - (this.#askedAt ?? now)) / 1_000;
  }

  /** How long the upstream that serves took to begin. */
  get waitedSeconds(): number {
    return this.#waitedSeconds;
  }

  /**
   * Closes the call: prices the usage, settles or releases, resolves when that
   * is on disk. A second close gives the first one's outcome. Where that cannot be worked
   * out or stored, the hold goes back all the same.
   *
   * @param measure What was used; nothing at all is never charged.
   * @param keep What of the answer is stored in the same step.
   * @throws {GatewayError} `storage_full` or `internal_error`; nothing is charged then.
   */
  close(
    ending: CallEnding,
    measure: (meter: UsageMeter) => MeteredUsage,
    keep?: KeepAnswer,
  ): Promise<ClosedCall> {
    this.#closing ??= new Promise((done, failed) =>
      this.closeThen(ending, measure, { keep, done, failed })
    );
    return this.#closing;
  }

  /** The same by callbacks, where nobody else can close it. */
  closeThen(
    ending: CallEnding,
    measure: (meter: UsageMeter) => MeteredUsage,
    { keep, decided, done, failed }: Closing,
  ): void {
    let used = NOTHING_USED;
    this.#trace?.settling();
    const giveUp = (error: unknown) => {
      this.#trace?.broken();
      // No record of it was written, so the request is logged as one that was no call.
      this.request.note.isCall = false;
      this.#giveUp(error, used).then(() => this.#end(() => failed(error)));
    };
    try {
      used = measure(this.meter);
      this.#deps.ledger.closeThen(this.hold, this.#outcomeOf(ending, used), {
        keep,
        decided,
        done: (call) => {
          try {
            this.#tell(call, ending.status);
          } catch (error) {
            giveUp(error);
            return;
          }
          this.#end(() => done(call));
        },
        failed: giveUp,
      });
    } catch (error) {
      giveUp(error);
    }
  }

  /** Gives back what the call held, whatever comes of telling how it went. */
  #end(tell: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    try {
      this.request.stay.end();
      this.#routePermit?.release();
      this.#deps.onEnded();
    } finally {
      tell();
    }
  }

  /** Closes a call that came to nothing: its hold goes back, nobody pays. */
  release(ending: Omit<CallEnding, "billable">): Promise<ClosedCall> {
    return this.close({ ...ending, billable: false }, () => NOTHING_USED);
  }

  /**
   * Closes a call whose caller has left before anything of an answer had reached it. It pays only
   * what the upstream has counted. What the upstream did all the same is the operator's loss, and
   * stays counted in limits, budgets and brakes: to leave is no way around them.
   */
  leave(ending: Pick<CallEnding, "status" | "errorCode">): Promise<ClosedCall> {
    const left = { ...ending, result: "client_aborted" } as const;
    if (this.meter.hasReport) {
      return this.close({ ...left, billable: true }, (meter) => meter.complete());
    }
    const seconds = (this.#deps.clock.monotonic() - (this.#askedAt ?? 0)) / 1_000;
    return this.#lose(left, Math.floor(seconds * LIKELY_TOKENS_PER_SECOND));
  }

  /**
   * Closes a call whose answer the gateway has no memory for: nobody pays, and what the upstream
   * did all the same stays counted, as of one that was left.
   */
  starve(ending: Pick<CallEnding, "status" | "errorCode">): Promise<ClosedCall> {
    return this.#lose({ ...ending, result: "refused" }, Infinity);
  }

  /** Closes a call at the operator's cost, whose model wrote at most so much that nobody has read. */
  #lose(ending: Omit<CallEnding, "billable">, mostTokens: number): Promise<ClosedCall> {
    if (this.#askedAt === undefined) return this.release(ending);
    this.#keepsReserve = true;
    const written = Math.min(likelyOutputTokens(this.facts), mostTokens);
    return this.close({ ...ending, billable: false }, (meter) => meter.undelivered(written));
  }

  /**
   * Gives the hold back of a call whose own end threw. What it has used all the same is the
   * operator's loss; nothing, where that is what cannot be worked out.
   */
  async #giveUp(error: unknown, used: MeteredUsage): Promise<void> {
    const ending = error instanceof GatewayError ? { ...DEFECT, errorCode: error.code } : DEFECT;
    for (const metered of [used, NOTHING_USED]) {
      // The ledger tells of what it cannot write; what is thrown on is why it came to that.
      if (!this.hold.closed) await this.#settle(ending, metered).catch(() => {});
    }
  }

  async #settle(ending: Omit<CallEnding, "status">, metered: MeteredUsage): Promise<ClosedCall> {
    return await this.#deps.ledger.close(this.hold, this.#outcomeOf(ending, metered));
  }

  #outcomeOf(ending: Omit<CallEnding, "status">, metered: MeteredUsage): CallOutcome {
    const { work, terms, source, costE8, saleE8 } = priceCall({
      request: this.request,
      facts: this.facts,
      meter: this.meter,
      route: this.#route,
      dialect: this.#dialect,
    }, metered);
    if (source === "reported") this.#learn(work);
    if (!this.#keepsReserve) {
      const tokens = promptTokens(work) + completionTokens(work);
      this.request.stay.permit.correct(tokens);
      this.#routePermit?.correct(tokens);
    }
    return {
      result: ending.result,
      billable: ending.billable && metered.source !== "none",
      work,
      terms,
      usageSource: source,
      costE8,
      saleE8,
      firstByteMs: this.#firstByteMs,
      attempts: this.#attempts,
      errorCode: ending.errorCode,
      failedAttempts: this.failedAttempts,
    };
  }

  /** What the upstream's counts say of its route's other calls. */
  #learn({ reasoning = 0 }: Work): void {
    const { habits } = this.#deps;
    const { id } = this.#route;
    const habit = habits.of(id);
    if (habit === "thinks" || (habit === "plain" && reasoning === 0)) return;
    if (reasoning > 0) habits.note(id, "thinks");
    // A request that says how much to think tells nothing of others without thoughts.
    else if (toldToThink(this.request.body, this.#route) === undefined) habits.note(id, "plain");
  }

  #tell(call: ClosedCall, status: number): void {
    const isSticky = call.sticky?.route === call.route;
    const { address } = this.request.note;
    const record = { call, status, milliseconds: this.#elapsed(), address };
    this.#deps.onCall(isSticky ? { ...record, placed: "sticky" } : record);
    this.#trace?.ended(record);
  }

  #elapsed(): number {
    return Math.round(this.#deps.clock.monotonic() - this.request.arrivedAt);
  }

  /** The additions to an answer, once the call is closed: the upstream's own usage object if it counted. */
  describe(closed: ClosedCall, reported: JsonObject | undefined): AnswerFacts {
    const usage = closed.usageSource === "reported" && reported !== undefined
      ? reported
      : this.#dialect.usageBody(closed.work);
    const pricing = {
      currency: this.#deps.currency,
      cost_amount: formatAmount(closed.costE8),
      sale_amount: formatAmount(soldE8(closed)),
    };
    return {
      provider: closed.provider,
      route: closed.route,
      usage: this.request.tellsCost === true ? { ...usage, ...costOf(pricing) } : usage,
      pricing,
    };
  }
}

/** The answer in one piece as its caller gets it: the upstream's, with what the gateway adds. */
export function toldAnswer(
  call: MeteredCall,
  body: JsonObject,
  { closed, reported }: {
    readonly closed: ClosedCall;
    /** The upstream's own counts. */
    readonly reported: JsonObject | undefined;
  },
): JsonObject {
  return Object.assign(body, { model: call.route.modelId }, call.describe(closed, reported));
}

/** What a call cost, as OpenRouter's answers tell it beside the counts; numbers are no exact amounts. */
function costOf({ cost_amount, sale_amount }: PricingView): JsonObject {
  return {
    cost: Number(sale_amount),
    is_byok: false,
    cost_details: { upstream_inference_cost: Number(cost_amount) },
  };
}
