/**
 * The body of an answer without its framing (RFC 9112 sections 6 and 7).
 *
 * @module
 */

import type { Framing } from "./answer_head.ts";
import { broken } from "./answer_head.ts";
import type { UpstreamSocket } from "./upstream_socket.ts";

/** A chunk's size line, its extensions included, and a trailer line are not longer. */
const MAX_LINE_BYTES = 8 * 1024;
const SIZE_LINE = /^([0-9a-f]{1,12})[ \t]*(?:;.*)?$/i;
const latin1 = new TextDecoder("latin1");

/** Where a chunked body stands. */
type ChunkState = "size" | "data" | "data_end" | "trailer";

/** Reads one body; `ended` once its last byte was given. */
export class BodyReader {
  ended: boolean;
  readonly #socket: UpstreamSocket;
  readonly #kind: Framing["kind"];
  /** Bytes left of the body, or of the current chunk. */
  #left = 0;
  #state: ChunkState = "size";

  constructor(socket: UpstreamSocket, framing: Framing) {
    this.#socket = socket;
    this.#kind = framing.kind;
    if (framing.kind === "length") this.#left = framing.bytes;
    this.ended = framing.kind === "none" || (framing.kind === "length" && framing.bytes === 0);
  }

  /**
   * The bytes that are there already; `undefined` when more must be read first.
   * They are valid until the socket is filled again.
   *
   * @throws {UpstreamError} `broken` when the framing is malformed or the body is cut.
   */
  take(): Uint8Array | undefined {
    const socket = this.#socket;
    if (this.#kind === "chunked") return this.#takeChunks();
    if (socket.buffered === 0) {
      if (socket.ended) this.#endOfConnection();
      return undefined;
    }
    const count = this.#kind === "length" ? Math.min(this.#left, socket.buffered) : socket.buffered;
    const bytes = socket.bytes.subarray(socket.start, socket.start + count);
    socket.start += count;
    if (this.#kind === "length") {
      this.#left -= count;
      if (this.#left === 0) this.ended = true;
    }
    return bytes;
  }

  /** The data of all chunks in the buffer, moved together: one piece for the parser, not many. */
  #takeChunks(): Uint8Array | undefined {
    const socket = this.#socket;
    const from = socket.start;
    let to = from;
    while (!this.ended) {
      if (this.#state === "data") {
        const count = Math.min(this.#left, socket.buffered);
        if (count === 0) break;
        if (to !== socket.start) {
          socket.bytes.copyWithin(to, socket.start, socket.start + count);
        }
        to += count;
        socket.start += count;
        this.#left -= count;
        if (this.#left === 0) this.#state = "data_end";
        continue;
      }
      const line = this.#takeLine();
      if (line === undefined) break;
      this.#onLine(line);
    }
    if (to > from) return socket.bytes.subarray(from, to);
    if (!this.ended && socket.ended) throw broken("its body is cut");
    return undefined;
  }

  #onLine(line: string): void {
    switch (this.#state) {
      case "size": {
        const size = SIZE_LINE.exec(line)?.[1];
        if (size === undefined) throw broken("a chunk's size is malformed");
        this.#left = Number.parseInt(size, 16);
        this.#state = this.#left === 0 ? "trailer" : "data";
        break;
      }
      case "data_end":
        if (line !== "") throw broken("a chunk is longer than its size");
        this.#state = "size";
        break;
      case "trailer":
        if (line === "") this.ended = true;
        break;
    }
  }

  /** The next whole line without its CR LF. */
  #takeLine(): string | undefined {
    const { bytes, start, end } = this.#socket;
    // A chunk's data is followed by CR LF alone: no need to look for it.
    if (this.#state === "data_end" && end - start >= 2 && bytes[start] === 13) {
      if (bytes[start + 1] !== 10) throw broken("a chunk is longer than its size");
      this.#socket.start += 2;
      return "";
    }
    const lineEnd = bytes.indexOf(10, start);
    if (lineEnd < 0 || lineEnd >= end) {
      if (end - start > MAX_LINE_BYTES) throw broken("a chunk's size line is too long");
      return undefined;
    }
    if (bytes[lineEnd - 1] !== 13 || lineEnd === start) {
      throw broken("a line of its body's framing has no carriage return");
    }
    this.#socket.start = lineEnd + 1;
    return latin1.decode(bytes.subarray(start, lineEnd - 1));
  }

  #endOfConnection(): void {
    if (this.#kind !== "close") throw broken("its body is cut");
    this.ended = true;
  }
}
