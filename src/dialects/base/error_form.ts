/**
 * How the upstreams of a dialect tell errors: what is different about each, before all are judged
 * alike.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";

/** An error body, whatever its shape was. */
export interface ErrorBody {
  readonly message: string | undefined;
  readonly code: string | undefined;
  readonly type: string | undefined;
  readonly param: string | undefined;
  /** A status given inside the body, as Gemini and OpenRouter do. */
  readonly status: number | undefined;
  /** The pause that the body asks for, where no header does; absent: none. */
  readonly retryAfterSeconds?: number | undefined;
  /** The time zone whose midnight ends it: a day's quota is spent; absent: it is not. */
  readonly endsAtMidnightIn?: string | undefined;
}

/** The body of an error that says nothing. */
export const NO_BODY: ErrorBody = {
  message: undefined,
  code: undefined,
  type: undefined,
  param: undefined,
  status: undefined,
};

export interface ErrorForm {
  /** The family whose callers know its bodies, and are told of their own faults in them; absent: none. */
  readonly family?: string;
  /**
   * Reads the body of an answer that is not 2xx, or as much of it as could be read. Never throws.
   *
   * @param header The answer's headers, by lower-case name; absent: there are none.
   */
  parse(text: string, header?: (name: string) => string | undefined): ErrorBody;
  /** Reads an error inside a 2xx. */
  read(value: JsonObject): ErrorBody;
  /**
   * Whether an object inside a 2xx is an error rather than an answer or an event.
   *
   * @param eventName Of the event, in a stream.
   */
  isError(value: JsonObject, eventName?: string): boolean;
}
