/**
 * One request and its answer on an HTTP/1.1 connection.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import { isOutOfDescriptors } from "../../domain/out_of_descriptors.ts";
import type { AnswerRoom } from "../../dialects/base/answer.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import { ChunkedDecoder, MalformedChunk } from "./chunked_decoder.ts";
import { collectText, countOrClose, drain, tooLarge } from "./collect_text.ts";
import type { Target } from "./connect.ts";
import type { Connection } from "./connection.ts";
import type { ConnectionPool } from "./connection_pool.ts";
import { ContentDecoder } from "./content_decoder.ts";
import { RefusedAddress } from "./connect_public.ts";
import {
  ADDRESS_REFUSED,
  peerOf,
  type UpstreamRequest,
  type UpstreamResponse,
} from "./contract.ts";
import {
  isStream,
  keepAliveMs,
  MalformedHead,
  parseResponseHead,
  type ResponseHead,
} from "./response_head.ts";
import { dropWritten, requestBytes, sendRequest } from "./request_bytes.ts";
import { Watchdog } from "./watchdog.ts";

/** What an exchange is made with. */
export interface ExchangeOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly target: Target;
  /** Idle connections to take from, and to give those to whose answer was read to its end. */
  readonly pool: ConnectionPool;
  readonly open: (target: Target) => Promise<Connection>;
}

const MAX_HEAD_BYTES = 64 * 1024;
/** Interim answers (100, 103 …) before the real one. */
const MAX_INTERIM = 10;
/** All that the permissions of the program keep it from; what the runtime says of it helps nobody. */
const LINK_LOCAL =
  "was not called: its host is a link-local address (169.254.0.0/16), where clouds keep the keys " +
  "of their machines: give it another address";

const utf8 = new TextDecoder();
const latin1 = new TextDecoder("latin1");

/** Sends with `send`, then is the answer. */
export class Http1Exchange implements UpstreamResponse {
  #request: UpstreamRequest;
  readonly #options: ExchangeOptions;
  readonly #watchdog: Watchdog;
  #connection: Connection | undefined;
  #head: ResponseHead | undefined;
  #chunked: ChunkedDecoder | undefined;
  #content: ContentDecoder | undefined;
  /** Bytes of a body with a length that are still to come. */
  #left = 0;
  #isSent = false;
  /** Whether anything of the request may have left. */
  #isBegun = false;
  #isBodyWhole = false;
  #isEnded = false;
  #late: string | undefined;

  constructor(request: UpstreamRequest, options: ExchangeOptions) {
    this.#request = request;
    this.#options = options;
    this.#watchdog = new Watchdog(options.clock, {
      totalMs: request.timeouts.totalMs,
      onLate: (what) => {
        this.#late = what;
        this.#connection?.close();
        this.#onLateConnect?.();
      },
    });
  }

  /**
   * Sends the request and waits for the head of its answer. A connection that
   * was idle and turns out to be closed is replaced by a new one, once, where the
   * other side cannot have read the request, or where reading it twice does no
   * harm (RFC 9110, 9.2.1). What was written and got no answer is a failure:
   * nobody knows whether it was read, and a second film or answer would be paid for.
   */
  async send(): Promise<UpstreamResponse> {
    const { signal, target, pool } = this.#options;
    if (signal.aborted) throw this.#failure("was not called", undefined);
    signal.addEventListener("abort", this.#onAbort);
    let bytes: Uint8Array;
    try {
      bytes = requestBytes(this.#request, target);
    } catch (error) {
      throw this.#failure("was not called", error, { operator: true });
    }
    const idle = pool.take(target.origin);
    if (idle === undefined || !(await this.#attempt(idle, bytes, true))) {
      await this.#attempt(await this.#connect(), bytes, false);
    }
    return this;
  }

  get status(): number {
    return this.#head!.status;
  }

  header(name: string): string | undefined {
    return this.#head!.headers.get(name);
  }

  read(limitMs: number): Promise<Uint8Array | undefined> {
    return this.#content === undefined ? this.#readRaw(limitMs) : this.#content.read(limitMs);
  }

  async text(maxBytes: number, room?: AnswerRoom): Promise<string> {
    const connection = this.#connection;
    const { framing } = this.#head!;
    if (this.#content === undefined && framing.kind === "length" && framing.length > maxBytes) {
      throw tooLarge(this, maxBytes);
    }
    if (
      connection !== undefined && this.#content === undefined && !this.#isEnded &&
      framing.kind === "length" &&
      connection.end - connection.start >= this.#left
    ) {
      // The usual case: the whole answer came with its head.
      countOrClose(this, this.#left, room);
      const text = utf8.decode(
        connection.buffer.subarray(connection.start, connection.start + this.#left),
      );
      connection.start += this.#left;
      this.#left = 0;
      this.#finish();
      return text;
    }
    return await collectText(this, { maxBytes, room, limitMs: this.#request.timeouts.totalMs });
  }

  close(): void {
    if (this.#isEnded) return;
    if (this.#isBodyWhole) this.#finish();
    else this.#end();
  }

  release(): void {
    if (this.#isEnded) return;
    if (this.#isBodyWhole) this.#finish();
    else void drain(this);
  }

  /** Connects within the limit for connecting. */
  async #connect(): Promise<Connection> {
    const gaveUp = Promise.withResolvers<undefined>();
    this.#onLateConnect = () => gaveUp.resolve(undefined);
    this.#watchdog.arm(this.#request.timeouts.connectMs, "accept a connection");
    const connecting = this.#options.open(this.#options.target);
    let connection: Connection | undefined;
    try {
      connection = await Promise.race([connecting, gaveUp.promise]);
    } catch (error) {
      throw this.#failure("could not be reached", error);
    } finally {
      this.#onLateConnect = undefined;
      this.#watchdog.disarm();
    }
    if (connection !== undefined && !this.#options.signal.aborted) return connection;
    // Whatever still comes of it is closed; why it failed no longer matters.
    connecting.then((late) => late.close(), () => {});
    throw this.#failure("could not be reached", undefined);
  }

  #onLateConnect: (() => void) | undefined;

  /**
   * @param wasIdle Whether the connection may have been closed meanwhile.
   * @returns Whether the head is in; `false` when the connection turned out to be
   * stale and the request is to be sent on another one.
   */
  async #attempt(
    connection: Connection,
    bytes: Uint8Array,
    wasIdle: boolean,
  ): Promise<boolean> {
    this.#connection = connection;
    if (this.#request.stream) {
      this.#watchdog.arm(this.#request.timeouts.firstByteMs, "begin to answer");
    }
    this.#isSent = false;
    this.#isBegun = true;
    // Not awaited: an upstream may answer, or refuse, before it has read everything. When
    // writing fails, so does reading, and that failure is the one to report.
    const sending = sendRequest(connection, bytes, this.#request.body).then(() => {
      this.#isSent = true;
      dropWritten(bytes, this.#request);
    }, () => connection.close());
    let hasByte = false;
    try {
      for (let interim = 0; interim <= MAX_INTERIM; interim++) {
        const text = await this.#readHead(connection, () => hasByte = true);
        const head = parseResponseHead(text);
        if (head.status === 101) throw new MalformedHead("It switched protocols");
        if (head.status >= 200) {
          this.#watchdog.disarm();
          this.#begin(head);
          return true;
        }
      }
      throw new MalformedHead("It sent too many interim answers");
    } catch (error) {
      connection.close();
      if (wasIdle && !hasByte) {
        // What was taken of the request is known when writing has ended, as it has now.
        await sending;
        const isUnread = this.#request.method === "GET" || !connection.tookBytes;
        const isWanted = this.#late === undefined && !this.#options.signal.aborted;
        if (isUnread && isWanted) return false;
      }
      throw this.#failure("did not answer", error);
    }
  }

  /** The next head's text, without its final empty line. */
  async #readHead(connection: Connection, onByte: () => void): Promise<string> {
    let searched = connection.start;
    while (true) {
      if (connection.end > connection.start) onByte();
      const end = endOfHead(
        connection.buffer,
        Math.max(connection.start, searched),
        connection.end,
      );
      if (end >= 0) {
        const text = latin1.decode(connection.buffer.subarray(connection.start, end));
        connection.start = end + 4;
        return text;
      }
      const size = connection.end - connection.start;
      if (size >= MAX_HEAD_BYTES) {
        throw new MalformedHead(`The head is longer than ${MAX_HEAD_BYTES} bytes`);
      }
      const isMore = await connection.fill();
      // Filling may move what is there to the front; the last three bytes are searched again.
      searched = connection.start + Math.max(0, size - 3);
      if (!isMore) throw new MalformedHead("The connection was closed before an answer");
    }
  }

  #begin(head: ResponseHead): void {
    this.#head = head;
    const { framing } = head;
    if (isStream(head, this.#request.stream)) {
      this.#connection!.readAsStream();
      this.#request = { ...this.#request, body: undefined }; // as long as any prompt
    }
    if (framing.kind === "length") this.#left = framing.length;
    if (framing.kind === "chunked") this.#chunked = new ChunkedDecoder();
    this.#isBodyWhole = framing.kind === "none" ||
      (framing.kind === "length" && framing.length === 0);
    const coding = head.headers.get("content-encoding")?.toLowerCase() ?? "identity";
    if (coding !== "identity" && coding !== "" && !this.#isBodyWhole) {
      this.#content = ContentDecoder.create(coding, (limitMs) => this.#readRaw(limitMs));
      if (this.#content === undefined) {
        throw new MalformedHead("The answer has an unknown Content-Encoding");
      }
    }
  }

  async #readRaw(limitMs: number): Promise<Uint8Array | undefined> {
    if (this.#isEnded) {
      if (this.#late !== undefined || this.#options.signal.aborted) {
        throw this.#failure("was closed", undefined);
      }
      return undefined;
    }
    const connection = this.#connection!;
    try {
      while (true) {
        if (this.#isBodyWhole) {
          this.#finish();
          return undefined;
        }
        const bytes = this.#take(connection);
        if (bytes !== undefined) return bytes;
        if (this.#isBodyWhole) continue;
        this.#watchdog.arm(limitMs, "send more");
        const isMore = await connection.fill();
        this.#watchdog.disarm();
        if (isMore) continue;
        if (this.#head!.framing.kind !== "close" || connection.isClosed) {
          throw this.#failure("cut its answer", undefined);
        }
        this.#isBodyWhole = true;
      }
    } catch (error) {
      if (error instanceof UpstreamError) throw error;
      throw this.#failure("cut its answer", error);
    }
  }

  /** Payload among the bytes that are there; `undefined` when there is none. */
  #take(connection: Connection): Uint8Array | undefined {
    const { buffer, start, end } = connection;
    if (start === end) return undefined;
    let payloadEnd: number;
    if (this.#chunked !== undefined) {
      const decoded = this.#chunked.decode(buffer, start, end);
      payloadEnd = decoded.payloadEnd;
      connection.start = decoded.restStart;
      this.#isBodyWhole = this.#chunked.isDone;
    } else if (this.#head!.framing.kind === "length") {
      payloadEnd = start + Math.min(this.#left, end - start);
      this.#left -= payloadEnd - start;
      connection.start = payloadEnd;
      this.#isBodyWhole = this.#left === 0;
    } else {
      payloadEnd = connection.start = end;
    }
    return payloadEnd === start ? undefined : buffer.subarray(start, payloadEnd);
  }

  /** The answer is read to its end: its connection may serve another. */
  #finish(): void {
    const connection = this.#connection!;
    const isClean = connection.start === connection.end && this.#isSent && !connection.isClosed;
    this.#connection = undefined;
    this.#end();
    if (isClean && this.#head!.keepsAlive) {
      const { pool, target } = this.#options;
      pool.give(target.origin, connection, keepAliveMs(this.#head!));
    } else connection.close();
  }

  #onAbort = (): void => {
    this.#connection?.close();
    this.#onLateConnect?.();
  };

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#watchdog.stop();
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    this.#connection?.close();
    this.#content?.close();
  }

  #failure(
    what: string,
    cause: unknown,
    options: { readonly operator?: boolean } = {},
  ): UpstreamError {
    this.#end();
    const isUnsent = !this.#isBegun;
    if (this.#options.signal.aborted) {
      return new UpstreamError("aborted", "The call was aborted", { isUnsent });
    }
    const how = { isUnanswered: this.#isBegun, isUnsent };
    const peer = peerOf(this.#request);
    if (this.#late !== undefined) {
      return new UpstreamError("broken", `${peer} did not ${this.#late}`, how);
    }
    if (cause instanceof RefusedAddress) {
      return new UpstreamError("caller", `The request was not sent: ${cause.message}`, {
        code: ADDRESS_REFUSED,
      });
    }
    if (cause instanceof Deno.errors.NotCapable) {
      return new UpstreamError("operator", `${peer} ${LINK_LOCAL}`);
    }
    if (isOutOfDescriptors(cause)) {
      return new UpstreamError("starved", "This process has no file descriptor left to call it", {
        cause,
      });
    }
    const isMalformed = cause instanceof MalformedHead || cause instanceof MalformedChunk;
    const why = isMalformed || options.operator === true ? `: ${(cause as Error).message}` : "";
    return new UpstreamError(
      options.operator === true ? "operator" : "broken",
      `${peer} ${what}${why}`,
      { cause, ...how },
    );
  }
}

/** The place of the empty line that ends a head, or -1. */
function endOfHead(buffer: Uint8Array, from: number, end: number): number {
  let at = buffer.indexOf(13, from);
  while (at >= 0 && at + 3 < end) {
    if (buffer[at + 1] === 10 && buffer[at + 2] === 13 && buffer[at + 3] === 10) return at;
    at = buffer.indexOf(13, at + 1);
  }
  return -1;
}
