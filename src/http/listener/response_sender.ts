/**
 * The sending half of one connection: writes answers whole or part by part, never faster than the
 * client takes them.
 *
 * @module
 */
import { FilePart } from "./file_part.ts";
import type { CoarseClock } from "./incoming_body.ts";
import type { TextParts } from "../../domain/text_parts.ts";
import { LeanResponse } from "./lean_response.ts";
import { partLength, PartReader } from "./part_reader.ts";
import {
  encodeChunk,
  encodeTextChunk,
  encodeWithBody,
  type HeadStart,
  LAST_CHUNK,
  NON_ASCII,
  putText,
} from "./response_head.ts";

const encoder = new TextEncoder();

/** A body or head larger than this is not copied together with its head into one write. */
const SINGLE_WRITE_BYTES = 64 * 1024;
/**
 * Largest piece given to one write. Up to Deno 2.6 a write to a peer that takes nothing cannot be
 * called off and keeps its buffer for as long as the peer stays: so it must not be the whole body.
 */
const WRITE_PIECE_BYTES = 256 * 1024;
/**
 * The buffer of one download. 64 KiB give a third of the bytes per second at three times the CPU;
 * 512 KiB, or reading one piece while another is written, give a few percent more.
 */
const FILE_PIECE_BYTES = 256 * 1024;

/** What a response is to be written as, besides itself. */
export interface SendOptions {
  readonly start: HeadStart;
  readonly method: string;
  /** HTTP/1.0 knows no chunked bodies. */
  readonly http10: boolean;
  /** Whether the connection may serve another request afterwards. */
  readonly persistent: boolean;
  /** Called when the client has been given everything: from then on its leaving is no abort. */
  readonly onSent: () => void;
}

/** Writes to one socket; used by one answer at a time. */
export class ResponseSender {
  readonly #conn: Deno.Conn;
  readonly #clock: CoarseClock;
  readonly #onBroken: () => void;
  /** Bytes of the present response may have reached the client. */
  headSent = false;
  /** The source of the body under way. */
  #parts: PartReader | TextParts | FilePart | undefined;
  #writingSinceMs = -1;
  #abandoned = false;

  /** @param onBroken called when the socket refuses a write */
  constructor(conn: Deno.Conn, { clock, onBroken }: { clock: CoarseClock; onBroken: () => void }) {
    this.#conn = conn;
    this.#clock = clock;
    this.#onBroken = onBroken;
  }

  /** A write has not come back. */
  get isWriting(): boolean {
    return this.#writingSinceMs >= 0;
  }

  /** Whether an answer is under way that ends by itself, after a length that is known: a file, say. */
  isDownload = false;

  /** For how long the client has taken no byte of what is ready for it; 0 while nothing is. */
  get stalledMs(): number {
    return this.#writingSinceMs < 0 ? 0 : this.#clock.nowMs - this.#writingSinceMs;
  }

  /** Stops sending: the source of the body under way is cancelled at once. */
  async abandon(reason: Error): Promise<void> {
    this.#abandoned = true;
    await this.#parts?.cancel(reason);
  }

  /**
   * Sends a response; says whether the client was given all of it.
   *
   * @throws what the body fails with, or a TypeError when it is not as long as declared
   */
  async send(response: Response, options: SendOptions): Promise<boolean> {
    const { start, persistent, method } = options;
    this.headSent = false;
    const fields = persistent ? start.text : `${start.text}connection: close\r\n`;
    const lean = LeanResponse.of(response);
    if (lean !== undefined) {
      const { content } = lean;
      if (typeof content === "string") return await this.#sendText(content, fields, options);
      if (content instanceof FilePart) return await this.#sendFile(content, fields, options);
      const framing = options.http10 ? "" : "transfer-encoding: chunked\r\n";
      return await this.sendTextParts(content, `${fields}${framing}\r\n`, options);
    }
    const { status, body } = response;
    if (body === null || method === "HEAD" || status === 204 || status === 304) {
      // What GET would give is not known of a HEAD without a body: 0 would be a false statement.
      const length = start.declaredLength ?? (body === null && method !== "HEAD" ? 0 : undefined);
      const sized = length !== undefined && status !== 204 && (status !== 304 || length > 0);
      const sent = await this.write(
        encodeWithBody(`${fields}${sized ? `content-length: ${length}\r\n` : ""}\r\n`, undefined),
      );
      if (sent) options.onSent();
      await body?.cancel();
      return sent;
    }
    const parts = this.#parts = new PartReader(body);
    try {
      return start.declaredLength !== undefined
        ? await this.#sendSized(parts, fields, options)
        : await this.#sendUnsized(parts, fields, options);
    } finally {
      this.#parts = undefined;
      this.isDownload = false;
    }
  }

  /** A body that is one text. */
  async #sendText(text: string, fields: string, { method, onSent }: SendOptions): Promise<boolean> {
    const isAscii = !NON_ASCII.test(text);
    const body = isAscii ? undefined : encoder.encode(text);
    const prefix = `${fields}content-length: ${body?.length ?? text.length}\r\n\r\n`;
    let sent: boolean;
    if (method === "HEAD") sent = await this.write(encodeWithBody(prefix, undefined));
    else if (isAscii && text.length <= SINGLE_WRITE_BYTES) {
      sent = await this.write(encodeWithBody(prefix + text, undefined));
    } else sent = await this.#writeWithPrefix(prefix, body ?? encoder.encode(text));
    if (sent) onSent();
    return sent;
  }

  /**
   * A body that comes as texts, each of which is sent at once; chunked, but over HTTP/1.0. Says whether
   * all was sent.
   *
   * @param head Goes with the first; empty where it is sent already.
   */
  async sendTextParts(
    parts: TextParts,
    head: string,
    { method, http10, onSent }: Pick<SendOptions, "method" | "http10" | "onSent">,
  ): Promise<boolean> {
    let prefix = head;
    this.#parts = parts;
    try {
      for (;;) {
        const text = method === "HEAD" ? undefined : await parts.next();
        if (this.#abandoned) return false;
        if (text === undefined) break;
        if (text === "") continue; // an empty chunk would end the body
        if (http10 || text.length > SINGLE_WRITE_BYTES) {
          if (!await this.#writePart(prefix, encoder.encode(text), !http10)) return false;
        } else {
          const isLast = parts.isOver === true;
          const chunk = encodeTextChunk(text, prefix, isLast);
          if (!await this.write(chunk)) return false;
          if (isLast) {
            onSent();
            return true;
          }
        }
        prefix = "";
      }
    } finally {
      this.#parts = undefined;
    }
    if (method === "HEAD") await parts.cancel();
    const tail = prefix + (http10 || method === "HEAD" ? "" : LAST_CHUNK);
    if (tail !== "" && !await this.write(encodeWithBody(tail, undefined))) return false;
    onSent();
    return true;
  }

  /** A body that is read from a file, piece by piece into one buffer; the head goes with the first. */
  async #sendFile(
    part: FilePart,
    fields: string,
    { method, onSent }: SendOptions,
  ): Promise<boolean> {
    const head = `${fields}content-length: ${part.length}\r\n\r\n`;
    this.#parts = part;
    this.isDownload = true;
    try {
      let left = method === "HEAD" ? 0 : part.length;
      const buffer = new Uint8Array(head.length + Math.min(left, FILE_PIECE_BYTES));
      putText(buffer, head);
      let filled = head.length;
      while (left > 0) {
        const count = await part.read(buffer.subarray(filled));
        if (this.#abandoned) return false;
        if (!await this.write(buffer.subarray(0, filled + count))) return false;
        left -= count;
        filled = 0;
      }
      if (filled > 0 && !await this.write(buffer)) return false;
    } finally {
      this.#parts = undefined;
      this.isDownload = false;
      await part.cancel();
    }
    onSent();
    return true;
  }

  /** Writes all of `bytes`; says whether it could. While it waits the stalled-reader limit runs. */
  async write(bytes: Uint8Array): Promise<boolean> {
    try {
      for (let from = 0; from < bytes.length;) {
        if (this.#abandoned) return false;
        this.headSent = true;
        this.#writingSinceMs = this.#clock.nowMs;
        from += await this.#conn.write(from === 0 ? bytes : bytes.subarray(from));
      }
    } catch {
      // Whatever the socket says (reset, broken pipe, closed by us), nobody is there to read.
      this.#onBroken();
      return false;
    } finally {
      this.#writingSinceMs = -1;
    }
    return !this.#abandoned;
  }

  /** Writes as {@linkcode write} does, and calls back with what that would give. */
  writeThen(bytes: Uint8Array, whenWritten: (isWritten: boolean) => void): void {
    this.headSent = true;
    this.#writingSinceMs = this.#clock.nowMs;
    this.#conn.write(bytes).then((count) => {
      this.#writingSinceMs = -1;
      if (count < bytes.length && !this.#abandoned) {
        this.writeThen(bytes.subarray(count), whenWritten);
      } else whenWritten(!this.#abandoned);
    }, () => {
      this.#writingSinceMs = -1;
      this.#onBroken();
      whenWritten(false);
    });
  }

  /** A body whose length the handler declared: sent without chunk framing. */
  async #sendSized(
    parts: PartReader,
    fields: string,
    { start, onSent }: SendOptions,
  ): Promise<boolean> {
    const length = start.declaredLength!;
    let prefix = `${fields}content-length: ${length}\r\n\r\n`;
    let sentBytes = 0;
    this.isDownload = true;
    if (length === 0 || await parts.peek() === undefined) {
      if (!await this.write(encodeWithBody(prefix, undefined))) return false;
      prefix = "";
    }
    while (sentBytes < length) {
      const { value, done } = await parts.next();
      if (this.#abandoned) return false;
      if (done) {
        throw new TypeError(
          `Cannot finish a response as its body ended early: ${sentBytes} of ${length} bytes`,
        );
      }
      sentBytes += partLength(value);
      if (sentBytes > length) {
        throw new TypeError(`Cannot send a response as its body is longer than ${length} bytes`);
      }
      if (!await this.#writeWithPrefix(prefix, value)) return false;
      prefix = "";
    }
    // The client has everything and may leave: that is no abort, and the source comes to its end
    // by itself.
    onSent();
    this.#parts = undefined;
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
    { start, http10, onSent }: SendOptions,
  ): Promise<boolean> {
    const chunked = !http10;
    let prefix = chunked
      ? `${fields}transfer-encoding: chunked\r\n\r\n`
      // HTTP/1.0: the end of the connection is the end of the body.
      : `${fields}\r\n`;
    let part = await parts.peek();
    if (part === undefined) {
      if (!await this.write(encodeWithBody(prefix, undefined))) return false;
      prefix = "";
    } else if (!start.eventStream) {
      // The body of a plain Response is one part and its end.
      part = await parts.next();
      const whole = part.done ? new Uint8Array() : part.value;
      const wholeLength = partLength(whole);
      if (part.done || (await parts.peek())?.done) {
        const sized = `${fields}content-length: ${wholeLength}\r\n\r\n`;
        if (!await this.#writeWithPrefix(sized, whole)) return false;
        onSent();
        return true;
      }
      if (!await this.#writePart(prefix, whole, chunked)) return false;
      prefix = "";
    }
    for (;;) {
      const { value, done } = await parts.next();
      if (this.#abandoned) return false;
      if (done) break;
      if (partLength(value) === 0) continue;
      if (!await this.#writePart(prefix, value, chunked)) return false;
      prefix = "";
    }
    const tail = prefix + (chunked ? LAST_CHUNK : "");
    if (tail !== "" && !await this.write(encodeWithBody(tail, undefined))) return false;
    onSent();
    return true;
  }

  #writePart(prefix: string, part: Uint8Array, chunked: boolean): Promise<boolean> {
    if (!chunked) return this.#writeWithPrefix(prefix, part);
    if (part.length <= SINGLE_WRITE_BYTES) return this.write(encodeChunk(part, prefix));
    return this.#writeLargeChunk(prefix, part);
  }

  async #writeLargeChunk(prefix: string, part: Uint8Array): Promise<boolean> {
    const open = `${prefix}${part.length.toString(16)}\r\n`;
    return await this.#writeWithPrefix(open, part) &&
      await this.write(encodeWithBody("\r\n", undefined));
  }

  async #writeWithPrefix(prefix: string, part: Uint8Array): Promise<boolean> {
    if (part.length <= SINGLE_WRITE_BYTES) return await this.write(encodeWithBody(prefix, part));
    if (prefix !== "" && !await this.write(encodeWithBody(prefix, undefined))) return false;
    for (let from = 0; from < part.length; from += WRITE_PIECE_BYTES) {
      if (!await this.write(part.slice(from, from + WRITE_PIECE_BYTES))) return false;
    }
    return true;
  }
}
