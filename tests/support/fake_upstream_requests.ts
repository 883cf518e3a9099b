/**
 * Reads HTTP/1.1 requests from a socket by hand, one after the other.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type net from "node:net";

/** A request as text. */
export interface RequestParts {
  /** Everything before the body, without the empty line. */
  readonly head: string;
  readonly body: string;
}

/** Reads requests with a content-length, a chunked body or none, until the connection ends. */
export async function* readRequests(socket: net.Socket): AsyncGenerator<RequestParts> {
  let buffer = Buffer.alloc(0);
  const arrived: Buffer[] = [];
  let wake: (() => void) | undefined;
  let isOver = false;
  socket.on("data", (bytes: Buffer) => {
    arrived.push(bytes);
    wake?.();
  });
  socket.once("close", () => {
    isOver = true;
    wake?.();
  });

  async function more(): Promise<boolean> {
    while (arrived.length === 0) {
      if (isOver) return false;
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      await promise;
    }
    buffer = Buffer.concat([buffer, ...arrived.splice(0)]);
    return true;
  }

  while (true) {
    let end = buffer.indexOf("\r\n\r\n");
    while (end < 0) {
      if (!await more()) return;
      end = buffer.indexOf("\r\n\r\n");
    }
    const head = buffer.subarray(0, end).toString("latin1");
    buffer = buffer.subarray(end + 4);
    let body = "";
    const length = /^content-length: *(\d+)/im.exec(head);
    if (length !== null) {
      const size = Number(length[1]);
      while (buffer.length < size) if (!await more()) return;
      body = buffer.subarray(0, size).toString("utf8");
      buffer = buffer.subarray(size);
    } else if (/^transfer-encoding: *chunked/im.test(head)) {
      const parts: Buffer[] = [];
      while (true) {
        let lineEnd = buffer.indexOf("\r\n");
        while (lineEnd < 0) {
          if (!await more()) return;
          lineEnd = buffer.indexOf("\r\n");
        }
        const size = parseInt(buffer.subarray(0, lineEnd).toString("latin1"), 16);
        while (buffer.length < lineEnd + 2 + size + 2) if (!await more()) return;
        parts.push(buffer.subarray(lineEnd + 2, lineEnd + 2 + size));
        buffer = buffer.subarray(lineEnd + 2 + size + 2);
        if (size === 0) break;
      }
      body = Buffer.concat(parts).toString("utf8");
    }
    yield { head, body };
  }
}
