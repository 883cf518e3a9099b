/**
 * One admitted call: its hold, its permits and its meter, closed exactly once
 * whatever happens. Everything that ends a call goes through here.
 *
 * @module
 */

import type { Hold, Ledger } from "../accounts/ledger.ts";
import type { CallResult, ClosedCall } from "../domain/call.ts";
import type { Route } from "../domain/catalogue.ts";
import type { Clock } from "../domain/clock.ts";
import { formatAmount } from "../domain/money.ts";
import type { PricingView } from "../domain/price.ts";
import type { Permit } from "../limits/permit.ts";
import type { CallRecord } from "../metering/call_record.ts";
import type { MeteredUsage, UsageMeter } from "../metering/usage_meter.ts";
import { NOTHING_USED } from "../metering/usage_meter.ts";
import { priceUsage } from "../pricing/price_usage.ts";
import type { JsonObject } from "../providers/provider.ts";
import type { RequestFacts } from "../routing/route_request.ts";
import type { CallRequest } from "./call_request.ts";

/** How a call ends for its caller. */
export interface CallEnding {
  readonly result: CallResult;
  /** Whether the project pays for the usage. */
  readonly billable: boolean;
  /** HTTP status the caller saw. */
  readonly status: number;
  readonly errorCode?: string;
}

/** What the answer says about itself. */
export interface AnswerFacts {
  readonly provider: string;
  readonly route: string;
  readonly usage: JsonObject;
  readonly pricing: PricingView;
}

/** What a metered call needs of the engine. */
export interface MeteredCallDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly currency: string;
  readonly onCall: (record: CallRecord) => void;
  /** Told when the call is over, also when it could not be written. */
  readonly onEnded: () => void;
}

/** See the module's text. */
export class MeteredCall {
  readonly request: CallRequest;
  readonly facts: RequestFacts;
  readonly meter: UsageMeter;
  readonly #deps: MeteredCallDeps;
  readonly #hold: Hold;
  readonly #permit: Permit;
  #routePermit: Permit | undefined;
  #route: Route;
  #attempts = 0;
  #firstByteMs: number | undefined;
  #closing: Promise<ClosedCall> | undefined;
  readonly #upstream = new AbortController();
  #whenCallerLeaves = (): unknown => this.#upstream.abort();

  constructor(deps: MeteredCallDeps, parts: {
    request: CallRequest;
    facts: RequestFacts;
    meter: UsageMeter;
    hold: Hold;
    permit: Permit;
    route: Route;
  }) {
    this.#deps = deps;
    this.request = parts.request;
    this.facts = parts.facts;
    this.meter = parts.meter;
    this.#hold = parts.hold;
    this.#permit = parts.permit;
    this.#route = parts.route;
    parts.request.note.isCall = true;
    const { signal } = parts.request;
    signal.addEventListener("abort", () => this.#whenCallerLeaves(), { once: true });
    if (signal.aborted) this.#upstream.abort();
  }

  /** Closes upstream connections: fires when the caller leaves, unless {@linkcode whenCallerLeaves} says otherwise. */
  get upstreamSignal(): AbortSignal {
    return this.#upstream.signal;
  }

  /** Puts something else in charge of the caller's leaving, once an answer has begun. */
  whenCallerLeaves(handler: () => unknown): void {
    if (this.#upstream.signal.aborted) handler();
    else this.#whenCallerLeaves = handler;
  }

  /** The route being tried, or the one that served. */
  get route(): Route {
    return this.#route;
  }

  get hold(): Hold {
    return this.#hold;
  }

  get attempts(): number {
    return this.#attempts;
  }

  /** Whether the call's outcome is decided already. */
  get closed(): boolean {
    return this.#closing !== undefined;
  }

  /** Notes that an attempt on a route starts. */
  startAttempt(route: Route, routePermit: Permit): void {
    this.#routePermit = routePermit;
    this.#route = route;
    this.#attempts++;
  }

  /** Notes that the attempt failed; gives back the route's capacity. */
  endAttempt(): void {
    this.#routePermit?.release();
  }

  /** Notes when the upstream's first byte came, counted from the request's arrival. */
  noteFirstByte(): void {
    this.#firstByteMs ??= this.#elapsed();
  }

  /**
   * Closes the call: prices the usage, settles or releases, resolves when that
   * is on disk. A second close gives the first one's outcome.
   *
   * @throws {GatewayError} `storage_full`; nothing is charged then.
   */
  close(ending: CallEnding, metered: MeteredUsage): Promise<ClosedCall> {
    this.#closing ??= this.#close(ending, metered);
    return this.#closing;
  }

  /** Closes a call that came to nothing: its hold goes back, nobody pays. */
  release(ending: Omit<CallEnding, "billable">): Promise<ClosedCall> {
    return this.close({ ...ending, billable: false }, NOTHING_USED);
  }

  async #close(ending: CallEnding, { usage, source }: MeteredUsage): Promise<ClosedCall> {
    const { facts } = this;
    const served = source !== "none";
    const images = served ? facts.images : 0;
    const { costE8, saleE8 } = served
      ? priceUsage(this.#route.prices, usage, images)
      : { costE8: 0n, saleE8: 0n };
    this.#permit.correct(usage.promptTokens + usage.completionTokens);
    this.#routePermit?.correct(usage.promptTokens + usage.completionTokens);
    try {
      const closed = await this.#deps.ledger.close(this.#hold, {
        result: ending.result,
        billable: ending.billable,
        usage,
        usageSource: source,
        images,
        costE8,
        saleE8,
        firstByteMs: this.#firstByteMs,
        attempts: this.#attempts,
        errorCode: ending.errorCode,
      });
      this.#deps.onCall({
        call: closed,
        status: ending.status,
        milliseconds: this.#elapsed(),
      });
      return closed;
    } finally {
      this.#permit.release();
      this.#routePermit?.release();
      this.#deps.onEnded();
    }
  }

  #elapsed(): number {
    return Math.round(this.#deps.clock.monotonic() - this.request.arrivedAt);
  }

  /** The additions to an answer, once the call is closed. */
  describe(closed: ClosedCall, usageBody: JsonObject | undefined): AnswerFacts {
    return {
      provider: closed.provider,
      route: closed.route,
      usage: usageBody ?? wireUsage(closed),
      pricing: {
        currency: this.#deps.currency,
        cost_amount: formatAmount(closed.costE8),
        sale_amount: formatAmount(closed.saleE8),
      },
    };
  }
}

/** Usage in OpenAI's shape, for upstreams that sent none. */
function wireUsage({ usage }: ClosedCall): JsonObject {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedTokens,
      cache_write_tokens: usage.cacheWriteTokens,
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}
