/**
 * The body of one answer, taken from its connection's buffer as it is framed.
 *
 * @module
 */

import { ChunkedDecoder, type MalformedChunk } from "./chunked_decoder.ts";
import type { Connection } from "./connection.ts";
import { wholeBody } from "./contract.ts";
import type { BodyFraming } from "./response_head.ts";

/** Larger answers are read as they come, not once they are there. */
const MOST_WAITED_BYTES = 128 * 1024;
const MOST_PIECES = 256;

const utf8 = new TextDecoder();

export class AnswerBody {
  readonly framing: BodyFraming;
  readonly #chunked: ChunkedDecoder | undefined;
  /** Bytes of a body with a length that are still to come. */
  #left: number;
  /** Whether the last of it was taken. */
  isWhole: boolean;
  /** Of a chunked body, what was taken while the rest was waited for. */
  #pieces: Uint8Array<ArrayBuffer>[] | undefined;
  #waitedBytes = 0;
  /** Why what came next is no part of it; from then on all that is taken. */
  failure: MalformedChunk | undefined;

  constructor(framing: BodyFraming) {
    this.framing = framing;
    this.#chunked = framing.kind === "chunked" ? new ChunkedDecoder() : undefined;
    this.#left = framing.kind === "length" ? framing.length : 0;
    this.isWhole = framing.kind === "none" || (framing.kind === "length" && framing.length === 0);
  }

  /** Bytes that are known to be all that is left, and to be there; `undefined` otherwise. */
  bytesThere({ start, end }: Connection): number | undefined {
    if (this.framing.kind === "length") return end - start < this.#left ? undefined : this.#left;
    return this.isWhole && this.#pieces !== undefined ? this.#waitedBytes : undefined;
  }

  /** The text of all that is left, which is there; it is taken then. */
  textThere(connection: Connection): string {
    if (this.framing.kind !== "length") {
      const pieces = this.#pieces!;
      this.#pieces = undefined;
      return utf8.decode(wholeBody(pieces) as Uint8Array);
    }
    const { buffer, start } = connection;
    const text = utf8.decode(buffer.subarray(start, start + this.#left));
    connection.start += this.#left;
    this.#left = 0;
    this.isWhole = true;
    return text;
  }

  /** Takes aside what is there of a chunked body; {@linkcode taken} gives it to who reads on. */
  wait(connection: Connection): void {
    const piece = this.#chunked && !this.isWhole ? this.take(connection)?.slice() : undefined;
    if (piece === undefined) return;
    (this.#pieces ??= []).push(piece as Uint8Array<ArrayBuffer>);
    this.#waitedBytes += piece.length;
  }

  /** Whether it is none to wait for as a whole. */
  isLong({ start, end }: Connection): boolean {
    const { framing } = this;
    if (framing.kind === "length") return framing.length > MOST_WAITED_BYTES;
    if (framing.kind !== "chunked") return true;
    if ((this.#pieces?.length ?? 0) > MOST_PIECES) return true;
    return this.#waitedBytes + end - start > MOST_WAITED_BYTES;
  }

  /** The next of what was taken aside. */
  taken(): Uint8Array | undefined {
    return this.#pieces?.shift();
  }

  /**
   * Payload among the bytes that are there; `undefined` when there is none.
   *
   * @throws {MalformedChunk}
   */
  take(connection: Connection): Uint8Array | undefined {
    if (this.failure !== undefined) throw this.failure;
    const { buffer, start, end } = connection;
    if (start === end) return undefined;
    let payloadEnd: number;
    if (this.#chunked !== undefined) {
      const decoded = this.#decode(this.#chunked, connection);
      payloadEnd = decoded.payloadEnd;
      connection.start = decoded.restStart;
      this.isWhole = this.#chunked.isDone;
    } else if (this.framing.kind === "length") {
      payloadEnd = start + Math.min(this.#left, end - start);
      this.#left -= payloadEnd - start;
      connection.start = payloadEnd;
      this.isWhole = this.#left === 0;
    } else {
      payloadEnd = connection.start = end;
    }
    return payloadEnd === start ? undefined : buffer.subarray(start, payloadEnd);
  }

  /** The same; a chunk that is none is met again by who reads on. */
  takeNow(connection: Connection): Uint8Array | undefined {
    if (this.isWhole || this.failure !== undefined) return undefined;
    try {
      return this.take(connection);
    } catch (error) {
      if (this.failure === undefined) throw error;
      return undefined;
    }
  }

  #decode(chunked: ChunkedDecoder, { buffer, start, end }: Connection) {
    try {
      return chunked.decode(buffer, start, end);
    } catch (error) {
      throw this.failure = error as MalformedChunk;
    }
  }
}
