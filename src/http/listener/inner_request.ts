/**
 * A request that is made here and came through no connection, for handlers that serve both.
 *
 * @module
 */

import { BodyAbortedError } from "./body_errors.ts";
import { IncomingBody } from "./incoming_body.ts";
import { IncomingRequest } from "./incoming_request.ts";
import { SocketReader } from "./socket_reader.ts";

/** What it asks. */
export interface InnerRequestParts {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** Nothing more comes than what is there. */
const NO_CONNECTION: Pick<Deno.Conn, "read"> = { read: () => Promise.resolve(null) };
/** Nobody is waited for, so no time passes. */
const CLOCK = { nowMs: 0 };

/** A `POST`, and what ends it: call that when it is answered. */
export function innerRequest(
  { path, headers, body, signal }: InnerRequestParts,
): { readonly request: Request; readonly end: () => void } {
  const bytes = new TextEncoder().encode(body);
  const reader = new SocketReader(NO_CONNECTION as Deno.Conn, () => {});
  reader.bytes = bytes;
  reader.end = bytes.length;
  const incoming = new IncomingRequest(
    {
      method: "POST",
      path,
      host: "localhost",
      headers: Object.entries(headers),
      contentLength: bytes.length,
      expectsContinue: false,
      persistent: true,
      http10: false,
    },
    new IncomingBody(reader, {
      length: bytes.length,
      clock: CLOCK,
      minBytesPerSecond: 1,
      onFirstRead: undefined,
      onComplete: () => {},
    }),
  );
  const leave = () => incoming.clientGone(new BodyAbortedError());
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  return {
    request: incoming.asRequest(),
    end() {
      incoming.answered();
      signal.removeEventListener("abort", leave);
    },
  };
}
