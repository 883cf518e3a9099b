/**
 * Answers as the gateway passes them on, in the dialect that they were asked for: bodies and
 * events on their way from an upstream to a caller.
 *
 * @module
 */

import * as z from "zod";
import type { Terms } from "../../domain/terms.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { Work } from "../../domain/work.ts";
import type { PricingView } from "../../domain/price.ts";

/** Where the bytes of an answer are counted for as long as the gateway holds them. */
export interface AnswerRoom {
  /**
   * Counts bytes that have come, or are about to be made.
   *
   * @throws {GatewayError} When there is no room: the gateway's own shortage, which ends the call.
   */
  countAnswer(bytes: number): void;
}

/** A complete answer. */
export interface Answer {
  /** The upstream's body, quirks repaired, `usage` normalised; the caller may change it. */
  readonly body: JsonObject;
  /** `undefined` when the upstream reported none, or absurd counts. */
  readonly usage: Work | undefined;
  /** What the upstream says of itself that a price may depend on. */
  readonly terms?: Terms | undefined;
  /** The newest seal on the model's thoughts; absent: none. */
  readonly seal?: string | undefined;
  /** Everything the model wrote, for estimating usage. */
  readonly text: () => string;
}

/** One event of a stream. */
export interface AnswerEvent {
  /**
   * A chat chunk, quirks repaired, without `usage`; or an event of the Responses
   * API with its `type`, without `sequence_number`. The caller may change it.
   */
  readonly chunk: JsonObject;
  /** What the model wrote in this chunk (text, reasoning, tool arguments). */
  readonly text: string;
  /** Characters of `text` that are thoughts in a field of their own, apart from the answer; absent: none. */
  readonly thoughts?: number;
  /** Normalised; the last one in a stream wins. */
  readonly usage: Work | undefined;
  /** What the upstream has said of itself, so far at least, that a price may depend on. */
  readonly terms?: Terms | undefined;
  /** The upstream's usage object with normalised counts, other fields kept. */
  readonly usageBody: JsonObject | undefined;
  /**
   * True when some choice of a chat chunk carries a `finish_reason`, or the event
   * of the Responses API is the last one (`response.completed`, `response.incomplete`).
   */
  readonly finished: boolean;
  /** A seal on thoughts that it carries; absent: none. */
  readonly seal?: string;
  /** Of sound: its media type, where the upstream tells it. */
  readonly mediaType?: string;
  /** Whether the model is at work, although nothing of it is shown yet; absent: nothing tells. */
  readonly isAtWork?: boolean;
  /** True when `choices` is empty: nothing but usage or vendor extras. */
  readonly empty: boolean;
}

/**
 * An open upstream stream. `next()` gives the events of one network read, or
 * `undefined` after a proper end (`[DONE]`, or the end of the body after a
 * finish reason). It throws `UpstreamError` when the stream is cut,
 * stalls, or carries an in-band error.
 */
export interface AnswerStream {
  next(): Promise<readonly AnswerEvent[] | undefined>;
  /** Closes the upstream connection; safe to call at any time, more than once. */
  cancel(): void;
  /**
   * Closes the upstream connection and gives the events that end the answer where it is, as
   * one that has reached its output limit. Absent where the limit is kept anyway.
   */
  cutShort?(): readonly AnswerEvent[];
}

/** An amount of money. */
export const amountField = z.string().regex(/^\d+\.\d{8}$/)
  .describe("Decimal string, 8 fractional digits");

/** Who served a call and what it cost, as the API's document tells it. */
export const answerFields = {
  provider: z.string().describe("The provider that served the call"),
  route: z.string().describe("The route that served the call"),
  pricing: z.object({ currency: z.string(), cost_amount: amountField, sale_amount: amountField }),
};

/** The additions of section 2.2 of the service specification. */
export interface AnswerFacts {
  readonly provider: string;
  readonly route: string;
  readonly usage: JsonObject;
  readonly pricing: PricingView;
}

/** A stream that has broken, behind what was read of it. */
export function brokenStream(stream: AnswerStream, error: unknown): AnswerStream {
  return { next: () => Promise.reject(error), cancel: () => stream.cancel() };
}
