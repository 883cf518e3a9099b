/**
 * An upstream whose streams are as long as one likes and cost it nothing: the same bytes over and
 * over, as fast as they are taken.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { once } from "node:events";
import net from "node:net";
import { readRequests } from "../support/fake_upstream_requests.ts";

const EVENT_TEXT = "word ".repeat(200);
const EVENTS_IN_A_WRITE = 60;

/** A running one. `await using` ends it. */
export interface LongStreams extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/v1` */
  readonly url: string;
  /** Streams under way. */
  readonly open: number;
  /** Streams of which all bytes were taken. */
  readonly whole: number;
  /** Bytes that were taken, of all streams. */
  readonly bytesSent: number;
}

/** Starts a server on the loopback interface; a stream ends after so many megabytes. */
export async function startLongStreams(
  { megabytes }: { readonly megabytes: number },
): Promise<LongStreams> {
  const events = chunked(event({ content: EVENT_TEXT }).repeat(EVENTS_IN_A_WRITE));
  const sockets = new Set<net.Socket>();
  let open = 0;
  let whole = 0;
  let bytesSent = 0;

  async function stream(socket: net.Socket): Promise<void> {
    open++;
    socket.write(
      "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
    );
    const gone = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    for (let sent = 0; sent < megabytes * 1024 ** 2 && !socket.destroyed; sent += events.length) {
      const taken = new Promise<void>((resolve) => socket.write(events, () => resolve()));
      await Promise.race([taken, gone]);
      if (!socket.destroyed) bytesSent += events.length;
    }
    if (!socket.destroyed) {
      whole++;
      socket.write(chunked(`${event({}, "stop")}data: [DONE]\n\n`));
      socket.write("0\r\n\r\n");
    }
    open--;
  }

  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.once("end", () => socket.destroy());
    socket.on("error", () => socket.destroy());
    void (async () => {
      for await (const _ of readRequests(socket)) await stream(socket);
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}/v1`,
    get open() {
      return open;
    },
    get whole() {
      return whole;
    },
    get bytesSent() {
      return bytesSent;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      const gone = [...sockets].map((socket) => once(socket, "close"));
      for (const socket of sockets) socket.destroy();
      await Promise.all(gone);
    },
  };
}

function event(delta: object, finish: string | null = null): string {
  const about = { id: "chatcmpl-long", object: "chat.completion.chunk", created: 1_700_000_000 };
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ ...about, model: "long", choices })}\n\n`;
}

function chunked(text: string): Buffer {
  return Buffer.from(`${text.length.toString(16)}\r\n${text}\r\n`);
}
