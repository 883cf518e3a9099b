/**
 * What a transport is: requests to upstreams and their answers, whoever makes
 * the connections.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import type { ProviderTimeouts } from "../../domain/catalogue.ts";
import type { AnswerRoom } from "../../dialects/base/answer.ts";
import { setImmediate } from "node:timers";

/**
 * The code of the `caller` failure of a request with `addresses: "public"` whose
 * host is not, or not only, on the public internet. Nothing was sent.
 */
export const ADDRESS_REFUSED = "address_refused";

/**
 * One HTTP request to an upstream. Nothing in it but `body` stems from a caller,
 * unless `addresses` says "public": then the URL may too.
 */
export interface UpstreamRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Absolute, http or https, without user and password. */
  readonly url: string;
  /** Lower-case names. Built from the operator's settings alone. */
  readonly headers: { readonly [name: string]: string };
  readonly body: HeldBody | StreamedBody | undefined;
  /**
   * "public": the host is looked up once, all its addresses must be on the open
   * internet, and the connection goes to one of those. Such a request never goes
   * through a proxy of the environment, which would look the host up by itself.
   * Default: "any".
   */
  readonly addresses?: "any" | "public";
  readonly timeouts: ProviderTimeouts;
  /** Whom failures speak of; "The upstream" when absent. */
  readonly peer?: string;
  /** Streams have a limit for their headers and first event; plain answers only the total one. */
  readonly stream: boolean;
}

/** A body in memory: whole, or in pieces that are sent one behind the other. */
export type HeldBody = string | Uint8Array<ArrayBuffer> | readonly Uint8Array<ArrayBuffer>[];

/** A body in memory without its seams. */
export function wholeBody(body: HeldBody): string | Uint8Array<ArrayBuffer> {
  if (!isInPieces(body)) return body;
  const whole = new Uint8Array(body.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of body) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Whether a body in memory has seams. */
export function isInPieces(
  body: UpstreamRequest["body"],
): body is readonly Uint8Array<ArrayBuffer>[] {
  return Array.isArray(body);
}

/** A body that is not in memory. */
export interface StreamedBody {
  /** Of all pieces together. */
  readonly bytes: number;
  /** The pieces from the first one on, each valid until the next; a request may be sent again. */
  open(): AsyncIterable<Uint8Array<ArrayBuffer>>;
}

/** A body is not as long as it says: its file was changed. */
export class BodyLengthError extends Error {
  override readonly name = "BodyLengthError";
  constructor() {
    super("Cannot send a body that is not as long as it says");
  }
}

/** Whether a body is not in memory. */
export function isStreamed(body: UpstreamRequest["body"]): body is StreamedBody {
  return typeof body === "object" && !(body instanceof Uint8Array) && !isInPieces(body);
}

/** Whom failures of a request speak of. */
export function peerOf({ peer = "The upstream" }: Pick<UpstreamRequest, "peer">): string {
  return peer;
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
   * @param room Where it is counted as it comes; what that throws ends the exchange.
   * @throws {UpstreamError} Like `read`, and `broken` beyond `maxBytes` of decoded bytes.
   */
  text(maxBytes: number, room?: AnswerRoom): Promise<string>;
  /** Closes the connection at once; safe to call more than once. */
  close(): void;
  /** Says that no more will be read, so the connection may be used again if it ends soon. */
  release(): void;
}

/** Told how an exchange goes on that nobody awaits. One is called at a time, and only after it was asked to be. */
export interface ExchangeListener {
  /** The head of the answer is in. */
  onHead(): void;
  /** More of its body is in, for which `moreThen` has asked. */
  onBytes(): void;
  /** It goes on in no usual way: whoever reads on by promises meets what it is. */
  onTrouble(): void;
}

/** An answer, or what may become one, that is waited for by callbacks until somebody reads on by promises. */
export interface BegunExchange extends UpstreamResponse {
  /**
   * Goes on by promises: as `Transport.request`, of what was sent already.
   *
   * @throws {UpstreamError}
   */
  goOn(signal: AbortSignal): Promise<UpstreamResponse>;
  /** The same of an answer whose head is in, to be read on. */
  goOnReading(signal: AbortSignal): void;
  /** Of an answer whose head is in: whether its body is not one to wait for as a whole. */
  readonly isLong: boolean;
  /** Whether what came next of its body was no part of one, which whoever reads on meets again. */
  readonly isBroken: boolean;
  /** The whole body, once it is there; as `text`. */
  textNow(maxBytes: number, room?: AnswerRoom): string | undefined;
  /** What is there of the body, valid until more is asked for; `undefined` for nothing. */
  takeNow(): Uint8Array | undefined;
  /** Whether the last of the body was taken. */
  readonly isWhole: boolean;
  /** Asks to be told of more, for which is waited so long; as long as the total limit where absent. */
  moreThen(limitMs: number | undefined): void;
}

/** Makes upstream calls. */
export interface Transport {
  /**
   * Sends a request and resolves with the answer's headers. Redirects are
   * answers, never followed.
   *
   * @throws {UpstreamError} `broken` when there is no answer, `aborted` by the
   * signal, `caller` with code {@linkcode ADDRESS_REFUSED}.
   */
  request(request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamResponse>;
  /** Whether {@linkcode begin} would find a connection; absent: none is ever waited for by callbacks. */
  mayBegin?(url: string): boolean;
  /**
   * Sends a request at once where a connection is idle; `undefined` where none is, and then nothing
   * was done.
   *
   * @throws {TypeError} When a header cannot go on the wire.
   */
  begin?(request: UpstreamRequest, listener: ExchangeListener): BegunExchange | undefined;
  /** Closes idle connections. */
  close(): void;
}

/** What a transport needs. */
export interface TransportOptions {
  readonly clock: Clock;
  /** Schemes whose calls a proxy of the environment may apply to; none when absent. */
  readonly proxied?: { readonly http: boolean; readonly https: boolean };
}

/** Bytes after which others have their turn: some milliseconds of work. */
const SHARE_BYTES = 512 * 1024;

/**
 * What one reader has had since the others' last turn. A read whose bytes are there already comes back
 * without a turn of the loop, so that many of them in a row would let nobody else in.
 */
export class LoopShare {
  #bytes = 0;

  /** Counts bytes; waits for the others once they are many. Most often there is nothing to await. */
  take(bytes: number): Promise<void> | undefined {
    this.#bytes += bytes;
    if (this.#bytes < SHARE_BYTES) return undefined;
    this.#bytes = 0;
    return new Promise((resolve) => setImmediate(() => resolve()));
  }
}
