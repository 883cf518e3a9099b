/**
 * Requests as the listener hands them on, made without a socket.
 *
 * @module
 */

import { IncomingBody } from "../../src/http/listener/incoming_body.ts";
import { IncomingRequest } from "../../src/http/listener/incoming_request.ts";
import { SocketReader } from "../../src/http/listener/socket_reader.ts";

/** What it is made of. */
export interface ReceivedRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** How many bytes more the client has promised before it went away; default: none. */
  readonly missingBytes?: number;
  /** Whether its body is kept for whoever may want it anew; default: it is not. */
  readonly isKept?: boolean;
}

/** Makes a `POST`. */
export function receivedRequest(
  { headers = {}, body = "", missingBytes = 0, isKept }: ReceivedRequest,
): Request {
  let rest = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const length = rest.length + missingBytes;
  const conn: Pick<Deno.Conn, "read"> = {
    read(buffer) {
      if (rest.length === 0) return Promise.resolve(null);
      const part = rest.subarray(0, buffer.length);
      buffer.set(part);
      rest = rest.subarray(part.length);
      return Promise.resolve(part.length);
    },
  };
  const head = {
    method: "POST",
    path: "/",
    host: "gateway",
    headers: Object.entries(headers),
    contentLength: length,
    expectsContinue: false,
    persistent: true,
    http10: false,
  };
  const incoming = new IncomingBody(new SocketReader(conn as Deno.Conn, () => {}), {
    length,
    clock: { nowMs: 0 },
    minBytesPerSecond: 1,
    onFirstRead: undefined,
    onComplete: () => {},
    isKept,
  });
  return new IncomingRequest(head, incoming).asRequest();
}
