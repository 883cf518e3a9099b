/**
 * A server that callbacks go to: it keeps what comes and answers as it is told.
 *
 * @module
 */

import { pollUntil } from "./poll_until.ts";

/** A call as it came. */
export interface ReceivedCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `await using` ends it. */
export interface WebhookReceiver extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Calls of a path, in order of arrival. */
  callsTo(path: string): readonly ReceivedCall[];
  /** Resolves when a path has been called so often. */
  received(path: string, count: number): Promise<readonly ReceivedCall[]>;
}

/** The first wait of the sender is 5 s, the second 30 s: no test waits for the second. */
const ARRIVES_WITHIN_MS = 60_000;

/** Starts a receiver. `answer` gets the path and how often it was called before. */
export function startWebhookReceiver(
  answer: (path: string, before: number) => Response = () => new Response(null, { status: 204 }),
): WebhookReceiver {
  const calls: ReceivedCall[] = [];
  const callsTo = (path: string) => calls.filter((call) => call.path === path);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname: path } = new URL(request.url);
    const before = callsTo(path).length;
    const headers = Object.fromEntries(request.headers);
    calls.push({ path, headers, body: await request.text() });
    return answer(path, before);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    callsTo,
    received: (path, count) =>
      pollUntil({
        what: `call ${count} of ${path}`,
        withinMs: ARRIVES_WITHIN_MS,
        read: () => callsTo(path),
        isThere: (received) => received.length >= count,
      }),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
