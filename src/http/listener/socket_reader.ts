/**
 * The receiving half of one connection: a small buffer in front of the socket, and the one
 * outstanding read that also notices when the peer goes away.
 *
 * @module
 */

/** As many connections do nothing else than wait for their answers, with this for all they may send. */
const INITIAL_BYTES = 1024;
/** Least of a buffer for a head that was not all there. */
const GROWN_BYTES = 4 * 1024;
/** Of a buffer that had to grow, what the connection keeps for as long as it lives. */
const KEPT_BYTES = 8 * 1024;
const CR = 13;
const LF = 10;

/** Where bytes go that nobody wants: written by all connections, read by none. */
const DISCARDED = new Uint8Array(64 * 1024);

/** Reads a socket into a buffer; `bytes[start, end)` is what nobody has taken yet. */
export class SocketReader {
  bytes: Uint8Array = new Uint8Array(INITIAL_BYTES);
  start = 0;
  end = 0;
  /** The peer has sent its last byte, or the connection is broken or closed. */
  ended = false;

  readonly #conn: Deno.Conn;
  readonly #onEnded: () => void;
  /** Whether the last read left no room: its sender has more to say than the buffer holds. */
  #wasFull = false;
  #pending: Promise<void> | null = null;

  /** @param onEnded called once, when the peer has gone; also while nobody waits for bytes */
  constructor(conn: Deno.Conn, onEnded: () => void) {
    this.#conn = conn;
    this.#onEnded = onEnded;
  }

  /** Bytes that have come and were not taken. */
  get buffered(): number {
    return this.end - this.start;
  }

  /** Waits until more bytes are in the buffer or {@linkcode ended} is set; never rejects. */
  fill(): Promise<void> | void {
    if (this.#pending !== null) return this.#pending;
    if (this.ended) return;
    if (this.start === this.end) {
      this.start = this.end = 0;
      this.#fitEmpty();
    } else if (this.end === this.bytes.length) this.#makeRoom();
    return this.#pending = this.#conn.read(this.bytes.subarray(this.end)).then(
      this.#arrived,
      this.#broken,
    );
  }

  /**
   * Keeps a read outstanding while an answer is made, only to notice that the client has gone.
   * A client that has sent further requests already is not watched: its bytes wait in the kernel.
   */
  watch(): void {
    if (this.start === this.end) this.fill();
  }

  /** Takes empty lines, which RFC 9112 section 2.2 lets precede a request; says whether any came. */
  skipBlankLines(): boolean {
    const before = this.start;
    while (
      this.buffered >= 2 && this.bytes[this.start] === CR && this.bytes[this.start + 1] === LF
    ) this.start += 2;
    return this.start !== before;
  }

  /** Whether the first bytes that were not taken are these. */
  startsWith(bytes: Uint8Array): boolean {
    return this.buffered >= bytes.length &&
      bytes.every((byte, index) => this.bytes[this.start + index] === byte);
  }

  /** Reads straight into `target`, past the buffer, which must be empty. 0 when ended. */
  async readInto(target: Uint8Array): Promise<number> {
    if (this.#pending !== null) await this.#pending;
    if (this.start !== this.end) {
      const count = Math.min(target.length, this.buffered);
      target.set(this.bytes.subarray(this.start, this.start + count));
      this.start += count;
      return count;
    }
    if (this.ended) return 0;
    try {
      const count = await this.#conn.read(target);
      if (count !== null) return count;
    } catch {
      // Reset or closed under us: for a reader both are the end.
    }
    this.#end();
    return 0;
  }

  /** Drops what still comes, until it ends; says each time that something did. */
  async drop(onMore: () => void): Promise<void> {
    while (await this.readInto(DISCARDED) > 0) onMore();
  }

  readonly #arrived = (count: number | null): void => {
    this.#pending = null;
    if (count === null) this.#end();
    else this.end += count;
    this.#wasFull = this.end === this.bytes.length;
  };

  readonly #broken = (): void => {
    this.#pending = null;
    this.#end();
  };

  #end(): void {
    if (this.ended) return;
    this.ended = true;
    this.#onEnded();
  }

  /** A larger one where requests come that do not fit; a single large head must not cost its memory for long. */
  #fitEmpty(): void {
    const { length } = this.bytes;
    if (length > KEPT_BYTES) this.bytes = new Uint8Array(KEPT_BYTES);
    else if (this.#wasFull && length < KEPT_BYTES) this.bytes = new Uint8Array(length * 2);
    this.#wasFull = false;
  }

  #makeRoom(): void {
    const held = this.buffered;
    const room = held > this.bytes.length / 2
      ? new Uint8Array(Math.max(GROWN_BYTES, this.bytes.length * 2))
      : new Uint8Array(this.bytes.length);
    room.set(this.bytes.subarray(this.start, this.end));
    this.bytes = room;
    this.start = 0;
    this.end = held;
  }
}
