/**
 * One connection to an upstream: a socket, a buffer in front of it, and the one
 * outstanding read that also notices when an idle connection is closed.
 *
 * @module
 */

const BUFFER_BYTES = 16 * 1024;

/** A socket that is read through a buffer; `bytes[start, end)` is what nobody has taken yet. */
export class UpstreamSocket {
  bytes: Uint8Array = new Uint8Array(BUFFER_BYTES);
  start = 0;
  end = 0;
  /** The peer has sent its last byte, or the socket is broken or closed. */
  ended = false;
  /** Whether it has served an exchange before. */
  reused = false;
  /** Monotonic milliseconds since which it is idle. */
  idleSince = 0;

  readonly #conn: Deno.Conn;
  #filling: Promise<void> | undefined;
  #closed = false;

  constructor(conn: Deno.Conn) {
    this.#conn = conn;
  }

  /** Bytes that have come and were not taken. */
  get buffered(): number {
    return this.end - this.start;
  }

  /** Waits until more bytes are in the buffer or {@linkcode ended} is set; never rejects. */
  fill(): Promise<void> {
    if (this.#filling !== undefined) return this.#filling;
    if (this.ended) return Promise.resolve();
    if (this.start === this.end) this.start = this.end = 0;
    else if (this.end === this.bytes.length) this.#makeRoom();
    return this.#filling = this.#conn.read(this.bytes.subarray(this.end)).then(
      (count) => {
        this.#filling = undefined;
        if (count === null) this.ended = true;
        else this.end += count;
      },
      () => {
        // Reset, or closed by us: for a reader both are the end.
        this.#filling = undefined;
        this.ended = true;
      },
    );
  }

  /** Writes all of `bytes`; says whether it could. */
  async write(bytes: Uint8Array): Promise<boolean> {
    try {
      for (let from = 0; from < bytes.length;) {
        from += await this.#conn.write(from === 0 ? bytes : bytes.subarray(from));
      }
      return true;
    } catch {
      // Reset, broken pipe, or closed by us: the answer, or its absence, says the rest.
      return false;
    }
  }

  /** Closes the socket; pending reads and writes end. Safe to call more than once. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.ended = true;
    this.#conn.close();
  }

  /** Keeps the timer of an idle socket from holding the process. */
  unref(): void {
    if ("unref" in this.#conn) (this.#conn as Deno.TcpConn).unref();
  }

  ref(): void {
    if ("ref" in this.#conn) (this.#conn as Deno.TcpConn).ref();
  }

  #makeRoom(): void {
    const held = this.buffered;
    const room = held > this.bytes.length / 2
      ? new Uint8Array(this.bytes.length * 2)
      : this.bytes;
    room.set(this.bytes.subarray(this.start, this.end));
    this.bytes = room;
    this.start = 0;
    this.end = held;
  }
}
