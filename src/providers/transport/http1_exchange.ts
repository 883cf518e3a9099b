/**
 * One request and its answer on an HTTP/1.1 connection.
 *
 * @module
 */

import type { AnswerRoom } from "../../dialects/base/answer.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import { AnswerBody } from "./answer_body.ts";
import { collectText, countOrClose, drain, tooLarge } from "./collect_text.ts";
import { unlessGivenUp } from "./connect.ts";
import type { Connection } from "./connection.ts";
import { ContentDecoder } from "./content_decoder.ts";
import { exchangeFailure } from "./exchange_failure.ts";
import type { ExchangeOptions } from "./exchange_options.ts";
import {
  type BegunExchange,
  type ExchangeListener,
  isStreamed,
  peerOf,
  type UpstreamRequest,
  type UpstreamResponse,
} from "./contract.ts";
import {
  isStream,
  keepAliveMs,
  MalformedHead,
  parseResponseHead,
  readHead,
  type ResponseHead,
  takeUsualHead,
} from "./response_head.ts";
import { dropWritten, requestBytes, sendRequest } from "./request_bytes.ts";
import { Watchdog } from "./watchdog.ts";

/** Interim answers (100, 103 …) before the real one. */
const MAX_INTERIM = 10;

/** Sends with `send` or `begin`, then is the answer. */
export class Http1Exchange implements BegunExchange {
  #request: UpstreamRequest;
  readonly #options: ExchangeOptions;
  readonly #watchdog: Watchdog;
  #connection: Connection | undefined;
  #head: ResponseHead | undefined;
  #body: AnswerBody | undefined;
  #content: ContentDecoder | undefined;
  #isSent = false;
  /** Whether anything of the request may have left. */
  #isBegun = false;
  #isEnded = false;
  #late: string | undefined;
  /** Absent for as long as the exchange goes on by callbacks. */
  #signal: AbortSignal | undefined;
  #listener: ExchangeListener | undefined;
  #sending: Promise<void> | undefined;
  #hasByte = false;
  /** What was sent, in case that it has to be sent anew. */
  #bytes: Uint8Array | undefined;

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
  async send(signal: AbortSignal): Promise<UpstreamResponse> {
    const { target, pool } = this.#options;
    this.#signal = signal;
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

  /**
   * Sends at once on a connection that is idle, and goes on by callbacks until {@linkcode goOn}; says
   * whether there was one, and else does nothing.
   */
  begin(listener: ExchangeListener): boolean {
    const { target, pool } = this.#options;
    let connection: Connection | undefined;
    let bytes: Uint8Array;
    try {
      bytes = requestBytes(this.#request, target);
      connection = pool.take(target.origin);
    } finally {
      if (connection === undefined) this.#watchdog.stop();
    }
    if (connection === undefined) return false;
    this.#listener = listener;
    this.#write(connection, bytes);
    if (!isStreamed(this.#request.body)) this.#request = { ...this.#request, body: undefined };
    connection.fillThen(this.#onHeadBytes);
    return true;
  }

  async goOn(signal: AbortSignal): Promise<UpstreamResponse> {
    this.goOnReading(signal);
    if (this.#head !== undefined) return this;
    const bytes = this.#bytes!;
    if (!(await this.#awaitHead(this.#connection!, true))) {
      await this.#attempt(await this.#connect(), bytes, false);
    }
    return this;
  }

  goOnReading(signal: AbortSignal): void {
    this.#listener = undefined;
    this.#connection?.stopCalling();
    this.#signal = signal;
    if (this.#isEnded) return;
    signal.addEventListener("abort", this.#onAbort);
    if (signal.aborted) this.#onAbort();
  }

  textNow(maxBytes: number, room?: AnswerRoom): string | undefined {
    const body = this.#body!;
    try {
      body.wait(this.#connection!);
    } catch (error) {
      throw this.#failure("cut its answer", error);
    }
    const bytes = body.bytesThere(this.#connection!);
    return bytes === undefined || bytes > maxBytes ? undefined : this.#wholeText(bytes, room);
  }

  takeNow(): Uint8Array | undefined {
    return this.#body!.takeNow(this.#connection!);
  }

  get isBroken(): boolean {
    return this.#body!.failure !== undefined;
  }

  get isWhole(): boolean {
    return this.#body!.isWhole;
  }

  get isLong(): boolean {
    return this.#content !== undefined || this.#body!.isLong(this.#connection!);
  }

  moreThen(limitMs: number | undefined): void {
    if (limitMs !== undefined) this.#watchdog.arm(limitMs, "send more");
    this.#connection!.fillThen(this.#onBodyBytes);
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
    const { framing } = this.#body!;
    if (this.#content === undefined && framing.kind === "length") {
      if (framing.length > maxBytes) throw tooLarge(this, maxBytes);
      // The usual case: the whole answer came with its head.
      const bytes = this.#isEnded ? undefined : this.#body!.bytesThere(this.#connection!);
      if (bytes !== undefined) return this.#wholeText(bytes, room);
    }
    return await collectText(this, { maxBytes, room, limitMs: this.#request.timeouts.totalMs });
  }

  /** The text of a body that is there. */
  #wholeText(bytes: number, room: AnswerRoom | undefined): string {
    countOrClose(this, bytes, room);
    const text = this.#body!.textThere(this.#connection!);
    this.#finish();
    return text;
  }

  close(): void {
    if (this.#isEnded) return;
    if (this.#body?.isWhole === true) this.#finish();
    else this.#end();
  }

  release(): void {
    if (this.#isEnded) return;
    if (this.#body?.isWhole === true) this.#finish();
    else void drain(this);
  }

  /** Connects within the limit for connecting. */
  async #connect(): Promise<Connection> {
    const { open, target } = this.#options;
    this.#watchdog.arm(this.#request.timeouts.connectMs, "accept a connection");
    let connection: Connection | undefined;
    try {
      connection = await unlessGivenUp(open(target), (giveUp) => this.#onLateConnect = giveUp);
    } catch (error) {
      throw this.#failure("could not be reached", error);
    } finally {
      this.#onLateConnect = undefined;
      this.#watchdog.disarm();
    }
    if (connection !== undefined && !this.#isAborted) return connection;
    connection?.close();
    throw this.#failure("could not be reached", undefined);
  }

  #onLateConnect: (() => void) | undefined;

  /**
   * @param wasIdle Whether the connection may have been closed meanwhile.
   * @returns Whether the head is in; `false` when the connection turned out to be
   * stale and the request is to be sent on another one.
   */
  async #attempt(connection: Connection, bytes: Uint8Array, wasIdle: boolean): Promise<boolean> {
    this.#write(connection, bytes);
    return await this.#awaitHead(connection, wasIdle);
  }

  /** Writes the request. Not awaited: an upstream may answer, or refuse, before it has read everything. */
  #write(connection: Connection, bytes: Uint8Array): void {
    this.#connection = connection;
    if (this.#request.stream) {
      this.#watchdog.arm(this.#request.timeouts.firstByteMs, "begin to answer");
    }
    this.#isSent = this.#hasByte = false;
    this.#isBegun = true;
    this.#bytes = bytes;
    // When writing fails, so does reading, and that failure is the one to report.
    this.#sending = sendRequest(connection, bytes, this.#request.body).then(this.#onSent, () => {
      connection.close();
    });
  }

  readonly #onSent = (): void => {
    this.#isSent = true;
    dropWritten(this.#bytes!, this.#request);
    if (this.#head !== undefined) this.#bytes = undefined;
  };

  /** As {@linkcode Http1Exchange.#attempt}, of a request that is written. */
  async #awaitHead(connection: Connection, wasIdle: boolean): Promise<boolean> {
    try {
      for (let interim = 0; interim <= MAX_INTERIM; interim++) {
        const head = parseResponseHead(await readHead(connection, this.#onByte));
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
      if (wasIdle && !this.#hasByte) {
        // What was taken of the request is known when writing has ended, as it has now.
        await this.#sending;
        const isUnread = this.#request.method === "GET" || !connection.tookBytes;
        if (isUnread && this.#late === undefined && !this.#isAborted) return false;
      }
      throw this.#failure("did not answer", error);
    }
  }

  readonly #onByte = (): void => void (this.#hasByte = true);
  /** More bytes of a head, or none any more. What is not the usual head is left to who reads on. */
  readonly #onHeadBytes = (isMore: boolean): void => {
    const listener = this.#listener!;
    const connection = this.#connection!;
    if (!isMore) return listener.onTrouble();
    this.#hasByte = true;
    const head = takeUsualHead(connection);
    if (head === "odd") return listener.onTrouble();
    if (head === "more") return connection.fillThen(this.#onHeadBytes);
    this.#watchdog.disarm();
    this.#begin(head);
    listener.onHead();
  };

  readonly #onBodyBytes = (isMore: boolean): void => {
    this.#watchdog.disarm();
    if (isMore) this.#listener!.onBytes();
    else this.#listener!.onTrouble();
  };

  #begin(head: ResponseHead): void {
    this.#head = head;
    if (this.#isSent) this.#bytes = undefined;
    if (isStream(head, this.#request.stream)) {
      this.#connection!.readAsStream();
      this.#request = { ...this.#request, body: undefined }; // as long as any prompt
    }
    const body = this.#body = new AnswerBody(head.framing);
    const coding = head.headers.get("content-encoding")?.toLowerCase() ?? "identity";
    if (coding !== "identity" && coding !== "" && !body.isWhole) {
      this.#content = ContentDecoder.create(coding, (limitMs) => this.#readRaw(limitMs));
      if (this.#content === undefined) {
        throw new MalformedHead("The answer has an unknown Content-Encoding");
      }
    }
  }

  async #readRaw(limitMs: number): Promise<Uint8Array | undefined> {
    if (this.#isEnded) {
      if (this.#late !== undefined || this.#isAborted) {
        throw this.#failure("was closed", undefined);
      }
      return undefined;
    }
    const body = this.#body!;
    const taken = body.taken();
    if (taken !== undefined) return taken;
    const connection = this.#connection!;
    try {
      while (true) {
        if (body.isWhole) {
          this.#finish();
          return undefined;
        }
        const bytes = body.take(connection);
        if (bytes !== undefined) return bytes;
        if (body.isWhole) continue;
        this.#watchdog.arm(limitMs, "send more");
        const isMore = await connection.fill();
        this.#watchdog.disarm();
        if (isMore) continue;
        if (body.framing.kind !== "close" || connection.isClosed) {
          throw this.#failure("cut its answer", undefined);
        }
        body.isWhole = true;
      }
    } catch (error) {
      if (error instanceof UpstreamError) throw error;
      throw this.#failure("cut its answer", error);
    }
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

  get #isAborted(): boolean {
    return this.#signal?.aborted === true;
  }

  #onAbort = (): void => {
    this.#connection?.close();
    this.#onLateConnect?.();
  };

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#watchdog.stop();
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#connection?.close();
    this.#content?.close();
  }

  #failure(what: string, cause: unknown, options: { readonly operator?: boolean } = {}) {
    this.#end();
    const how = { isAborted: this.#isAborted, isBegun: this.#isBegun, late: this.#late };
    return exchangeFailure({ what, cause, ...options, peer: peerOf(this.#request), ...how });
  }
}
