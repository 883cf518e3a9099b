/**
 * What the listener and its caller agree on: how requests are answered, and which limits hold.
 *
 * @module
 */

import type { TextParts } from "../../domain/text_parts.ts";
import type { RefusedHead, RequestHead } from "./request_head.ts";

/** What is known of a request besides the request. */
export interface ConnectionInfo {
  /** The peer's IP address, or `"unix"`. */
  readonly remoteAddress: string;
}

/**
 * Answers one request. Its `signal` fires when the client goes away (or is cut off by a limit)
 * before the whole answer was sent, and never after; a client that closes its sending direction
 * counts as gone. A handler should not throw: the client gets
 * a plain 500 if it does.
 */
export type RequestHandler = (
  request: Request,
  info: ConnectionInfo,
) => Response | Promise<Response>;

/** Makes the answer to a head that no handler will see. */
export type RefusalWriter = (refused: RefusedHead) => Response;

/** When a connection is closed without being asked. */
export interface ListenerLimits {
  /** From accept, or from the first byte of a later request, to a complete head. */
  readonly headerTimeoutMs: number;
  /** Idle between two requests. */
  readonly keepAliveMs: number;
  /** A request body that comes more slowly is cut, once it is {@linkcode bodySilenceMs} behind. */
  readonly bodyMinBytesPerSecond: number;
  /** How long a body may be silent, or be behind its least rate; what came earlier is no credit. */
  readonly bodySilenceMs: number;
  /** A client that takes no byte of a response for this long is cut. */
  readonly stalledReaderMs: number;
  /**
   * With this many the one that has waited longest makes way for the next, which is closed only
   * where all are being served. Without a limit the descriptors are one: when they run out, a
   * quarter of the connections, at least 64, make way.
   */
  readonly maxConnections: number;
  /** The same for one address (of IPv6 one network of 64 bits), but for a unix socket. */
  readonly maxPerAddress: number | undefined;
}

/** A request that came in one piece, on a connection that may serve another one after it. */
export interface QuickRequest {
  readonly head: RequestHead;
  /** Whole; valid during the call alone. */
  readonly body: Uint8Array;
  /** The peer's IP address, or `"unix"`. */
  readonly peer: string;
}

/**
 * Where an answer goes that is made by callbacks. Of `answer`, `begin` and `respond` one is called,
 * once, and not before the request was taken.
 */
export interface QuickClient {
  /** Makes the bytes of an answer that is sent by `answer` soon, or never. */
  prepare(response: Response): void;
  /** Sends a whole answer, whose content is one text. */
  answer(response: Response): void;
  /** Begins an answer that comes in parts; its head goes with the first. */
  begin(response: Response): void;
  /** Sends the next part; never before the one before was {@linkcode QuickAnswer.sent}. */
  part(text: string, isLast: boolean): void;
  /** Sends the rest of an answer that has begun as it is asked for. */
  respondParts(rest: TextParts): void;
  /** Sends an answer once it is there. */
  respond(response: Promise<Response>): void;
}

/** An answer under way. */
export interface QuickAnswer {
  /** The part was sent, and it was not the last. */
  sent(): void;
  /** The client has gone before the whole answer was sent. */
  left(reason: Error): void;
}

/** Takes a request whose answer is made by callbacks, or leaves it; then nothing has happened. */
export type QuickHandler = (request: QuickRequest, client: QuickClient) => QuickAnswer | undefined;
