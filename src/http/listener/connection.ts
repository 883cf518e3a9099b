/**
 * One accepted connection: its requests one after another, and every way in which it can end.
 *
 * @module
 */
import { BodyTooSlowError } from "./body_errors.ts";
import type { ConnectionContext } from "./connection_context.ts";
import { ConnectionPhase } from "./connection_phase.ts";
import type { ConnectionInfo } from "./contract.ts";
import { HeadFinder, isInOnePiece, QUICK_HEAD } from "./head_finder.ts";
import { IncomingBody } from "./incoming_body.ts";
import { IncomingRequest } from "./incoming_request.ts";
import { handled, internalError } from "./internal_error.ts";
import { LeanResponse } from "./lean_response.ts";
import { closeConn, exchange, openingBytes, passageWish, peerBytes } from "./passage.ts";
import { QuickSender } from "./quick_sender.ts";
import type { RefusedHead, RequestHead } from "./request_head.ts";
import { refusalBytes, startHead } from "./response_head.ts";
import { ResponseSender } from "./response_sender.ts";
import { SocketReader } from "./socket_reader.ts";

const CONTINUE = new TextEncoder().encode("HTTP/1.1 100 Continue\r\n\r\n");
const ENDED = Promise.resolve(false);

/** Serves one connection. */
export class Connection {
  readonly #conn: Deno.Conn;
  readonly #context: ConnectionContext;
  readonly #info: ConnectionInfo;
  readonly #reader: SocketReader;
  readonly #sender: ResponseSender;
  readonly #phase: ConnectionPhase;
  #hasServed = false;
  #request: IncomingRequest | undefined;
  #body: IncomingBody | undefined;
  #passage: Deno.Conn | undefined;
  /** Whether the request under way is the connection's last. */
  #isLast = false;
  /** Sends answers that are made by callbacks; kept from one to the next. */
  #quick: QuickSender | undefined;
  readonly #heads = new HeadFinder();
  #onEnded: (() => void) | undefined;

  /** @param peer The client's IP address, or `"unix"`. */
  constructor(conn: Deno.Conn, peer: string, context: ConnectionContext) {
    this.#conn = conn;
    this.#context = context;
    this.#phase = new ConnectionPhase(context.clock);
    this.#info = { remoteAddress: peer };
    this.#reader = new SocketReader(conn, () => {
      if (this.#phase.now === "answering") this.#clientGone();
    });
    this.#sender = new ResponseSender(conn, {
      clock: context.clock,
      onBroken: () => this.#clientGone(),
    });
  }

  /** Serves requests until the connection ends; never rejects. */
  run(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEnded = resolve;
      this.#next();
    });
  }

  /** Serves the next request, once its head is there. */
  readonly #next = (): void => {
    try {
      this.#serveNext()?.then(this.#served, this.#failed);
    } catch (error) {
      this.#failed(error);
    }
  };

  /** @param hasNext Whether another request may follow. */
  readonly #served = (hasNext: boolean): void => {
    if (hasNext) this.#next();
    else this.#end();
  };

  readonly #failed = (error: unknown): void => {
    this.#context.onError(error);
    this.#end();
  };

  readonly #filled = (): void => {
    if (this.#phase.now === "idle" && this.#reader.buffered > 0) this.#phase.enter("head");
    this.#next();
  };

  #end(): void {
    this.close(new DOMException("The connection was closed", "AbortError"));
    this.#onEnded?.();
  }

  /** Ends everything at once: the request's signal, the answer's source, the socket. */
  close(reason: Error): void {
    if (this.#phase.isClosed()) return;
    this.#phase.enter("closed");
    this.#request?.clientGone(reason);
    const isOver = this.#quick?.left(reason) === true;
    this.#sender.abandon(reason).catch(this.#context.onError);
    closeConn(this.#conn);
    if (this.#passage !== undefined) closeConn(this.#passage);
    // Nobody else comes back to it, unless a write does.
    if (isOver && !this.#sender.isWriting) this.#onEnded?.();
  }

  /**
   * The last answer is out, or nobody is there to get it: no reason to wait for this connection.
   *
   * Up to Deno 2.6 closing a socket does not call off a write under way: the descriptor stays with
   * us until the peer goes, but there is nothing left to be done.
   */
  get isFinished(): boolean {
    return this.#phase.now === "lingering" || (this.#phase.isClosed() && this.#sender.isWriting);
  }

  /** Whether an answer is being sent that ends by itself, after a length that is known, or may yet be. */
  get isDownloading(): boolean {
    const { isDownload, headSent } = this.#sender;
    return this.#phase.now === "answering" && (isDownload || !headSent);
  }

  /** Closed, and its descriptor free, though its request may still be under way. */
  get isReleased(): boolean {
    return this.#phase.isClosed() && !this.#sender.isWriting;
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
    return this.#phase.waitingSinceMs;
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
    const { now } = this.#phase;
    if ((now !== "idle" && now !== "head") || this.#reader.buffered > 0) return false;
    this.close(new DOMException("The server needs the connection no more", "AbortError"));
    return true;
  }

  /** Enforces the time limits; called at every turn of the listener's one timer. */
  sweep(): void {
    const { limits, slackMs } = this.#context;
    if (this.#phase.now !== "answering") {
      const why = this.#phase.overdue(limits, slackMs);
      if (why !== undefined) this.#expire(why);
    } else if (this.#body?.isTooSlow(limits.bodySilenceMs + slackMs)) {
      this.close(this.#body.failure = new BodyTooSlowError(this.#body.minBytesPerSecond));
    } else if (this.#sender.stalledMs - slackMs > limits.stalledReaderMs) {
      this.#expire("The client stopped reading the response");
    }
  }

  #clientGone(): void {
    this.close(new DOMException("The client closed the connection", "AbortError"));
  }

  #expire(message: string): void {
    this.close(new DOMException(message, "TimeoutError"));
  }

  /**
   * One request and its answer; resolves with whether another may follow. `undefined` where it goes on by
   * callbacks: while more of the head is waited for, and where the answer is made so.
   */
  #serveNext(): Promise<boolean> | undefined {
    const reader = this.#reader;
    const found = this.#heads.next(reader);
    if (found === undefined) {
      if (this.#phase.isClosed()) return ENDED;
      const filling = this.#heads.fill(reader);
      if (filling === undefined) return ENDED;
      filling.then(this.#filled);
      return undefined;
    }
    if ("status" in found) return this.#refuse(found, found.isHead);
    return this.#answerQuickly(found) ? undefined : this.#answer(found);
  }

  /** Has the request answered by callbacks, if it is one of those; says whether. */
  #answerQuickly(head: RequestHead): boolean {
    const { quick, draining } = this.#context;
    const reader = this.#reader;
    if (quick === undefined || draining || this.#phase.isClosed()) return false;
    if (!isInOnePiece(head, reader.buffered)) return false;
    const { start } = reader;
    const body = reader.bytes.subarray(start, start + head.contentLength!);
    const sender = this.#quick ??= this.#makeQuickSender();
    this.#request = this.#body = undefined;
    this.#isLast = false;
    reader.start = start + body.length;
    const isTaken = sender.take(quick, { head, body, peer: this.address });
    if (isTaken) this.#phase.enter("answering");
    else reader.start = start;
    if (isTaken) reader.watch();
    return isTaken;
  }

  #makeQuickSender(): QuickSender {
    return new QuickSender(this.#sender, this.#context, {
      done: this.#quickDone,
      broken: () => this.#end(),
      failed: this.#failed,
      respond: (response) => void this.#respond(response).then(this.#quickDone, this.#failed),
    });
  }

  /** Sends the answer to a request that was to be answered by callbacks. */
  async #respond(promised: Promise<Response>): Promise<boolean> {
    const response = await handled(() => promised, this.#context.onError);
    return await this.#send(response, QUICK_HEAD, () => this.#quick!.answered());
  }

  /** The answer was sent; `isPersistent`: another request may follow. */
  readonly #quickDone = (isPersistent: boolean): void => {
    if (this.#phase.isClosed()) return this.#end();
    if (isPersistent && !this.#context.draining) {
      this.#hasServed = true;
      this.#phase.enter("idle");
      this.#next();
    } else if (this.#reader.buffered > 0) this.#linger().then(() => this.#end(), this.#failed);
    else this.#end();
  };

  async #answer(head: RequestHead): Promise<boolean> {
    this.#phase.enter("answering");
    this.#sender.headSent = false;
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

    const { handler, onError, openPassage } = this.#context;
    const response = await handled(() => handler(request.asRequest(), this.#info), onError);
    const wish = openPassage && passageWish(response);
    if (
      wish !== undefined && !this.#phase.isClosed() && (body.taken !== undefined || !body.isStarted)
    ) {
      const opening = openingBytes(this.address, { head, taken: body.taken, ...wish });
      this.#request = this.#body = undefined;
      return await this.#passFrom(opening, openPassage!);
    }
    wish?.otherwise?.();
    const persistent = await this.#send(response, head, () => request.answered());
    this.#request = undefined;
    if (this.#phase.isClosed()) return false;
    if (persistent && !this.#context.draining) {
      this.#hasServed = true;
      this.#phase.enter("idle");
      return true;
    }
    if (!body.complete || this.#reader.buffered > 0) await this.#linger();
    return false;
  }

  /** Lets another listener have the connection: what is taken already, then the rest as it comes. */
  async #passFrom(opening: Uint8Array, openPassage: () => Promise<Deno.Conn>): Promise<false> {
    const passage = this.#passage = await openPassage();
    if (this.#phase.isClosed()) {
      closeConn(passage);
      return false;
    }
    this.#phase.enter("passing");
    const { left } = await exchange(passage, opening, {
      read: (target) => this.#reader.readInto(target),
      conn: this.#conn,
    });
    // What the client still sends is for the other listener to read, or to refuse.
    if (left !== undefined && !this.#phase.isClosed()) await this.#lingerWhile(() => left);
    return false;
  }

  /** Sends a response; says whether the connection can serve another request after it. */
  async #send(
    response: Response,
    head: Pick<RequestHead, "method" | "http10" | "persistent">,
    onSent: () => void,
  ): Promise<boolean> {
    if (this.#phase.isClosed()) {
      const source = LeanResponse.of(response) ?? response.body;
      await source?.cancel(new DOMException("The client is gone", "AbortError"));
      return false;
    }
    this.#sender.headSent = false;
    try {
      const start = startHead(response, this.#context.clock.dateLine);
      const persistent = this.#body?.skipBuffered() !== false && head.persistent && !start.close &&
        !this.#isLast && !this.#context.draining;
      const sent = await this.#sender.send(response, {
        start,
        method: head.method,
        http10: head.http10,
        persistent,
        onSent,
      });
      return sent && persistent;
    } catch (error) {
      if (this.#phase.isClosed()) return false;
      this.#context.onError(error);
      if (!this.#sender.headSent) {
        // A bad header fails before the source of the body is reached.
        await LeanResponse.of(response)?.cancel(error);
        return await this.#send(internalError(), head, onSent);
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
    this.#phase.enter("answering");
    const response = this.#context.refusal(refused);
    const sent = await refusalBytes(response, this.#context.clock.dateLine, isHead);
    if (await this.#sender.write(sent)) await this.#linger();
    return false;
  }

  /** Closes our direction and drops what still comes. */
  async #linger(): Promise<void> {
    await this.#lingerWhile(() => this.#reader.drop(() => this.#phase.moveOn()));
  }

  /**
   * Closes our direction, and waits for what is still done with the other, or for the sweep: closing a socket
   * with unread bytes resets it, and the client would lose the answer that it has not read yet.
   */
  async #lingerWhile(rest: () => Promise<void>): Promise<void> {
    this.#phase.enter("lingering");
    try {
      await this.#conn.closeWrite();
    } catch {
      return; // gone already
    }
    await rest();
  }

  readonly #sendContinue = (): Promise<unknown> => this.#sender.write(CONTINUE);
  readonly #watch = (): void => this.#reader.watch();
}
