/**
 * The body of one request, taken from the connection only as fast as somebody reads it.
 *
 * @module
 */

import { BodyAbortedError, BodyMalformedError, BodyTooLargeError } from "./body_errors.ts";
import { BufferPool } from "../../domain/buffer_pool.ts";
import type { ByteRoom } from "../../limits/stay.ts";
import type { SocketReader } from "./socket_reader.ts";

/** A clock that one timer advances: reading it costs nothing. */
export interface CoarseClock {
  /** Milliseconds on a monotonic scale, as of the last sweep. */
  nowMs: number;
}

const CR = 13;
const LF = 10;
const MAX_LINE_BYTES = 1024;
const MAX_TRAILER_BYTES = 8 * 1024;
/** Bytes of chunk framing allowed per body on top of one byte per byte of content. */
const MAX_EXTENSION_BYTES = 16 * 1024;
/** What is allocated first for a whole body. */
const PART_BYTES = 64 * 1024;
/** For the first parts of longer bodies, which are whole in memory of their own. */
const firstParts = new BufferPool({ bytes: PART_BYTES, most: 16 });
const CHUNK_SIZE = /^([0-9A-Fa-f]{1,12})(?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?$/;

/** Reads a body of known length, or a chunked one (RFC 9112 section 7.1). */
export class IncomingBody {
  /** What Content-Length says; `undefined` for a chunked body. */
  readonly length: number | undefined;
  /** The last byte has been taken. */
  complete: boolean;
  /** Why reading had to stop; every further read throws it. */
  failure: Error | undefined;
  /** All of it, once it was read at one time; only where somebody may want it anew. */
  taken: Uint8Array | undefined;

  readonly #reader: SocketReader;
  readonly #clock: CoarseClock;
  readonly #onFirstRead: (() => Promise<unknown>) | undefined;
  readonly #onComplete: () => void;
  readonly #isKept: boolean;
  #started = false;
  /** Content bytes left: of the whole body, or of the current chunk. */
  #left: number;
  #inChunk = false;
  #framingBytes = 0;
  readonly #pace: BodyPace;
  #waitingSinceMs = -1;

  constructor(
    reader: SocketReader,
    { length, clock, minBytesPerSecond, onFirstRead, onComplete, isKept = false }: {
      length: number | undefined;
      clock: CoarseClock;
      minBytesPerSecond: number;
      /** Sends `100 Continue` where the client waits for it. */
      onFirstRead: (() => Promise<unknown>) | undefined;
      onComplete: () => void;
      /** Whether to have {@linkcode taken}. */
      isKept?: boolean;
    },
  ) {
    this.#reader = reader;
    this.#clock = clock;
    this.length = length;
    this.#pace = new BodyPace(minBytesPerSecond);
    this.#onFirstRead = onFirstRead;
    this.#onComplete = onComplete;
    this.#isKept = isKept;
    this.#left = length ?? 0;
    this.complete = length === 0;
  }

  /** Whether somebody has begun to read it. */
  get isStarted(): boolean {
    return this.#started;
  }

  /** The least rate, in bytes/s. */
  get minBytesPerSecond(): number {
    return this.#pace.minBytesPerSecond;
  }

  /** Whether the client is waited for and more than `silenceMs` behind its least rate. */
  isTooSlow(silenceMs: number): boolean {
    if (this.#waitingSinceMs < 0) return false;
    return this.#pace.owedMs(this.#clock.nowMs - this.#waitingSinceMs) > silenceMs;
  }

  /**
   * The whole body. Memory is taken (and reserved in `budget`) as bytes come: a length that is
   * only claimed costs nothing. In the end exactly the returned bytes are reserved, after a
   * failure none.
   *
   * @throws {BodyTooLargeError} before reading where Content-Length says so already
   * @throws {GatewayError} `pool_limit_exceeded`, by the budget
   * @throws {BodyAbortedError} {BodyTooSlowError} {BodyMalformedError}
   */
  readAll(maxBytes: number, budget?: ByteRoom): Promise<Uint8Array<ArrayBuffer>> {
    const read = this.#readAll(maxBytes, budget);
    return this.#isKept ? read.then((all) => this.taken = all) : read;
  }

  async #readAll(maxBytes: number, budget?: ByteRoom): Promise<Uint8Array<ArrayBuffer>> {
    const length = this.length;
    if (length !== undefined && length > maxBytes) throw new BodyTooLargeError(maxBytes);
    const reader = this.#reader;
    if (
      length !== undefined && !this.#started && this.failure === undefined &&
      reader.buffered >= length
    ) {
      // The usual case: the body came with its head.
      budget?.reserve(length);
      this.#started = true;
      const all = reader.bytes.slice(reader.start, reader.start + length);
      reader.start += length;
      this.#left = 0;
      this.#finish();
      return all as Uint8Array<ArrayBuffer>;
    }
    let all = new Uint8Array();
    let filled = 0;
    try {
      for (;;) {
        if (length === undefined && !this.#inChunk) await this.#nextChunk();
        if (this.complete) break;
        if (filled + this.#left > maxBytes) throw new BodyTooLargeError(maxBytes);
        if (filled === all.length) {
          const step = Math.max(filled, Math.min(this.#left, PART_BYTES));
          const largest = length ?? maxBytes;
          const size = Math.min(filled + step, largest);
          budget?.reserve(size - all.length);
          const isFirstOfMore = filled === 0 && length !== undefined && length > PART_BYTES;
          const larger = isFirstOfMore ? firstParts.lend() : new Uint8Array(size);
          larger.set(all);
          firstParts.takeBack(all);
          all = larger;
        }
        filled += await this.#readContent(all.subarray(filled));
      }
    } catch (error) {
      budget?.release(all.length);
      throw error;
    }
    if (filled === all.length) return all;
    budget?.release(all.length - filled);
    return all.slice(0, filled);
  }

  /**
   * Reads content into `target` as it comes, at least a byte; says how many, 0 at the end.
   *
   * @throws {BodyAbortedError} {BodyTooSlowError} {BodyMalformedError}
   */
  async read(target: Uint8Array): Promise<number> {
    if (this.length === undefined && !this.#inChunk) await this.#nextChunk();
    return this.complete ? 0 : await this.#readContent(target);
  }

  /** Drops a body that nobody wants if it is here already; says whether the connection is clean. */
  skipBuffered(): boolean {
    if (this.complete) return true;
    if (this.length === undefined || this.failure !== undefined) return false;
    if (this.#waitingSinceMs >= 0 || this.#reader.buffered < this.#left) return false;
    this.#reader.start += this.#left;
    this.#left = 0;
    this.complete = true;
    return true;
  }

  /** Reads content into `target`, at most what is left of the body or of the chunk. */
  async #readContent(target: Uint8Array): Promise<number> {
    if (!this.#started) await this.#start();
    const wanted = target.length > this.#left ? target.subarray(0, this.#left) : target;
    this.#beginWait();
    const count = await this.#reader.readInto(wanted);
    this.#endWait(count);
    if (count === 0) throw this.#fail(new BodyAbortedError());
    this.#left -= count;
    if (this.#left === 0) {
      if (this.length === undefined) await this.#endChunk();
      else this.#finish();
    }
    return count;
  }

  /** Reads the size line of the next chunk, and the trailer after the last. */
  async #nextChunk(): Promise<void> {
    if (this.complete) return;
    if (!this.#started) await this.#start();
    const line = await this.#readLine();
    const match = CHUNK_SIZE.exec(line);
    if (match === null) throw this.#fail(new BodyMalformedError("a chunk's size is malformed"));
    this.#framingBytes += line.length - match[1]!.length;
    if (this.#framingBytes > MAX_EXTENSION_BYTES) {
      throw this.#fail(new BodyMalformedError("its chunks have too many extensions"));
    }
    this.#left = Number.parseInt(match[1]!, 16);
    if (this.#left > 0) {
      this.#inChunk = true;
      return;
    }
    let trailerBytes = 0;
    for (;;) {
      const field = await this.#readLine();
      if (field === "") break;
      // Trailers are read and dropped: nothing here is allowed to depend on them.
      trailerBytes += field.length;
      if (trailerBytes > MAX_TRAILER_BYTES) {
        throw this.#fail(new BodyMalformedError("its trailer is too long"));
      }
    }
    this.#finish();
  }

  async #endChunk(): Promise<void> {
    if (await this.#readLine() !== "") {
      throw this.#fail(new BodyMalformedError("a chunk is longer than its size"));
    }
    this.#inChunk = false;
  }

  /** One line of framing, without its CR LF; a lone LF ends nothing. */
  async #readLine(): Promise<string> {
    const reader = this.#reader;
    let scanned = 0;
    for (;;) {
      const from = reader.start + scanned;
      const index = reader.bytes.subarray(0, reader.end).indexOf(LF, from);
      if (index !== -1) {
        if (index === reader.start || reader.bytes[index - 1] !== CR) {
          throw this.#fail(new BodyMalformedError("its chunks are separated by a bare line feed"));
        }
        const line = String.fromCharCode(...reader.bytes.subarray(reader.start, index - 1));
        reader.start = index + 1;
        return line;
      }
      scanned = reader.buffered;
      if (scanned > MAX_LINE_BYTES) {
        throw this.#fail(new BodyMalformedError("a line of its chunked framing is too long"));
      }
      this.#beginWait();
      await reader.fill();
      const count = reader.buffered - scanned;
      this.#endWait(count);
      if (count === 0) throw this.#fail(new BodyAbortedError());
    }
  }

  async #start(): Promise<void> {
    this.#started = true;
    if (this.#onFirstRead !== undefined && this.#reader.buffered === 0) await this.#onFirstRead();
  }

  #beginWait(): void {
    if (this.failure !== undefined) throw this.failure;
    this.#waitingSinceMs = this.#clock.nowMs;
  }

  #endWait(count: number): void {
    this.#pace.waited(this.#clock.nowMs - this.#waitingSinceMs, count);
    this.#waitingSinceMs = -1;
  }

  #fail(error: Error): Error {
    return this.failure ??= error;
  }

  #finish(): void {
    this.complete = true;
    this.#onComplete();
  }
}

/**
 * Counts the time that a sender has been waited for and not yet made good by bytes. What came
 * faster than it had to is no credit for later: else most of a body, sent at once, would pay for
 * hours of silence.
 */
class BodyPace {
  /** The least rate, in bytes/s. */
  readonly minBytesPerSecond: number;
  #owedMs = 0;

  constructor(minBytesPerSecond: number) {
    this.minBytesPerSecond = minBytesPerSecond;
  }

  /** Milliseconds that the sender would be behind if it has been waited for this long now. */
  owedMs(waitingMs = 0): number {
    return this.#owedMs + waitingMs;
  }

  /** Notes what came of a wait. */
  waited(milliseconds: number, bytes: number): void {
    const madeGoodMs = bytes * 1000 / this.minBytesPerSecond;
    this.#owedMs = Math.max(0, this.#owedMs + milliseconds - madeGoodMs);
  }
}
