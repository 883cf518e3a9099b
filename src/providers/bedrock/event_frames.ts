/**
 * AWS's event streams (`application/vnd.amazon.eventstream`): frames of a length, headers and a payload,
 * with a checksum of each.
 *
 * @module
 */

import { EXCEPTION } from "../../dialects/bedrock_converse/read_error.ts";
import type { Framing, OnEvent } from "../upstream/event_parser.ts";
import { objectIn } from "../upstream/upstream_json.ts";

/** Length, length of the headers, checksum of both; and the checksum of all at the end. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const MOST_BYTES = 16 * 1024 * 1024;
/** The only type of headers that says what a frame is. */
const STRING = 7;
/** Bytes of the values of the other types; of 6 and 7 the value tells. */
const SIZES: readonly number[] = [0, 0, 1, 2, 4, 8, -1, -1, 8, 16];

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

/** CRC-32 (IEEE 802.3). */
export function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (sum >>> 8) ^ TABLE[(sum ^ byte) & 0xff]!;
  return (sum ^ 0xffffffff) >>> 0;
}

/** Tells frames apart, whatever pieces they come in: an event by its type, an exception as an object with `__type`. */
export class EventFrames implements Framing {
  readonly #onEvent: OnEvent;
  readonly #decoder = new TextDecoder();
  #bytes = new Uint8Array(4_096);
  #length = 0;

  constructor(onEvent: OnEvent) {
    this.#onEvent = onEvent;
  }

  get pending(): number {
    return this.#length;
  }

  /** @throws {RangeError} When a frame is longer than is taken, or is not what its checksums say. */
  read(bytes: Uint8Array): void {
    this.#append(bytes);
    let start = 0;
    for (;;) {
      const left = this.#length - start;
      if (left < PRELUDE_BYTES) break;
      const view = new DataView(this.#bytes.buffer, start, left);
      const total = view.getUint32(0);
      const headers = view.getUint32(4);
      if (crc32(this.#bytes.subarray(start, start + 8)) !== view.getUint32(8)) throw wrong();
      if (total > MOST_BYTES || total < PRELUDE_BYTES + headers + CHECKSUM_BYTES) throw wrong();
      if (left < total) break;
      const end = total - CHECKSUM_BYTES;
      const frame = this.#bytes.subarray(start, start + end);
      if (crc32(frame) !== view.getUint32(end)) throw wrong();
      start += total;
      this.#tell(frame, PRELUDE_BYTES + headers);
    }
    // A frame that comes byte by byte is not moved with each of them.
    if (start > 0) this.#bytes.copyWithin(0, start, this.#length);
    this.#length -= start;
  }

  /** What has begun and has no end is nothing: who reads the events knows whether they were all. */
  end(): void {
    this.#length = 0;
  }

  #append(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = needed;
  }

  #tell(frame: Uint8Array, payloadAt: number): void {
    const headers = this.#headersOf(frame.subarray(PRELUDE_BYTES, payloadAt));
    const payload = this.#decoder.decode(frame.subarray(payloadAt));
    const type = headers.get(":message-type");
    if (type === "event") return this.#onEvent(payload, headers.get(":event-type") ?? "");
    const kind = headers.get(":exception-type") ?? headers.get(":error-code") ?? "error";
    const message = headers.get(":error-message");
    const told = { ...(message !== undefined && { message }), ...objectIn(payload), __type: kind };
    this.#onEvent(JSON.stringify(told), EXCEPTION);
  }

  #headersOf(bytes: Uint8Array): ReadonlyMap<string, string> {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const found = new Map<string, string>();
    for (let at = 0; at < bytes.length;) {
      const nameEnd = at + 1 + view.getUint8(at);
      const name = this.#decoder.decode(bytes.subarray(at + 1, nameEnd));
      const type = view.getUint8(nameEnd);
      const size = SIZES[type];
      if (size === undefined) throw wrong();
      const valueAt = nameEnd + 1 + (size < 0 ? 2 : 0);
      const valueEnd = valueAt + (size < 0 ? view.getUint16(nameEnd + 1) : size);
      if (valueEnd > bytes.length) throw wrong();
      if (type === STRING) found.set(name, this.#decoder.decode(bytes.subarray(valueAt, valueEnd)));
      at = valueEnd;
    }
    return found;
  }
}

function wrong(): RangeError {
  return new RangeError("Cannot read a frame that is too long, or was altered");
}
