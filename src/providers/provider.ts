/**
 * The contract every provider fulfils. A provider turns one call into upstream
 * requests and events; it knows no hold, no client and no logger.
 *
 * @module
 */

import type { AttemptFailure } from "../domain/attempt_failure.ts";
import type { Route } from "../domain/catalogue.ts";
import type { OperatorFault } from "../domain/operator_fault.ts";
import type { Usage } from "../domain/usage.ts";
import type { JsonObject } from "../domain/json_value.ts";
import type { VideoUpstream } from "./video_upstream.ts";

/** Where the bytes of an answer are counted for as long as the gateway holds them. */
export interface AnswerRoom {
  /**
   * Counts bytes that have come, or are about to be made.
   *
   * @throws {GatewayError} When there is no room: the gateway's own shortage, which ends the call.
   */
  countAnswer(bytes: number): void;
}

/** One call to one route. */
export interface ProviderCall {
  readonly route: Route;
  /** The caller's body without the gateway's own fields; never changed by a provider. */
  readonly body: Readonly<JsonObject>;
  /**
   * The output limit of each choice, sent upstream under the name that it knows and in place of
   * what `body` says; `undefined` leaves the body alone.
   */
  readonly outputTokensCap: number | undefined;
  /** Absent: nobody counts. */
  readonly room?: AnswerRoom;
}

/** A complete answer. */
export interface ProviderAnswer {
  /** The upstream's body, quirks repaired, `usage` normalised; the caller may change it. */
  readonly body: JsonObject;
  /** `undefined` when the upstream reported none, or absurd counts. */
  readonly usage: Usage | undefined;
  /** Everything the model wrote, for estimating usage. */
  readonly text: () => string;
}

/** One event of a stream. */
export interface ProviderEvent {
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
  readonly usage: Usage | undefined;
  /** The upstream's usage object with normalised counts, other fields kept. */
  readonly usageBody: JsonObject | undefined;
  /**
   * True when some choice of a chat chunk carries a `finish_reason`, or the event
   * of the Responses API is the last one (`response.completed`, `response.incomplete`).
   */
  readonly finished: boolean;
  /** True when `choices` is empty: nothing but usage or vendor extras. */
  readonly empty: boolean;
}

/**
 * An open upstream stream. `next()` gives the events of one network read, or
 * `undefined` after a proper end (`[DONE]`, or the end of the body after a
 * finish reason). It throws {@linkcode UpstreamError} when the stream is cut,
 * stalls, or carries an in-band error.
 */
export interface ProviderStream {
  next(): Promise<readonly ProviderEvent[] | undefined>;
  /** Closes the upstream connection; safe to call at any time, more than once. */
  cancel(): void;
  /**
   * Closes the upstream connection and gives the events that end the answer where it is, as
   * one that has reached its output limit. Absent where the limit is kept anyway.
   */
  cutShort?(): readonly ProviderEvent[];
}

/** A key that an upstream does not take now; never its value. */
export interface KeyRefusal {
  readonly provider: string;
  /** The key's reference: `env:NAME`, `file:PATH`, `credential:NAME`. */
  readonly key: string;
  readonly failure: AttemptFailure;
  /** The upstream's. */
  readonly status: number | undefined;
  readonly fault: OperatorFault | undefined;
}

/** How a configured key is. */
export interface KeyState {
  /** Its reference, never its value. */
  readonly key: string;
  /** `resting`: refused or exhausted; `no_value`: there is nothing behind the reference. */
  readonly state: "ready" | "resting" | "no_value";
  /** Seconds that it still rests; 0 when it does not. */
  readonly seconds: number;
  readonly refusal: KeyRefusal | undefined;
}

/** The result of `providers test`. */
export interface ProviderCheck {
  readonly ok: boolean;
  /** Whether what answered is the API that was meant, and took the key: only a model list says so. */
  readonly checked: boolean;
  /** One line, without secrets. */
  readonly detail: string;
  readonly milliseconds: number;
}

/** A provider: one method per capability. */
export interface Provider {
  readonly id: string;
  /** `undefined` where films are rendered by the gateway itself (`builtin`). */
  readonly videos: VideoUpstream | undefined;
  /** @throws {UpstreamError} */
  chat(call: ProviderCall, signal: AbortSignal): Promise<ProviderAnswer>;
  /**
   * Resolves when the upstream's headers are in and it is an event stream.
   *
   * @throws {UpstreamError}
   */
  chatStream(call: ProviderCall, signal: AbortSignal): Promise<ProviderStream>;
  /**
   * Answers a request of the Responses API (`call.body` in its form, the whole
   * conversation in `input`) with a Response object: by the upstream's own
   * endpoint where the route supports it, else over its chat.
   *
   * @throws {UpstreamError} `caller` for what this route cannot do, by name.
   */
  respond(call: ProviderCall, signal: AbortSignal): Promise<ProviderAnswer>;
  /**
   * The same as a stream of events. A failure that the upstream tells in its
   * stream is thrown, not passed on.
   *
   * @throws {UpstreamError}
   */
  respondStream(call: ProviderCall, signal: AbortSignal): Promise<ProviderStream>;
  /**
   * Embeds every input of `call.body` (`input` as a list of texts or of token
   * lists): `data` in their order, vectors as `encoding_format` asks.
   *
   * @throws {UpstreamError}
   */
  embed(call: ProviderCall, signal: AbortSignal): Promise<ProviderAnswer>;
  /** Asks the upstream for something free (its model list); never calls a paid model. */
  check(signal: AbortSignal): Promise<ProviderCheck>;
  /** How each of its keys is; empty where none is configured. */
  keyStates(): readonly KeyState[];
  /** Looks its secrets up again before the next request. */
  secretsChanged(): void;
}
