/**
 * Sends answers that are made by callbacks: head and text in one write, parts of a stream as they come.
 *
 * @module
 */

import type { TextParts } from "../../domain/text_parts.ts";
import type { QuickAnswer, QuickClient, QuickHandler, QuickRequest } from "./contract.ts";
import { LeanResponse } from "./lean_response.ts";
import { encodeTextChunk, encodeWithBody, NON_ASCII, startHead } from "./response_head.ts";
import type { ResponseSender } from "./response_sender.ts";

/** What it is told of its connection. */
export interface QuickContext {
  readonly clock: { readonly dateLine: string };
  /** Answers close their connection from now on. */
  readonly draining: boolean;
  readonly onError: (error: unknown) => void;
}

/** Who hears how it goes. */
export interface QuickEvents {
  /** All was sent; `isPersistent`: the client knows that the connection goes on. */
  done(isPersistent: boolean): void;
  /** It could not be sent: the connection is closed. */
  broken(): void;
  /** It could not be made: all that is left to say is that it is not complete. */
  failed(error: unknown): void;
  /** An answer comes as a promise. */
  respond(response: Promise<Response>): void;
}

const encoder = new TextEncoder();
/** A longer part is not put together with its framing. */
const MOST_CHARACTERS = 64 * 1024;
/** See `ResponseSender`: a write that hangs keeps its buffer. */
const PIECE_BYTES = 256 * 1024;

/** Of one connection, for one answer after the other. */
export class QuickSender implements QuickClient {
  readonly #sender: ResponseSender;
  readonly #context: QuickContext;
  readonly #events: QuickEvents;
  /** What goes before the next part. */
  #head = "";
  #isPersistent = true;
  /** An answer whose bytes are made, and that was not sent yet. */
  #prepared: { readonly response: Response; readonly bytes: Uint8Array } | undefined;
  #answer: QuickAnswer | undefined;
  /** Whether the rest of the answer comes by promises, whose end is told whatever comes. */
  #isPromised = false;

  constructor(sender: ResponseSender, context: QuickContext, events: QuickEvents) {
    this.#sender = sender;
    this.#context = context;
    this.#events = events;
  }

  /** Has a request answered, if the handler takes it; says whether. */
  take(handler: QuickHandler, request: QuickRequest): boolean {
    this.#isPromised = false;
    this.#prepared = undefined;
    try {
      this.#answer = handler(request, this);
    } catch (error) {
      this.#context.onError(error);
    }
    return this.#answer !== undefined;
  }

  /**
   * The client has gone, of which whoever makes an answer is told; says whether that is the end of it:
   * an answer that is promised, or asked for part by part, is still waited for.
   */
  left(reason: Error): boolean {
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.left(reason);
    return answer !== undefined && !this.#isPromised;
  }

  /** The whole answer is out: from now on nobody is told of the client's leaving. */
  answered(): void {
    this.#answer = undefined;
  }

  prepare(response: Response): void {
    this.#prepared = { response, bytes: this.#wholeBytes(response) };
  }

  answer(response: Response): void {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    // The head says whether the connection goes on, which may have changed since.
    const isReady = prepared?.response === response &&
      this.#isPersistent === !this.#context.draining;
    const bytes = isReady ? prepared.bytes : this.#wholeBytes(response);
    this.#sender.writeThen(bytes, this.#whenLastIsWritten);
  }

  #wholeBytes(response: Response): Uint8Array {
    const fields = this.#begin(response);
    const text = LeanResponse.of(response)!.content as string;
    const body = NON_ASCII.test(text) ? encoder.encode(text) : undefined;
    const head = `${fields}content-length: ${body?.length ?? text.length}\r\n\r\n`;
    return body === undefined ? encodeWithBody(head + text, undefined) : encodeWithBody(head, body);
  }

  begin(response: Response): void {
    this.#head = `${this.#begin(response)}transfer-encoding: chunked\r\n\r\n`;
  }

  part(text: string, isLast: boolean): void {
    const whenWritten = isLast ? this.#whenLastIsWritten : this.#whenPartIsWritten;
    const head = this.#head;
    this.#head = "";
    const bytes = encodeTextChunk(text, head, isLast);
    if (text.length <= MOST_CHARACTERS) this.#sender.writeThen(bytes, whenWritten);
    else this.#writeInPieces(bytes).then(whenWritten, (error) => this.#events.failed(error));
  }

  respondParts(rest: TextParts): void {
    this.#isPromised = true;
    const head = this.#head;
    this.#head = "";
    const how = { method: "POST", http10: false, onSent() {} };
    this.#sender.sendTextParts(rest, head, how).then(
      this.#whenLastIsWritten,
      (error) => this.#events.failed(error),
    );
  }

  respond(response: Promise<Response>): void {
    this.#isPromised = true;
    this.#events.respond(response);
  }

  /** The head's lines but for the framing. */
  #begin(response: Response): string {
    const { text } = startHead(response, this.#context.clock.dateLine);
    this.#isPersistent = !this.#context.draining;
    return this.#isPersistent ? text : `${text}connection: close\r\n`;
  }

  async #writeInPieces(bytes: Uint8Array): Promise<boolean> {
    for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
      if (!await this.#sender.write(bytes.slice(from, from + PIECE_BYTES))) return false;
    }
    return true;
  }

  readonly #whenPartIsWritten = (isWritten: boolean): void => {
    if (isWritten) this.#answer?.sent();
    else this.#events.broken();
  };

  readonly #whenLastIsWritten = (isWritten: boolean): void => {
    this.answered();
    if (isWritten) this.#events.done(this.#isPersistent);
    else this.#events.broken();
  };
}
