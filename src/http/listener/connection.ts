/**
 * One accepted connection: its requests one after another, and every way in which it can end.
 *
 * @module
 */
import { BodyTooSlowError } from "./body_errors.ts";
import type {
  ConnectionInfo,
  ListenerLimits,
  RefusalWriter,
  RefusedHead,
  RequestHandler,
} from "./contract.ts";
import { type CoarseClock, IncomingBody } from "./incoming_body.ts";
import { IncomingRequest } from "./incoming_request.ts";
import { LeanResponse } from "./lean_response.ts";
import { closeConn, exchange, openingBytes, passageWish, peerBytes } from "./passage.ts";
import {
  BARE_LINE_FEED,
  findHeadEnd,
  INCOMPLETE,
  MAX_HEAD_BYTES,
  parseHead,
  type RequestHead,
} from "./request_head.ts";
import { encodeWithBody, startHead } from "./response_head.ts";
import { ResponseSender } from "./response_sender.ts";
import { SocketReader } from "./socket_reader.ts";

/** What all connections of a listener share. */
export interface ConnectionContext {
  readonly handler: RequestHandler;
  readonly limits: ListenerLimits;
  readonly clock: CoarseClock & { /** The `Date` header line of now. */ dateLine: string };
  readonly onError: (error: unknown) => void;
  readonly refusal: RefusalWriter;
  /** Opens a connection to the listener that requests are passed on to; absent: none are. */
  readonly openPassage?: (() => Promise<Deno.Conn>) | undefined;
  /** Whether a connection is closed once it has answered a request; absent: clients may keep it. */
  readonly isLast?: ((request: Request) => boolean) | undefined;
  /** How far {@linkcode clock} may be behind, in milliseconds. */
  readonly slackMs: number;
  /** Answers close their connection from now on. */
  draining: boolean;
}

type Phase = "idle" | "head" | "answering" | "passing" | "lingering" | "closed";

/** How long what a client still sends after a final answer is read and dropped, in all and idle. */
const LINGER_MS = 30_000;
const LINGER_IDLE_MS = 5_000;
const HEAD_METHOD = new TextEncoder().encode("HEAD ");
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
  readonly #sender: ResponseSender;
  #phase: Phase = "head";
  /** When the present phase began, or last moved on. */
  #sinceMs: number;
  #lingerSinceMs = 0;
  #hasServed = false;
  #request: IncomingRequest | undefined;
  #body: IncomingBody | undefined;
  #passage: Deno.Conn | undefined;
  /** Whether the request under way is the connection's last. */
  #isLast = false;

  /** @param peer The client's IP address, or `"unix"`. */
  constructor(conn: Deno.Conn, peer: string, context: ConnectionContext) {
    this.#conn = conn;
    this.#context = context;
    this.#sinceMs = context.clock.nowMs;
    this.#info = { remoteAddress: peer };
    this.#reader = new SocketReader(conn, () => {
      if (this.#phase === "answering") this.#clientGone();
    });
    this.#sender = new ResponseSender(conn, {
      clock: context.clock,
      onBroken: () => this.#clientGone(),
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
    this.#sender.abandon(reason).catch(this.#context.onError);
    closeConn(this.#conn);
    if (this.#passage !== undefined) closeConn(this.#passage);
  }

  /**
   * The last answer is out, or nobody is there to get it: no reason to wait for this connection.
   *
   * Up to Deno 2.6 closing a socket does not call off a write under way: the descriptor stays with
   * us until the peer goes, but there is nothing left to be done.
   */
  get isFinished(): boolean {
    return this.#phase === "lingering" || (this.#phase === "closed" && this.#sender.isWriting);
  }

  /** Closed, and its descriptor free, though its request may still be under way. */
  get isReleased(): boolean {
    return this.#phase === "closed" && !this.#sender.isWriting;
  }

  /** The peer's IP address, or `"unix"`. */
  get address(): string {
    return this.#info.remoteAddress;
  }

  /**
   * Since when nothing is asked on it or answered: idle, in the middle of a head, or at its end;
   * infinite while it is served. Milliseconds of the coarse clock.
   */
  get waitingSinceMs(): number {
    const isServed = this.#phase === "answering" || this.#phase === "passing" ||
      this.#phase === "closed";
    return isServed ? Number.POSITIVE_INFINITY : this.#sinceMs;
  }

  /** Whether a request on it was answered. */
  get hasServed(): boolean {
    return this.#hasServed;
  }

  /** Closes it in favour of another. */
  giveWay(): void {
    this.close(new DOMException("The connection made way for another", "AbortError"));
  }

  /** Closes a connection on which nothing is under way; says whether it did. */
  closeIfIdle(): boolean {
    const waiting = this.#phase === "idle" || this.#phase === "head";
    if (!waiting || this.#reader.buffered > 0) return false;
    this.close(new DOMException("The server needs the connection no more", "AbortError"));
    return true;
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
        if (this.#body?.isTooSlow(limits.bodySilenceMs + slackMs)) {
          this.close(this.#body.failure = new BodyTooSlowError(this.#body.minBytesPerSecond));
        } else if (
          this.#sender.stalledMs - slackMs > limits.stalledReaderMs
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

  #clientGone(): void {
    this.close(new DOMException("The client closed the connection", "AbortError"));
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
      if (reader.skipBlankLines()) scanFrom = reader.start;
      headEnd = findHeadEnd(reader.bytes, { start: reader.start, end: reader.end, from: scanFrom });
      if (headEnd !== INCOMPLETE) break;
      if (reader.ended || this.#isClosed()) return false;
      const held = reader.buffered;
      if (held > MAX_HEAD_BYTES) break;
      await reader.fill();
      if (this.#phase === "idle" && reader.buffered > 0) this.#enter("head");
      scanFrom = reader.start + held;
    }
    const isHead = reader.startsWith(HEAD_METHOD);
    if (headEnd === BARE_LINE_FEED) {
      return await this.#refuse({
        status: 400,
        message: "The request head has a line feed without a carriage return",
      }, isHead);
    }
    if (headEnd === INCOMPLETE || headEnd - reader.start > MAX_HEAD_BYTES) {
      return await this.#refuse({
        status: 431,
        message: `The request head is larger than ${MAX_HEAD_BYTES} bytes`,
      }, isHead);
    }
    const head = parseHead(reader.bytes.subarray(reader.start, headEnd));
    if ("status" in head) return await this.#refuse(head, isHead);
    reader.start = headEnd;
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
      isKept: this.#context.openPassage !== undefined,
    });
    const request = this.#request = new IncomingRequest(head, body);
    if (body.complete) this.#reader.watch();
    this.#isLast = this.#context.isLast?.(request.asRequest()) === true;

    let response: Response;
    try {
      response = await this.#context.handler(request.asRequest(), this.#info);
      if (!(response instanceof Response)) {
        throw new TypeError("Cannot answer a request as its handler returned no Response");
      }
    } catch (error) {
      this.#context.onError(error);
      response = internalError();
    }
    const { openPassage } = this.#context;
    const wish = openPassage && passageWish(response);
    if (wish !== undefined && !this.#isClosed() && (body.taken !== undefined || !body.isStarted)) {
      const opening = openingBytes(this.address, { head, taken: body.taken, ...wish });
      this.#request = this.#body = undefined;
      return await this.#passFrom(opening, openPassage!);
    }
    wish?.otherwise?.();
    const persistent = await this.#send(response, head, request);
    this.#request = undefined;
    if (this.#isClosed()) return false;
    if (persistent && !this.#context.draining) {
      this.#hasServed = true;
      this.#enter("idle");
      return true;
    }
    if (!body.complete || this.#reader.buffered > 0) await this.#linger();
    return false;
  }

  /** Lets another listener have the connection: what is taken already, then the rest as it comes. */
  async #passFrom(opening: Uint8Array, openPassage: () => Promise<Deno.Conn>): Promise<false> {
    const passage = this.#passage = await openPassage();
    if (this.#isClosed()) {
      closeConn(passage);
      return false;
    }
    this.#enter("passing");
    const { left } = await exchange(passage, opening, {
      read: (target) => this.#reader.readInto(target),
      conn: this.#conn,
    });
    // What the client still sends is for the other listener to read, or to refuse.
    if (left !== undefined && !this.#isClosed()) await this.#lingerWhile(() => left);
    return false;
  }

  /** Sends a response; says whether the connection can serve another request after it. */
  async #send(response: Response, head: RequestHead, request: IncomingRequest): Promise<boolean> {
    if (this.#isClosed()) {
      const source = LeanResponse.of(response) ?? response.body;
      await source?.cancel(new DOMException("The client is gone", "AbortError"));
      return false;
    }
    this.#sender.headSent = false;
    try {
      const start = startHead(response, this.#context.clock.dateLine);
      const persistent = this.#body!.skipBuffered() && head.persistent && !start.close &&
        !this.#isLast && !this.#context.draining;
      const sent = await this.#sender.send(response, {
        start,
        method: head.method,
        http10: head.http10,
        persistent,
        onSent: () => request.answered(),
      });
      return sent && persistent;
    } catch (error) {
      if (this.#isClosed()) return false;
      this.#context.onError(error);
      if (!this.#sender.headSent) {
        // A bad header fails before the source of the body is reached.
        await LeanResponse.of(response)?.cancel(error);
        return await this.#send(internalError(), head, request);
      }
      // Part of the answer is out: all that is left to say is that it is not complete.
      this.close(new DOMException("The response failed", "AbortError"));
      return false;
    }
  }

  /** Refuses what is not a proper request, and trusts nothing that follows it. */
  async #refuse(refused: RefusedHead, isHead: boolean): Promise<false> {
    const { openPassage } = this.#context;
    if (openPassage !== undefined) return this.#passFrom(peerBytes(this.address), openPassage);
    this.#enter("answering");
    const response = this.#context.refusal(refused);
    const body = new TextEncoder().encode(await response.text());
    const { text: fields } = startHead(response, this.#context.clock.dateLine);
    const head = `${fields}connection: close\r\ncontent-length: ${body.length}\r\n\r\n`;
    // Whatever else is wrong with it, a HEAD is answered without a body: RFC 9110 section 9.3.2.
    const sent = encodeWithBody(head, isHead ? new Uint8Array() : body);
    if (await this.#sender.write(sent)) await this.#linger();
    return false;
  }

  /**
   * Closes our direction and drops what still comes: closing a socket with unread bytes resets
   * the connection, and the client would lose the answer that it has not read yet.
   */
  async #linger(): Promise<void> {
    await this.#lingerWhile(async () => {
      while (!this.#isClosed() && await this.#reader.readInto(DISCARDED) > 0) {
        this.#sinceMs = this.#context.clock.nowMs;
      }
    });
  }

  /** Closes our direction, and waits for what is still done with the other, or for the sweep. */
  async #lingerWhile(rest: () => Promise<void>): Promise<void> {
    this.#enter("lingering");
    this.#lingerSinceMs = this.#sinceMs;
    try {
      await this.#conn.closeWrite();
    } catch {
      return; // gone already
    }
    await rest();
  }

  readonly #sendContinue = async (): Promise<void> => {
    await this.#sender.write(CONTINUE);
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
}

function internalError(): Response {
  return new Response(INTERNAL_ERROR, {
    status: 500,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });
}
