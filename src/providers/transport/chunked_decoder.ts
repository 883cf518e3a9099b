/**
 * Decodes the chunked transfer coding (RFC 9112, section 7.1) in place: the
 * payload of all chunks that are there is moved together, so that one network
 * read gives one piece.
 *
 * @module
 */

/** A body that breaks the coding. */
export class MalformedChunk extends Error {
  override readonly name = "MalformedChunk";
}

/** Where in a buffer the decoded payload lies, and where undecoded bytes go on. */
export interface Decoded {
  readonly payloadEnd: number;
  readonly restStart: number;
}

const CR = 13;
const LF = 10;
/** Digits of a chunk's size: 256 MiB at most, more than any answer may have. */
const MAX_SIZE_DIGITS = 7;
const MAX_LINE_BYTES = 4_096;
const MAX_TRAILER_BYTES = 16_384;

/** The state of one body. */
export class ChunkedDecoder {
  #state: "size" | "data" | "data-end" | "trailer" | "done" = "size";
  #left = 0;
  #trailerBytes = 0;

  /** Whether the last chunk and the trailer are read. */
  get isDone(): boolean {
    return this.#state === "done";
  }

  /**
   * Decodes `buffer` from `start` to `end`; the payload then begins at `start`.
   *
   * @throws {MalformedChunk}
   */
  decode(buffer: Uint8Array, start: number, end: number): Decoded {
    let at = start;
    let payloadEnd = start;
    while (this.#state !== "done") {
      if (this.#state === "data") {
        const size = Math.min(this.#left, end - at);
        if (size === 0) break;
        if (payloadEnd !== at) buffer.copyWithin(payloadEnd, at, at + size);
        payloadEnd += size;
        at += size;
        this.#left -= size;
        if (this.#left === 0) this.#state = "data-end";
      } else if (this.#state === "data-end") {
        if (end - at < 2) break;
        if (buffer[at] !== CR || buffer[at + 1] !== LF) {
          throw new MalformedChunk("A chunk is longer than its size");
        }
        at += 2;
        this.#state = "size";
      } else {
        const lineEnd = endOfLine(buffer, at, end);
        if (lineEnd < 0) break;
        if (this.#state === "size") this.#readSize(buffer, at, lineEnd);
        else this.#readTrailer(lineEnd - at);
        at = lineEnd + 2;
      }
    }
    return { payloadEnd, restStart: at };
  }

  #readSize(buffer: Uint8Array, start: number, end: number): void {
    let size = 0;
    let at = start;
    for (; at < end; at++) {
      const digit = hexDigit(buffer[at]!);
      if (digit < 0) break;
      if (at - start >= MAX_SIZE_DIGITS) throw new MalformedChunk("A chunk is too large");
      size = size * 16 + digit;
    }
    const next = buffer[at];
    // After the size only blanks and an extension may come.
    const isEnd = at === end || next === 0x3b || next === 0x20 || next === 0x09;
    if (at === start || !isEnd) throw new MalformedChunk("A chunk's size is malformed");
    this.#left = size;
    this.#state = size === 0 ? "trailer" : "data";
  }

  #readTrailer(length: number): void {
    this.#trailerBytes += length + 2;
    if (this.#trailerBytes > MAX_TRAILER_BYTES) throw new MalformedChunk("The trailer is too long");
    if (length === 0) this.#state = "done";
  }
}

/** The place of the CR of the next line end, or -1 when the line is not whole yet. */
function endOfLine(buffer: Uint8Array, start: number, end: number): number {
  const limit = Math.min(end, start + MAX_LINE_BYTES);
  for (let at = start; at < limit; at++) {
    const byte = buffer[at];
    if (byte === LF) throw new MalformedChunk("A line ends in a bare line feed");
    if (byte === CR) {
      if (at + 1 >= end) return -1;
      if (buffer[at + 1] !== LF) throw new MalformedChunk("A line has a bare carriage return");
      return at;
    }
  }
  if (limit < end) throw new MalformedChunk("A line is too long");
  return -1;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
