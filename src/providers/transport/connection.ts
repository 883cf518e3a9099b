/**
 * One connection to an upstream: bytes out, bytes in through one buffer, and a
 * standing read while it is idle, which notices at once that the other side
 * has closed it.
 *
 * @module
 */

import { LoopShare } from "./contract.ts";

/** Room for a head and a small answer. */
const FIRST_BUFFER_BYTES = 4 * 1024;
/** Most streams come in small pieces and are open for long: thousands wait, each with such a buffer. */
const STREAM_PIECE_BYTES = 1024;
/** Of a buffer that had to grow, what is left to the connection's next answers. */
const KEPT_BUFFER_BYTES = 16 * 1024;
const MAX_BUFFER_BYTES = 256 * 1024;
/**
 * Of an event stream: what is read of it is there as bytes, text and bytes again until its reader
 * has taken it, and hundreds of readers may stall.
 */
const STREAM_BUFFER_BYTES = 32 * 1024;
/** What a byte of events counts among others: each of them is parsed, judged and written again. */
const STREAM_WEIGHT = 8;

/** Buffers of either size that no connection has; so many of each are kept. */
const MOST_SPARE = 128;
const spareFirst: Uint8Array<ArrayBuffer>[] = [];
const sparePieces: Uint8Array<ArrayBuffer>[] = [];

/** A connection that is open until `close`. */
export class Connection {
  /** Bytes received and not yet taken: `buffer[start..end)`. */
  buffer: Uint8Array<ArrayBuffer> = spareFirst.pop() ?? new Uint8Array(FIRST_BUFFER_BYTES);
  start = 0;
  end = 0;
  /** Monotonic time from which on it takes no further request; set by its pool. */
  retiresAt = 0;
  /** Monotonic time from which on it is too long idle to be trusted; set by its pool. */
  idleUntil = 0;
  readonly #conn: Deno.Conn;
  readonly #isSecure: boolean;
  readonly #share = new LoopShare();
  /** A read that is under way and that nobody awaits yet. */
  #standingRead: Promise<number | null> | undefined;
  /** Who is told when that read comes back; absent: whoever asks next for more awaits it. */
  #onFilled: ((isMore: boolean) => void) | undefined;
  /** What such a read failed with, for who reads on. */
  #failure: { readonly error: unknown } | undefined;
  #isClosed = false;
  #isIdle = false;
  #tookBytes = false;
  #mostBytes = MAX_BUFFER_BYTES;
  /** Whether the last read left no room: more is coming than the buffer holds. */
  #wasFull = false;

  constructor(conn: Deno.Conn, { isSecure = false }: { readonly isSecure?: boolean } = {}) {
    this.#conn = conn;
    this.#isSecure = isSecure;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether the other side may have seen anything of what was written since it became busy. */
  get tookBytes(): boolean {
    return this.#tookBytes;
  }

  /** Sends all of `bytes`. */
  write(bytes: Uint8Array): Promise<void> {
    // TLS writes a large request in several records: of those, some may be out when it fails.
    this.#tookBytes ||= this.#isSecure;
    return this.#conn.write(bytes).then((sent) => {
      this.#tookBytes = true;
      return sent < bytes.length ? this.#writeRest(bytes, sent) : undefined;
    });
  }

  async #writeRest(bytes: Uint8Array, from: number): Promise<void> {
    let sent = from;
    while (sent < bytes.length) sent += await this.#conn.write(bytes.subarray(sent));
  }

  /**
   * Waits for more bytes behind those that are there.
   *
   * @returns Whether any came; `false` at the end of the connection.
   */
  async fill(): Promise<boolean> {
    if (this.#failure !== undefined) throw this.#failure.error;
    const standing = this.#standingRead;
    if (standing !== undefined) {
      this.#standingRead = undefined;
      return this.#received(await standing);
    }
    this.#makeRoom();
    const count = await this.#conn.read(this.buffer.subarray(this.end));
    const turn = this.#turnOf(count);
    if (turn !== undefined) await turn;
    return this.#received(count);
  }

  /**
   * The same by a callback, which costs no promise for each wait of each call; `false` also where
   * reading failed, which {@linkcode fill} tells then.
   */
  fillThen(onFilled: (isMore: boolean) => void): void {
    this.#onFilled = onFilled;
    if (this.#standingRead !== undefined) return;
    this.#makeRoom();
    const read = this.#standingRead = this.#conn.read(this.buffer.subarray(this.end));
    read.then(this.#onStandingRead, this.#onStandingFailure);
  }

  /** Calls nobody back any more: what is read on the way is there for {@linkcode fill}. */
  stopCalling(): void {
    this.#onFilled = undefined;
  }

  /** From now on the buffer does not grow: what comes is passed on piece by piece. */
  readAsStream(): void {
    this.#mostBytes = STREAM_BUFFER_BYTES;
  }

  /** Told when the connection ends, or sends something unasked, while it is idle. */
  onGone: ((connection: Connection) => void) | undefined;

  /** Watches the connection while nobody uses it; anything that comes is the end of it. */
  becomeIdle(): void {
    this.#isIdle = true;
    this.#mostBytes = MAX_BUFFER_BYTES;
    this.start = this.end = 0;
    if (this.buffer.length > KEPT_BUFFER_BYTES) this.buffer = new Uint8Array(KEPT_BUFFER_BYTES);
    else if (this.buffer.length < FIRST_BUFFER_BYTES) {
      if (this.buffer.length === STREAM_PIECE_BYTES) keepSpare(sparePieces, this.buffer);
      this.buffer = spareFirst.pop() ?? new Uint8Array(FIRST_BUFFER_BYTES);
    }
    const standing = this.#conn.read(this.buffer);
    this.#standingRead = standing;
    this.#conn.unref();
    standing.then(this.#onStandingRead, this.#onStandingFailure);
  }

  /** Takes the connection into use again. */
  becomeBusy(): void {
    this.#conn.ref();
    this.#isIdle = false;
    this.#tookBytes = false;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#standingRead?.catch(ignoreInterrupted);
    try {
      this.#conn.close();
    } catch (error) {
      // The runtime closes a connection by itself when TLS fails; there is nothing left to close.
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
  }

  /** To be awaited where others have waited long enough for the loop. */
  #turnOf(count: number | null): Promise<void> | undefined {
    const weight = this.#mostBytes === STREAM_BUFFER_BYTES ? STREAM_WEIGHT : 1;
    return this.#share.take((count ?? 0) * weight);
  }

  readonly #onStandingRead = (count: number | null): void => {
    // Not idle: taken over by a request, and what came is its answer.
    if (this.#isIdle) return this.onGone?.(this);
    const onFilled = this.#onFilled;
    if (onFilled === undefined) return;
    const turn = this.#turnOf(count);
    if (turn === undefined) return this.#tellFilled(count);
    const read = this.#standingRead;
    // Whoever has taken over meanwhile has awaited it, and may wait for another by now.
    turn.then(() => {
      if (this.#standingRead === read) this.#tellFilled(count);
    });
  };

  readonly #onStandingFailure = (error: unknown): void => {
    if (this.#isIdle) return this.onGone?.(this);
    if (this.#onFilled === undefined) return;
    this.#failure = { error };
    this.#tellFilled(null);
  };

  #tellFilled(count: number | null): void {
    const onFilled = this.#onFilled;
    if (onFilled === undefined) return; // handed over during the turn: the read is awaited then
    this.#standingRead = this.#onFilled = undefined;
    onFilled(this.#received(count));
  }

  #received(count: number | null): boolean {
    if (count === null || count === 0) return false;
    this.end += count;
    this.#wasFull = this.end === this.buffer.length;
    return true;
  }

  #makeRoom(): void {
    const size = this.end - this.start;
    const wantsMore = this.#wasFull || size === this.buffer.length;
    if (wantsMore && this.buffer.length < this.#mostBytes) {
      const larger = new Uint8Array(this.buffer.length * 2);
      larger.set(this.buffer.subarray(this.start, this.end));
      this.buffer = larger;
    } else if (size > 0 && this.end === this.buffer.length) {
      this.buffer.copyWithin(0, this.start, this.end);
    } else if (size > 0) {
      return;
    } else if (
      this.#mostBytes === STREAM_BUFFER_BYTES && this.buffer.length === FIRST_BUFFER_BYTES &&
      this.end <= STREAM_PIECE_BYTES
    ) {
      keepSpare(spareFirst, this.buffer);
      this.buffer = sparePieces.pop() ?? new Uint8Array(STREAM_PIECE_BYTES);
    }
    this.start = 0;
    this.end = size;
  }
}

function keepSpare(spare: Uint8Array<ArrayBuffer>[], buffer: Uint8Array<ArrayBuffer>): void {
  if (spare.length < MOST_SPARE) spare.push(buffer);
}

/** A read under way when its connection is closed rejects; who closed it knows. */
function ignoreInterrupted(): void {}
