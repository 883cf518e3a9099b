/**
 * Passes connections on to a server and keeps every request that goes by, byte for byte.
 *
 * @module
 */

import { joined } from "../fuzz_case.ts";

/** A running proxy. `await using` ends it. */
export interface RecordingProxy extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Requests so far, in the order in which they were begun. */
  readonly requests: readonly Uint8Array[];
}

/** Starts one in front of `target`, which answers a request only once it has all of it. */
export function startRecordingProxy(target: Deno.NetAddr): RecordingProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const requests: Uint8Array[] = [];
  const open = new Set<Deno.Conn>();
  const passing: Promise<void>[] = [];

  async function serve(): Promise<void> {
    for await (const client of listener) passing.push(pass(client));
  }

  async function pass(client: Deno.Conn): Promise<void> {
    const server = await Deno.connect({ hostname: target.hostname, port: target.port });
    open.add(client).add(server);
    let current: number | undefined;
    await Promise.allSettled([
      copy(client, server, (bytes) => {
        // The first bytes after an answer begin the next request.
        current ??= requests.push(new Uint8Array()) - 1;
        requests[current] = joined(requests[current]!, bytes);
      }),
      copy(server, client, () => current = undefined),
    ]);
  }

  const serving = serve();
  return {
    url: `http://127.0.0.1:${listener.addr.port}`,
    requests,
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const conn of open) close(conn);
      await serving;
      await Promise.all(passing);
    },
  };
}

async function copy(
  from: Deno.Conn,
  to: Deno.Conn,
  onBytes: (bytes: Uint8Array) => void,
): Promise<void> {
  const buffer = new Uint8Array(64 * 1024);
  try {
    for (;;) {
      const count = await from.read(buffer);
      if (count === null) break;
      onBytes(buffer.subarray(0, count));
      for (let at = 0; at < count;) at += await to.write(buffer.subarray(at, count));
    }
  } finally {
    close(from);
    close(to);
  }
}

function close(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
