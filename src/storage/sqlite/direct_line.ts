/**
 * The line to the Worker that writes: usual batches through memory which both threads share,
 * everything else as messages, taken in the order in which they were given. The Worker waits for
 * them blocked: it is awake sooner, and for less, than by a turn of its event loop.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { MessageChannel, type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import type { LineStart, WorkerRequest } from "./worker_protocol.ts";

/** The memory's first words; the number of a batch and the room for its text follow. */
enum Word {
  /** Counts what was given: the Worker waits for it to change. */
  Rings,
  /** Of the text that waits in the room; 0 while there is none. */
  Bytes,
  /** Not 0 once the Worker shall wait no more. */
  Ended,
}

/** Where the number of the batch in the room is, which has more digits than a word. */
const NUMBER_AT = 16;
const ROOM_AT = 64;
/** For some 1,500 calls, more than a batch has. What takes more goes as a message. */
const ROOM_BYTES = 1024 ** 2;

/** The Worker's event loop has a turn at least so often, for what the engine does there for itself. */
const BLOCKED_MS = 10_000;
const TAKEN_AT_ONCE = 1_000;

/** The end of who asks. */
export class DirectLine {
  readonly #port: MessagePort;
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #number: Float64Array<SharedArrayBuffer>;
  readonly #room: Uint8Array<SharedArrayBuffer>;
  readonly #encoder = new TextEncoder();
  /** The Worker's end, whose port is to be transferred to it. */
  readonly start: LineStart;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    const memory = new SharedArrayBuffer(ROOM_AT + ROOM_BYTES);
    this.#port = port1;
    this.start = { memory, messages: port2 };
    [this.#words, this.#number, this.#room] = viewsOf(memory);
  }

  /** Gives a request, whose number is larger than those before. */
  give(request: WorkerRequest): void {
    if (!this.#putIntoRoom(request)) this.#port.postMessage(request);
    this.#ring();
  }

  /** Has the Worker go back to its event loop, so that it can be ended. */
  end(): void {
    Atomics.store(this.#words, Word.Ended, 1);
    this.#ring();
    this.#port.close();
  }

  #ring(): void {
    Atomics.add(this.#words, Word.Rings, 1);
    Atomics.notify(this.#words, Word.Rings);
  }

  #putIntoRoom({ id, name, args: [text, ...others] }: WorkerRequest): boolean {
    if (name !== "commitBatch" || typeof text !== "string" || others.length > 0) return false;
    if (text.length > ROOM_BYTES || Atomics.load(this.#words, Word.Bytes) !== 0) return false;
    const { read, written } = this.#encoder.encodeInto(text, this.#room);
    if (read < text.length) return false;
    this.#number[0] = id;
    Atomics.store(this.#words, Word.Bytes, written);
    return true;
  }
}

/**
 * Takes what comes by the line, in the Worker: between turns of the event loop it blocks. Returns at
 * once.
 *
 * @param perform Must not throw.
 */
export function takeFromLine(
  { memory, messages }: LineStart,
  perform: (request: WorkerRequest) => void,
): void {
  const [words, number, room] = viewsOf(memory);
  const decoder = new TextDecoder();
  let message: WorkerRequest | undefined;

  function takeNext(): WorkerRequest | undefined {
    for (;;) {
      const bytes = Atomics.load(words, Word.Bytes);
      message ??= receiveMessageOnPort(messages)?.message as WorkerRequest | undefined;
      // What has come into the room meanwhile may have been given before the message.
      if (Atomics.load(words, Word.Bytes) !== bytes) continue;
      if (bytes > 0 && (message === undefined || number[0]! < message.id)) return takeRoom(bytes);
      const taken = message;
      message = undefined;
      return taken;
    }
  }

  function takeRoom(bytes: number): WorkerRequest {
    const text = decoder.decode(room.subarray(0, bytes));
    const id = number[0]!;
    Atomics.store(words, Word.Bytes, 0);
    return { id, name: "commitBatch", args: [text] };
  }

  function takeBlocking(): void {
    for (let taken = 0; taken < TAKEN_AT_ONCE; taken++) {
      const rings = Atomics.load(words, Word.Rings);
      const request = takeNext();
      if (request !== undefined) perform(request);
      else if (Atomics.load(words, Word.Ended) !== 0) return;
      else if (Atomics.wait(words, Word.Rings, rings, BLOCKED_MS) === "timed-out") break;
    }
    setImmediate(takeBlocking);
  }
  setImmediate(takeBlocking);
}

function viewsOf(memory: SharedArrayBuffer) {
  return [
    new Int32Array(memory, 0, NUMBER_AT / Int32Array.BYTES_PER_ELEMENT),
    new Float64Array(memory, NUMBER_AT, 1),
    new Uint8Array(memory, ROOM_AT, ROOM_BYTES),
  ] as const;
}
