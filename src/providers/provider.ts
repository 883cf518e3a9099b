/**
 * The contract every provider fulfils. A provider turns one call into upstream
 * requests and events; it knows no hold, no client and no logger.
 *
 * @module
 */

import type { Answer, AnswerRoom, AnswerStream } from "../dialects/answer.ts";
import type { AttemptFailure } from "../domain/attempt_failure.ts";
import type { Route } from "../domain/catalogue.ts";
import type { OperatorFault } from "../domain/operator_fault.ts";
import type { JsonObject } from "../domain/json_value.ts";
import type { VideoUpstream } from "./video_upstream.ts";

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
  chat(call: ProviderCall, signal: AbortSignal): Promise<Answer>;
  /**
   * Resolves when the upstream's headers are in and it is an event stream.
   *
   * @throws {UpstreamError}
   */
  chatStream(call: ProviderCall, signal: AbortSignal): Promise<AnswerStream>;
  /**
   * Answers a request of the Responses API (`call.body` in its form, the whole
   * conversation in `input`) with a Response object: by the upstream's own
   * endpoint where the route supports it, else over its chat.
   *
   * @throws {UpstreamError} `caller` for what this route cannot do, by name.
   */
  respond(call: ProviderCall, signal: AbortSignal): Promise<Answer>;
  /**
   * The same as a stream of events. A failure that the upstream tells in its
   * stream is thrown, not passed on.
   *
   * @throws {UpstreamError}
   */
  respondStream(call: ProviderCall, signal: AbortSignal): Promise<AnswerStream>;
  /**
   * Embeds every input of `call.body` (`input` as a list of texts or of token
   * lists): `data` in their order, vectors as `encoding_format` asks.
   *
   * @throws {UpstreamError}
   */
  embed(call: ProviderCall, signal: AbortSignal): Promise<Answer>;
  /** Asks the upstream for something free (its model list); never calls a paid model. */
  check(signal: AbortSignal): Promise<ProviderCheck>;
  /** How each of its keys is; empty where none is configured. */
  keyStates(): readonly KeyState[];
  /** Looks its secrets up again before the next request. */
  secretsChanged(): void;
}
