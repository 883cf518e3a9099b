/**
 * Reads HTTP/1.1 answers from a connection's bytes, as cheaply as it can be done right: status,
 * Content-Length or chunked, and whether a stream came to its end.
 *
 * @module
 */

const LF = 10;
/**
 * What follows a chat stream, closes the last event of a response, whose price is the last of its keys,
 * or ends a message.
 */
const END = /(?:data: \[DONE\]|"\}\},"sequence_number":\d+\}|\{"type":"message_stop"\})\n\n$/;
const TAIL_BYTES = 40;
const latin1 = new TextDecoder("latin1");

type State = "head" | "sized" | "chunk size" | "chunk" | "chunk end" | "trailer" | "complete";

/** Reads one answer after the other. */
export class AnswerReader {
  /** Of the answer under way, then of the last complete one. */
  status = 0;
  isStream = false;
  readonly #onData: ((bytes: Uint8Array) => void) | undefined;
  #state: State = "head";
  /** What came so far of a head or of a line of the chunked coding. */
  #text = "";
  #bytesLeft = 0;
  readonly #tail = new Uint8Array(TAIL_BYTES);

  /** @param onData Told every piece of an answer's body. */
  constructor(onData?: (bytes: Uint8Array) => void) {
    this.#onData = onData;
  }

  /** Whether the last complete answer was a stream that came to its end. */
  get isDone(): boolean {
    return END.test(latin1.decode(this.#tail));
  }

  /**
   * Takes bytes as they came.
   *
   * @returns Whether an answer is now complete.
   * @throws {Error} When they are not HTTP/1.1, or go on after the answer's end.
   */
  push(bytes: Uint8Array): boolean {
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === "complete") {
        throw new Error("Cannot read an answer: bytes follow its end");
      }
      if (this.#state === "head") at = this.#readHead(bytes, at);
      else if (this.#state === "sized" || this.#state === "chunk") at = this.#readData(bytes, at);
      else at = this.#readLine(bytes, at);
    }
    if (this.#state !== "complete") return false;
    this.#state = "head";
    return true;
  }

  #readHead(bytes: Uint8Array, from: number): number {
    this.#text += latin1.decode(bytes.subarray(from));
    const end = this.#text.indexOf("\r\n\r\n");
    if (end < 0) return bytes.length;
    const unread = this.#text.length - end - 4;
    const head = this.#text.slice(0, end).toLowerCase();
    this.#text = "";
    this.status = Number(head.slice(9, 12));
    this.isStream = head.includes("\r\ncontent-type: text/event-stream");
    this.#tail.fill(0);
    this.#state = bodyOf(head);
    if (this.#state === "sized") {
      this.#bytesLeft = Number(/\r\ncontent-length: *(\d+)/.exec(head)![1]);
      if (this.#bytesLeft === 0) this.#state = "complete";
    }
    return bytes.length - unread;
  }

  #readData(bytes: Uint8Array, from: number): number {
    const data = bytes.subarray(from, from + this.#bytesLeft);
    this.#bytesLeft -= data.length;
    if (this.isStream) this.#keepTail(data);
    this.#onData?.(data);
    if (this.#bytesLeft === 0) this.#state = this.#state === "sized" ? "complete" : "chunk end";
    return from + data.length;
  }

  #readLine(bytes: Uint8Array, from: number): number {
    const end = bytes.indexOf(LF, from);
    const upTo = end < 0 ? bytes.length : end + 1;
    for (let at = from; at < upTo; at++) this.#text += String.fromCharCode(bytes[at]!);
    if (end >= 0) {
      const line = this.#text.trimEnd();
      this.#text = "";
      this.#takeLine(line);
    }
    return upTo;
  }

  #takeLine(line: string): void {
    if (this.#state === "chunk end") this.#state = "chunk size";
    else if (this.#state === "trailer") {
      if (line === "") this.#state = "complete";
    } else {
      this.#bytesLeft = parseInt(line, 16);
      if (Number.isNaN(this.#bytesLeft)) throw new Error(`Cannot read a chunk's size: ${line}`);
      this.#state = this.#bytesLeft === 0 ? "trailer" : "chunk";
    }
  }

  #keepTail(data: Uint8Array): void {
    const tail = this.#tail;
    if (data.length < tail.length) {
      tail.copyWithin(0, data.length);
      tail.set(data, tail.length - data.length);
    } else tail.set(data.subarray(-tail.length));
  }
}

function bodyOf(head: string): State {
  if (/\r\ntransfer-encoding: *chunked/.test(head)) return "chunk size";
  if (/\r\ncontent-length: *\d/.test(head)) return "sized";
  throw new Error(`Cannot read an answer that does not say its length: ${head}`);
}
