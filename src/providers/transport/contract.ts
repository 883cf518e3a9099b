/**
 * What a transport is: requests to upstreams and their answers, whoever makes
 * the connections.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import type { ProviderTimeouts } from "../../domain/catalogue.ts";

/** One HTTP request to an upstream. Nothing in it but `body` stems from a caller. */
export interface UpstreamRequest {
  readonly method: "GET" | "POST";
  /** Absolute, http or https, built from the operator's settings alone. */
  readonly url: string;
  /** Lower-case names. Built from the operator's settings alone. */
  readonly headers: { readonly [name: string]: string };
  readonly body: string | undefined;
  readonly timeouts: ProviderTimeouts;
  /** Streams have a limit for their headers and first event; plain answers only the total one. */
  readonly stream: boolean;
}

/**
 * An answer whose headers are in. Exactly one of `text`, or `read` until its
 * end, takes the body; `close` or `release` ends the exchange at any time.
 */
export interface UpstreamResponse {
  readonly status: number;
  /** A header's value by lower-case name. */
  header(name: string): string | undefined;
  /**
   * The next decoded bytes, or `undefined` at the end of the body. They are
   * valid until the next read.
   *
   * @param limitMs How long to wait for the upstream, on top of the total limit.
   * @throws {UpstreamError} `broken` when the body is cut or late, `aborted` by the signal.
   */
  read(limitMs: number): Promise<Uint8Array | undefined>;
  /**
   * The whole body, decoded as UTF-8 (malformed sequences become U+FFFD).
   *
   * @throws {UpstreamError} Like `read`, and `broken` beyond `maxBytes` of decoded bytes.
   */
  text(maxBytes: number): Promise<string>;
  /** Closes the connection at once; safe to call more than once. */
  close(): void;
  /** Says that no more will be read, so the connection may be used again if it ends soon. */
  release(): void;
}

/** Makes upstream calls. */
export interface Transport {
  /**
   * Sends a request and resolves with the answer's headers. Redirects are
   * answers, never followed.
   *
   * @throws {UpstreamError} `broken` when there is no answer, `aborted` by the signal.
   */
  request(request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamResponse>;
  /** Closes idle connections. */
  close(): void;
}

/** What a transport needs. */
export interface TransportOptions {
  readonly clock: Clock;
  /** Schemes whose calls a proxy of the environment may apply to; none when absent. */
  readonly proxied?: { readonly http: boolean; readonly https: boolean };
}
