/**
 * A listener for one test, and its clients.
 *
 * @module
 */
import { listen, type Listener } from "../../src/http/listener.ts";
import type { ListenerLimits, RequestHandler } from "../../src/http/listener/contract.ts";
import { RawSocket } from "./raw_socket.ts";

/** The least that is a request. */
export const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/** What {@linkcode serve} gives. */
export interface Bench extends Disposable {
  readonly listener: Listener;
  readonly errors: unknown[];
  connect(): Promise<RawSocket>;
}

/** A listener on a free port that is closed, with its clients, at the end of the test. */
export function serve(handler: RequestHandler, limits: Partial<ListenerLimits> = {}): Bench {
  const errors: unknown[] = [];
  const sockets: RawSocket[] = [];
  const listener = listen(handler, { limits, onError: (error) => errors.push(error) });
  return {
    listener,
    errors,
    async connect() {
      const socket = await RawSocket.connect(listener.address);
      sockets.push(socket);
      return socket;
    },
    [Symbol.dispose]() {
      listener.close();
      for (const socket of sockets) socket[Symbol.dispose]();
    },
  };
}

/** Counts what reaches it. */
export function counting(): { handler: RequestHandler; paths: string[] } {
  const paths: string[] = [];
  return {
    paths,
    async handler(request) {
      paths.push(new URL(request.url).pathname);
      await request.text();
      return new Response("ok");
    },
  };
}

/** An aborted signal's reason, waited for. */
export function aborted(signal: AbortSignal): Promise<Error> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    else signal.addEventListener("abort", () => resolve(signal.reason), { once: true });
  });
}
