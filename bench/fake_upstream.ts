/**
 * The fake upstream, a process of its own: an OpenAI-compatible server on 127.0.0.1 that answers
 * with bytes it made before. Prints its port.
 *
 * - A plain call gets one small chat completion with usage.
 * - A call with `"stream":true` gets 20 content chunks, a finish chunk, a usage chunk and `[DONE]`,
 *   each an HTTP chunk of its own and sent by a system call of its own. Streams take turns: each
 *   sends one chunk, then the next stream does, as chunks of many calls arrive in real life.
 * - A call whose model ends in `-paced` gets 100 content chunks, one every 5 ms, each stamped with
 *   the moment it was sent.
 * - A call whose model ends in `-late` gets the small completion after 30 ms.
 * - A call whose model ends in `-slow` gets the 20 content chunks, one every 4 s.
 * - A call of `POST /v1/messages` gets the same in Anthropic's dialect, but for the pace.
 *
 * @module
 */

import { acceptConnection, closeSocket, listenOnLoopback } from "./libc_sockets.ts";
import { monotonicNs, Poller, receive, send } from "./libc_sockets.ts";
import { MESSAGE_BODY, messageEvents } from "./message_answers.ts";
import { stampOf } from "./load_plan.ts";

const CONTENT_CHUNKS = 20;
const PACED_CHUNKS = 100;
const PACE_NS = 5e6;
const LATE_NS = 30e6;
const SLOW_NS = 4e9;

const encoder = new TextEncoder();
const latin1 = new TextDecoder("latin1");

const USAGE = {
  prompt_tokens: 24,
  completion_tokens: CONTENT_CHUNKS,
  total_tokens: 24 + CONTENT_CHUNKS,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
};

function plainAnswer(): Uint8Array<ArrayBuffer> {
  const body = JSON.stringify({
    id: "chatcmpl-bench0000000000000000000000",
    object: "chat.completion",
    created: 1790000000,
    model: "bench-upstream",
    choices: [{
      index: 0,
      message: { role: "assistant", content: "Four words of answer. ".repeat(5), refusal: null },
      logprobs: null,
      finish_reason: "stop",
    }],
    usage: USAGE,
    service_tier: "default",
    system_fingerprint: "fp_bench",
  });
  return encoder.encode(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
}

const STREAM_HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n" +
  "cache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n";

function httpChunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

function event(fields: Record<string, unknown>): string {
  const chunk = {
    id: "chatcmpl-bench0000000000000000000000",
    object: "chat.completion.chunk",
    created: 1790000000,
    model: "bench-upstream",
    system_fingerprint: "fp_bench",
    ...fields,
  };
  return httpChunk(`data: ${JSON.stringify(chunk)}\n\n`);
}

function contentChunk(content: string): string {
  return event({
    choices: [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }],
  });
}

/** A stream's writes, the first with the head, the last with the end of the chunked coding. */
function framesOf(contents: readonly string[]): readonly Uint8Array<ArrayBuffer>[] {
  const chunks = [
    ...contents.map(contentChunk),
    event({ choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: "stop" }] }),
    event({ choices: [], usage: USAGE }),
    httpChunk("data: [DONE]\n\n") + "0\r\n\r\n",
  ];
  chunks[0] = STREAM_HEAD + chunks[0];
  return chunks.map((chunk) => encoder.encode(chunk));
}

/** The same in Anthropic's dialect. */
function plainMessage(): Uint8Array<ArrayBuffer> {
  return encoder.encode(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${MESSAGE_BODY.length}\r\n\r\n${MESSAGE_BODY}`,
  );
}

function messageFrames(contents: readonly string[]): readonly Uint8Array<ArrayBuffer>[] {
  const chunks = messageEvents(contents).map(httpChunk);
  chunks[0] = STREAM_HEAD + chunks[0];
  chunks[chunks.length - 1] += "0\r\n\r\n";
  return chunks.map((chunk) => encoder.encode(chunk));
}

const WORDS = Array.from({ length: CONTENT_CHUNKS }, (_, index) => ` word${index}`);
const PLAIN = plainAnswer();
const STREAM = framesOf(WORDS);
const PLAIN_MESSAGE = plainMessage();
const MESSAGE_STREAM = messageFrames(WORDS);
const PACED = framesOf(Array.from({ length: PACED_CHUNKS }, () => stampOf(0)));
const STAMP_BYTES = stampOf(0).length;
/** Where the stamp is in every paced frame but the first; the head comes before it there. */
const STAMP_AT = PACED.map((frame) => latin1.decode(frame).indexOf(stampOf(0)));

/** An answer under way: what is sent of it next. */
interface Answer {
  readonly frames: readonly Uint8Array<ArrayBuffer>[];
  next: number;
}

/** Answers whose next part is due, all the same time after the one before. */
class Line {
  readonly #stepNs: number;
  /** In the order in which they are due. */
  readonly #waiting = new Map<number, { readonly answer: Answer; readonly dueNs: number }>();

  constructor(stepNs: number) {
    this.#stepNs = stepNs;
  }

  /** When the next part is due; `Infinity` when none is. */
  get dueNs(): number {
    for (const { dueNs } of this.#waiting.values()) return dueNs;
    return Infinity;
  }

  /** @param sinceNs When the part before was due. */
  add(fd: number, answer: Answer, sinceNs: number): void {
    this.#waiting.set(fd, { answer, dueNs: sinceNs + this.#stepNs });
  }

  delete(fd: number): void {
    this.#waiting.delete(fd);
  }

  /** Those that are due are in it no more. */
  *takeDue(): Iterable<readonly [fd: number, answer: Answer, dueNs: number]> {
    for (const [fd, { answer, dueNs }] of this.#waiting) {
      if (dueNs > monotonicNs()) return;
      this.#waiting.delete(fd);
      yield [fd, answer, dueNs];
    }
  }
}

/** The request that a connection's text holds in full, if it does. */
function isWhole(text: string): boolean {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  if (length !== undefined) return text.length >= headEnd + 4 + Number(length);
  return !/\r\ntransfer-encoding:/i.test(text) || text.endsWith("\r\n0\r\n\r\n");
}

function nextFrame({ frames, next }: Answer): Uint8Array<ArrayBuffer> {
  const frame = frames[next]!;
  const at = frames === PACED ? STAMP_AT[next]! : -1;
  if (at < 0) return frame;
  encoder.encodeInto(stampOf(monotonicNs()), frame.subarray(at, at + STAMP_BYTES));
  return frame;
}

function serve(): never {
  const listener = listenOnLoopback();
  const poller = new Poller();
  poller.watch(listener.fd);
  Deno.stdout.writeSync(encoder.encode(`${listener.port}\n`));
  const requests = new Map<number, string>();
  /** Streams without a pace. */
  const streams = new Map<number, Answer>();
  const paced = new Line(PACE_NS);
  const late = new Line(LATE_NS);
  const slow = new Line(SLOW_NS);
  const lines = [paced, late, slow];
  const buffer = new Uint8Array(65_536);

  const close = (fd: number) => {
    closeSocket(fd);
    requests.delete(fd);
    streams.delete(fd);
    for (const line of lines) line.delete(fd);
  };
  /** Whether more is to be sent after it. */
  const sendNext = (fd: number, answer: Answer): boolean => {
    const bytes = nextFrame(answer);
    answer.next++;
    if (send(fd, bytes)) return answer.next < answer.frames.length;
    close(fd);
    return false;
  };
  const sendInLine = (line: Line, fd: number, answer: Answer, dueNs: number) => {
    if (sendNext(fd, answer)) line.add(fd, answer, dueNs);
  };
  const answerTo = (fd: number, text: string) => {
    const isMessage = text.startsWith("POST /v1/messages");
    const nowNs = monotonicNs();
    if (text.includes('-paced"')) sendInLine(paced, fd, { frames: PACED, next: 0 }, nowNs);
    else if (text.includes('-slow"')) sendInLine(slow, fd, { frames: STREAM, next: 0 }, nowNs);
    else if (text.includes('-late"')) late.add(fd, { frames: [PLAIN], next: 0 }, nowNs);
    else if (text.includes('"stream":true')) {
      streams.set(fd, { frames: isMessage ? MESSAGE_STREAM : STREAM, next: 0 });
    } else sendNext(fd, { frames: [isMessage ? PLAIN_MESSAGE : PLAIN], next: 0 });
  };
  const read = (fd: number) => {
    const bytes = receive(fd, buffer);
    if (bytes < 0) return;
    if (bytes === 0) return close(fd);
    const text = requests.get(fd)! + latin1.decode(buffer.subarray(0, bytes));
    if (!isWhole(text)) return void requests.set(fd, text);
    requests.set(fd, "");
    answerTo(fd, text);
  };
  const waitMs = () => {
    if (streams.size > 0) return 0;
    const dueNs = Math.min(...lines.map((line) => line.dueNs));
    return dueNs === Infinity ? -1 : Math.max(0, Math.ceil((dueNs - monotonicNs()) / 1e6));
  };

  for (;;) {
    for (const fd of poller.wait(waitMs())) {
      if (fd !== listener.fd) {
        read(fd);
        continue;
      }
      for (;;) {
        const accepted = acceptConnection(listener.fd);
        if (accepted === undefined) break;
        poller.watch(accepted);
        requests.set(accepted, "");
      }
    }
    for (const [fd, stream] of streams) if (!sendNext(fd, stream)) streams.delete(fd);
    for (const line of lines) {
      for (const [fd, answer, dueNs] of line.takeDue()) sendInLine(line, fd, answer, dueNs);
    }
  }
}

serve();
