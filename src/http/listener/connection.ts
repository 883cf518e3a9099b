/**
 * One accepted connection: its requests one after another, and every way in which it can end.
 *
 * @module
 */
import { BodyTooSlowError } from "../body_errors.ts";
import type { ConnectionInfo, ListenerLimits, RequestHandler } from "../listener.ts";
import { type CoarseClock, IncomingBody } from "./incoming_body.ts";
import { IncomingRequest } from "./incoming_request.ts";
import { PartReader } from "./part_reader.ts";
import {
  BARE_LINE_FEED,
  findHeadEnd,
  INCOMPLETE,
  MAX_HEAD_BYTES,
  parseHead,
  type RefusedHead,
  type RequestHead,
} from "./request_head.ts";
import { encodeChunk, encodeWithBody, LAST_CHUNK, startHead } from "./response_head.ts";
import { SocketReader } from "./socket_reader.ts";

/** What all connections of a listener share. */
export interface ConnectionContext {
  readonly handler: RequestHandler;
  readonly limits: ListenerLimits;
  readonly clock: CoarseClock & { /** The `Date` header line of now. */ dateLine: string };
  readonly onError: (error: unknown) => void;
  /** How far {@linkcode clock} may be behind, in milliseconds. */
  readonly slackMs: number;
  /** Answers close their connection from now on. */
  draining: boolean;
}

type Phase = "idle" | "head" | "answering" | "lingering" | "closed";

/** A body or head larger than this is not copied together with its head into one write. */
const SINGLE_WRITE_BYTES = 64 * 1024;
/**
 * Largest piece given to one write. Up to Deno 2.6 a write to a peer that takes nothing cannot be
 * called off and keeps its buffer for as long as the peer stays: so it must not be the whole body.
 */
const WRITE_PIECE_BYTES = 256 * 1024;
/** How long what a client still sends after a final answer is read and dropped, in all and idle. */
const LINGER_MS = 30_000;
const LINGER_IDLE_MS = 5_000;
const CONTINUE = new TextEncoder().encode("HTTP/1.1 100 Continue\r\n\r\n");
const INTERNAL_ERROR = JSON.stringify({
  error: {
    message: "Internal error",
    type: "server_error",
    param: null,
    code: "internal_error",
  },
});
/** Where bytes go that nobody wants: written by all connections, read by none. */
const DISCARDED = new Uint8Array(64 * 1024);

/** Serves one connection. */
export class Connection {
  readonly #conn: Deno.Conn;
  readonly #context: ConnectionContext;
  readonly #info: ConnectionInfo;
  readonly #reader: SocketReader;
  #phase: Phase = "head";
  /** When the present phase began, or last moved on. */
  #sinceMs: number;
  #lingerSinceMs = 0;
  #writingSinceMs = -1;
  #request: IncomingRequest | undefined;
  #body: IncomingBody | undefined;
  #parts: PartReader | undefined;

  constructor(conn: Deno.Conn, context: ConnectionContext) {
    this.#conn = conn;
    this.#context = context;
    this.#sinceMs = context.clock.nowMs;
    const { remoteAddr } = conn;
    this.#info = {
      remoteAddress: "hostname" in remoteAddr ? remoteAddr.hostname : "unix",
    };
    this.#reader = new SocketReader(conn, () => {
      if (this.#phase === "answering") {
        this.close(new DOMException("The client closed the connection", "AbortError"));
      }
    });
  }

  /** Serves requests until the connection ends; never rejects. */
  async run(): Promise<void> {
    try {
      while (await this.#serveNext());
    } catch (error) {
      this.#context.onError(error);
    }
    this.close(new DOMException("The connection was closed", "AbortError"));
  }

  /** Ends everything at once: the request's signal, the answer's source, the socket. */
  close(reason: Error): void {
    if (this.#phase === "closed") return;
    this.#phase = "closed";
    this.#request?.clientGone(reason);
    this.#cancel(this.#parts, reason);
    try {
      this.#conn.close();
    } catch (error) {
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
  }

  /** Closes a connection on which nothing is under way. */
  closeIfIdle(): void {
    const waiting = this.#phase === "idle" || this.#phase === "head";
    if (waiting && this.#reader.buffered === 0) {
      this.close(new DOMException("The server is shutting down", "AbortError"));
    }
  }

  /** Enforces the time limits; called at every turn of the listener's one timer. */
  sweep(): void {
    const { limits, clock, slackMs } = this.#context;
    const ageMs = clock.nowMs - this.#sinceMs - slackMs;
    switch (this.#phase) {
      case "head":
        if (ageMs > limits.headerTimeoutMs) this.#expire("The request head took too long");
        break;
      case "idle":
        if (ageMs > limits.keepAliveMs) this.#expire("The connection was idle");
        break;
      case "answering":
        if (this.#body?.isTooSlow(limits.bodyGraceMs + slackMs)) {
          this.close(this.#body.failure = new BodyTooSlowError(this.#body.minBytesPerSecond));
        } else if (
          this.#writingSinceMs >= 0 &&
          clock.nowMs - this.#writingSinceMs - slackMs > limits.stalledReaderMs
        ) {
          this.#expire("The client stopped reading the response");
        }
        break;
      case "lingering":
        if (ageMs > LINGER_IDLE_MS || clock.nowMs - this.#lingerSinceMs > LINGER_MS) {
          this.#expire("The client went on sending");
        }
        break;
    }
  }

  #expire(message: string): void {
    this.close(new DOMException(message, "TimeoutError"));
  }

  /** One request and its answer; says whether another may follow. */
  async #serveNext(): Promise<boolean> {
    const reader = this.#reader;
    let scanFrom = reader.start;
    let headEnd: number;
    for (;;) {
      headEnd = findHeadEnd(reader.bytes, { start: reader.start, end: reader.end, from: scanFrom });
      if (headEnd !== INCOMPLETE) break;
      if (reader.ended || this.#isClosed()) return false;
      const held = reader.buffered;
      if (held > MAX_HEAD_BYTES) break;
      await reader.fill();
      if (this.#phase === "idle" && reader.buffered > 0) this.#enter("head");
      scanFrom = reader.start + held;
    }
    if (headEnd === BARE_LINE_FEED) {
      return await this.#refuse({
        status: 400,
        message: "The request head has a line feed without a carriage return",
      });
    }
    if (headEnd === INCOMPLETE || headEnd - reader.start > MAX_HEAD_BYTES) {
      return await this.#refuse({
        status: 431,
        message: `The request head is larger than ${MAX_HEAD_BYTES} bytes`,
      });
    }
    const head = parseHead(reader.bytes.subarray(reader.start, headEnd));
    reader.start = headEnd;
    if ("status" in head) return await this.#refuse(head);
    return await this.#answer(head);
  }

  async #answer(head: RequestHead): Promise<boolean> {
    this.#enter("answering");
    const body = this.#body = new IncomingBody(this.#reader, {
      length: head.contentLength,
      clock: this.#context.clock,
      minBytesPerSecond: this.#context.limits.bodyMinBytesPerSecond,
      onFirstRead: head.expectsContinue ? this.#sendContinue : undefined,
      onComplete: this.#watch,
    });
    const request = this.#request = new IncomingRequest(head, body);
    if (body.complete) this.#reader.watch();

    let response: Response;
    try {
      response = await this.#context.handler(request.asRequest(), this.#info);
      if (!(response instanceof Response)) {
        throw new TypeError("Cannot answer a request as its handler returned no Response");
      }
    } catch (error) {
      this.#context.onError(error);
      response = new Response(INTERNAL_ERROR, {
        status: 500,
        headers: { "content-type": "application/json" },
      });
    }
    const persistent = await this.#send(response, head);
    this.#request = undefined;
    this.#parts = undefined;
    if (this.#isClosed()) return false;
    if (persistent) {
      this.#enter("idle");
      return true;
    }
    if (!body.complete) await this.#linger();
    return false;
  }

  /** Sends a response; says whether the connection can serve another request after it. */
  async #send(response: Response, head: RequestHead): Promise<boolean> {
    if (this.#isClosed()) {
      await response.body?.cancel(new DOMException("The client is gone", "AbortError"));
      return false;
    }
    const start = startHead(response, this.#context.clock.dateLine);
    const persistent = this.#body!.skipBuffered() && head.persistent && !start.close &&
      !this.#context.draining;
    const fields = persistent ? start.text : `${start.text}connection: close\r\n`;
    const { status } = response;
    const stream = response.body;

    if (stream === null || head.method === "HEAD" || status === 204 || status === 304) {
      const length = start.declaredLength ?? (stream === null ? 0 : undefined);
      const sized = length !== undefined && status !== 204 && (status !== 304 || length > 0);
      const sent = await this.#write(
        encodeWithBody(`${fields}${sized ? `content-length: ${length}\r\n` : ""}\r\n`, undefined),
      );
      if (sent) this.#request!.answered();
      await stream?.cancel();
      return sent && persistent;
    }

    const parts = this.#parts = new PartReader(stream);
    let sent: boolean;
    try {
      sent = start.declaredLength !== undefined
        ? await this.#sendSized(parts, fields, start.declaredLength)
        : await this.#sendUnsized(parts, fields, {
          eventStream: start.eventStream,
          chunked: !head.http10,
        });
    } catch (error) {
      // The head is out, so all that is left to say is that the answer is not complete.
      if (!this.#isClosed()) {
        this.#context.onError(error);
        this.close(new DOMException("The response failed", "AbortError"));
      }
      return false;
    }
    return sent && persistent;
  }

  /** A body whose length the handler declared: sent without chunk framing. */
  async #sendSized(parts: PartReader, fields: string, length: number): Promise<boolean> {
    let prefix = `${fields}content-length: ${length}\r\n\r\n`;
    let sentBytes = 0;
    if (length === 0 || await parts.peek() === undefined) {
      if (!await this.#write(encodeWithBody(prefix, undefined))) return false;
      prefix = "";
    }
    while (sentBytes < length) {
      const { value, done } = await parts.next();
      if (this.#isClosed()) return false;
      if (done) {
        throw new TypeError(
          `Cannot finish a response as its body ended early: ${sentBytes} of ${length} bytes`,
        );
      }
      sentBytes += byteLength(value);
      if (sentBytes > length) {
        throw new TypeError(`Cannot send a response as its body is longer than ${length} bytes`);
      }
      if (!await this.#writeWithPrefix(prefix, value)) return false;
      prefix = "";
    }
    // The client has everything and may leave: that is no abort, and the source must see its end.
    this.#request!.answered();
    const { done } = await parts.next();
    if (!done) {
      throw new TypeError(`Cannot end a response as its body is longer than ${length} bytes`);
    }
    return true;
  }

  /** A body of unknown length: sent whole where it is there whole, otherwise part by part. */
  async #sendUnsized(
    parts: PartReader,
    fields: string,
    { eventStream, chunked }: { eventStream: boolean; chunked: boolean },
  ): Promise<boolean> {
    let prefix = chunked
      ? `${fields}transfer-encoding: chunked\r\n\r\n`
      // HTTP/1.0: the end of the connection is the end of the body.
      : `${fields}\r\n`;
    let part = await parts.peek();
    if (part === undefined) {
      if (!await this.#write(encodeWithBody(prefix, undefined))) return false;
      prefix = "";
    } else if (!eventStream) {
      // The body of a plain Response is one part and its end.
      part = await parts.next();
      const whole = part.done ? new Uint8Array() : part.value;
      if (part.done || (await parts.peek())?.done) {
        const sized = `${fields}content-length: ${byteLength(whole)}\r\n\r\n`;
        if (!await this.#writeWithPrefix(sized, whole)) return false;
        this.#request!.answered();
        return true;
      }
      if (!await this.#writePart(prefix, whole, chunked)) return false;
      prefix = "";
    }
    for (;;) {
      const { value, done } = await parts.next();
      if (this.#isClosed()) return false;
      if (done) break;
      if (byteLength(value) === 0) continue;
      if (!await this.#writePart(prefix, value, chunked)) return false;
      prefix = "";
    }
    const tail = prefix + (chunked ? LAST_CHUNK : "");
    if (tail !== "" && !await this.#write(encodeWithBody(tail, undefined))) return false;
    this.#request!.answered();
    return true;
  }

  async #writePart(prefix: string, part: Uint8Array, chunked: boolean): Promise<boolean> {
    if (!chunked) return await this.#writeWithPrefix(prefix, part);
    if (part.length <= SINGLE_WRITE_BYTES) return await this.#write(encodeChunk(part, prefix));
    const open = `${prefix}${part.length.toString(16)}\r\n`;
    return await this.#writeWithPrefix(open, part) &&
      await this.#write(encodeWithBody("\r\n", undefined));
  }

  async #writeWithPrefix(prefix: string, part: Uint8Array): Promise<boolean> {
    if (part.length <= SINGLE_WRITE_BYTES) return await this.#write(encodeWithBody(prefix, part));
    if (prefix !== "" && !await this.#write(encodeWithBody(prefix, undefined))) return false;
    for (let from = 0; from < part.length; from += WRITE_PIECE_BYTES) {
      if (!await this.#write(part.slice(from, from + WRITE_PIECE_BYTES))) return false;
    }
    return true;
  }

  /** Writes all of `bytes`; says whether it could. While it waits the stalled-reader limit runs. */
  async #write(bytes: Uint8Array): Promise<boolean> {
    try {
      for (let from = 0; from < bytes.length;) {
        if (this.#isClosed()) return false;
        this.#writingSinceMs = this.#context.clock.nowMs;
        from += await this.#conn.write(from === 0 ? bytes : bytes.subarray(from));
      }
    } catch {
      // Whatever the socket says (reset, broken pipe, closed by us), nobody is there to read.
      this.close(new DOMException("The client closed the connection", "AbortError"));
      return false;
    } finally {
      this.#writingSinceMs = -1;
    }
    return !this.#isClosed();
  }

  /** Refuses what is not a proper request, and trusts nothing that follows it. */
  async #refuse({ status, message }: RefusedHead): Promise<false> {
    this.#enter("answering");
    const text = JSON.stringify({
      error: { message, type: "invalid_request_error", param: null, code: "malformed_request" },
    });
    const response = new Response(null, {
      status,
      headers: { "content-type": "application/json" },
    });
    const { text: fields } = startHead(response, this.#context.clock.dateLine);
    const prefix = `${fields}connection: close\r\ncontent-length: ${text.length}\r\n\r\n`;
    if (await this.#write(encodeWithBody(prefix + text, undefined))) await this.#linger();
    return false;
  }

  /**
   * Closes our direction and drops what still comes: closing a socket with unread bytes resets
   * the connection, and the client would lose the answer that it has not read yet.
   */
  async #linger(): Promise<void> {
    this.#enter("lingering");
    this.#lingerSinceMs = this.#sinceMs;
    try {
      await this.#conn.closeWrite();
    } catch {
      return; // gone already
    }
    while (!this.#isClosed() && await this.#reader.readInto(DISCARDED) > 0) {
      this.#sinceMs = this.#context.clock.nowMs;
    }
  }

  readonly #sendContinue = async (): Promise<void> => {
    await this.#write(CONTINUE);
  };

  readonly #watch = (): void => this.#reader.watch();

  #enter(phase: Phase): void {
    if (this.#phase === "closed") return;
    this.#phase = phase;
    this.#sinceMs = this.#context.clock.nowMs;
  }

  /** A method, as the compiler would not believe that a field changes during an await. */
  #isClosed(): boolean {
    return this.#phase === "closed";
  }

  #cancel(parts: PartReader | undefined, reason: Error): void {
    parts?.cancel(reason).catch(this.#context.onError);
  }
}

/** @throws {TypeError} for a part that is no bytes: a stream of strings, for instance */
function byteLength(part: unknown): number {
  if (part instanceof Uint8Array) return part.length;
  throw new TypeError("Cannot send a response as a part of its body is not a Uint8Array");
}
