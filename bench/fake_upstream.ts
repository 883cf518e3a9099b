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

/** A stream under way. */
interface Stream {
  readonly frames: readonly Uint8Array<ArrayBuffer>[];
  next: number;
  /** When its next chunk is due; 0 for a stream without pace. */
  dueNs: number;
}

/** The request that a connection's text holds in full, if it does. */
function isWhole(text: string): boolean {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  if (length !== undefined) return text.length >= headEnd + 4 + Number(length);
  return !/\r\ntransfer-encoding:/i.test(text) || text.endsWith("\r\n0\r\n\r\n");
}

function stampedFrame(stream: Stream): Uint8Array<ArrayBuffer> {
  const frame = stream.frames[stream.next]!;
  const at = STAMP_AT[stream.next]!;
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
  const streams = new Map<number, Stream>();
  const buffer = new Uint8Array(65_536);

  const close = (fd: number) => {
    closeSocket(fd);
    requests.delete(fd);
    streams.delete(fd);
  };
  const read = (fd: number) => {
    const bytes = receive(fd, buffer);
    if (bytes < 0) return;
    if (bytes === 0) return close(fd);
    const text = requests.get(fd)! + latin1.decode(buffer.subarray(0, bytes));
    if (!isWhole(text)) return void requests.set(fd, text);
    requests.set(fd, "");
    const isMessage = text.startsWith("POST /v1/messages");
    if (text.includes('-paced"')) {
      streams.set(fd, { frames: PACED, next: 0, dueNs: monotonicNs() });
    } else if (text.includes('"stream":true')) {
      const frames = isMessage ? MESSAGE_STREAM : STREAM;
      streams.set(fd, { frames, next: 0, dueNs: 0 });
    } else if (!send(fd, isMessage ? PLAIN_MESSAGE : PLAIN)) close(fd);
  };
  const sendNext = (fd: number, stream: Stream) => {
    const bytes = stream.dueNs === 0 ? stream.frames[stream.next]! : stampedFrame(stream);
    stream.next++;
    if (!send(fd, bytes)) return close(fd);
    if (stream.next === stream.frames.length) streams.delete(fd);
    else if (stream.dueNs > 0) stream.dueNs += PACE_NS;
  };

  for (;;) {
    const dueNs = Math.min(...Array.from(streams.values(), ({ dueNs }) => dueNs));
    const waitMs = dueNs === Infinity
      ? -1
      : dueNs === 0
      ? 0
      : Math.max(0, Math.ceil((dueNs - monotonicNs()) / 1e6));
    for (const fd of poller.wait(waitMs)) {
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
    for (const [fd, stream] of streams) {
      if (stream.dueNs === 0 || stream.dueNs <= monotonicNs()) sendNext(fd, stream);
    }
  }
}

serve();
