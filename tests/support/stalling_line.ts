/**
 * A line to a server that goes silent after so many bytes, in the middle of whatever is sent.
 *
 * @module
 */

/** The line. `await using` ends it. */
export interface StallingLine extends AsyncDisposable {
  readonly address: string;
  /** Resolves once as many bytes were sent as go through. */
  readonly stalled: Promise<void>;
}

/** @param passes How many bytes go through, of all connections together. */
export function stallingLine(to: string, passes: number): StallingLine {
  const { hostname, port } = new URL(to);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.TcpConn>();
  const { promise: stalled, resolve: stall } = Promise.withResolvers<void>();
  let passed = 0;
  async function carry(client: Deno.TcpConn): Promise<void> {
    const server = await Deno.connect({ hostname, port: Number(port) });
    open.add(client).add(server);
    const up = (async () => {
      const buffer = new Uint8Array(65_536);
      for (;;) {
        const count = await client.read(buffer);
        if (count === null) return;
        passed += count;
        // Nothing is read any more, and nothing closed: so does a server that hangs.
        if (passed > passes) return stall();
        for (let sent = 0; sent < count;) sent += await server.write(buffer.subarray(sent, count));
      }
    })();
    const down = server.readable.pipeTo(client.writable);
    await Promise.allSettled([up, down]);
  }
  const accepting = (async () => {
    for await (const client of listener) void carry(client).catch(() => {});
  })();
  return {
    address: `http://127.0.0.1:${listener.addr.port}`,
    stalled,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      for (const connection of open) {
        try {
          connection.close();
        } catch (error) {
          if (!(error instanceof Deno.errors.BadResource)) throw error;
        }
      }
    },
  };
}
