/**
 * Finds the heads of one connection's requests in what its reader has.
 *
 * @module
 */

import {
  BARE_LINE_FEED,
  findHeadEnd,
  INCOMPLETE,
  MAX_HEAD_BYTES,
  type RefusedHead,
  type RequestHead,
} from "./request_head.ts";
import { RecentHeads } from "./recent_heads.ts";
import type { SocketReader } from "./socket_reader.ts";

const HEAD_METHOD = new TextEncoder().encode("HEAD ");
/** Of all connections: a client that opens new ones asks the same on each. */
const recent = new RecentHeads();

/** What is no proper head, and whether it asks for an answer without a body. */
export type FoundRefusal = RefusedHead & { readonly isHead: boolean };

export class HeadFinder {
  /** From where on the end of the next head is looked for. */
  #scanFrom = 0;

  /** The next head, which is taken from the reader, or why it is none; `undefined` while it is not there. */
  next(reader: SocketReader): RequestHead | FoundRefusal | undefined {
    if (reader.skipBlankLines() || this.#scanFrom < reader.start) this.#scanFrom = reader.start;
    const { bytes, start, end } = reader;
    const headEnd = findHeadEnd(bytes, { start, end, from: this.#scanFrom });
    if (headEnd === INCOMPLETE && reader.buffered <= MAX_HEAD_BYTES) return undefined;
    this.#scanFrom = 0;
    const isHead = reader.startsWith(HEAD_METHOD);
    if (headEnd === BARE_LINE_FEED) {
      const message = "The request head has a line feed without a carriage return";
      return { status: 400, message, isHead };
    }
    if (headEnd === INCOMPLETE || headEnd - start > MAX_HEAD_BYTES) {
      const message = `The request head is larger than ${MAX_HEAD_BYTES} bytes`;
      return { status: 431, message, isHead };
    }
    const head = recent.parse(bytes.subarray(start, headEnd));
    if ("status" in head) return { ...head, isHead };
    reader.start = headEnd;
    return head;
  }

  /** Waits for more of it; `undefined` where nothing comes any more. */
  fill(reader: SocketReader): Promise<void> | undefined {
    const held = reader.buffered;
    const filling = reader.fill();
    if (filling === undefined) return undefined;
    // Filling may have moved what is there to the front.
    this.#scanFrom = reader.start + held;
    return filling;
  }
}

/** Whether a request is all there, and its connection may go on after it. */
export function isInOnePiece(head: RequestHead, buffered: number): boolean {
  const { contentLength = 0, persistent, expectsContinue, method } = head;
  return contentLength > 0 && contentLength <= buffered && method === "POST" && persistent &&
    !expectsContinue;
}

/** What the head of such a request says, as far as its answer depends on it. */
export const QUICK_HEAD = { method: "POST", http10: false, persistent: true };
