/**
 * A proxy on a socket that lets requests through and loses answers: what a client
 * sees of a network that breaks at the worst moment.
 *
 * @module
 */

/** `await using` ends it. */
export interface DroppingProxy extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Connections that were closed at the first byte of their answer. */
  readonly dropped: number;
}

/** Starts a proxy to `url` that closes its first `drops` connections once they are answered. */
export function startDroppingProxy(
  url: string,
  { drops }: { readonly drops: number },
): DroppingProxy {
  const { hostname, port } = new URL(url);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections = new Set<Deno.Conn>();
  const work = new Set<Promise<void>>();
  let dropped = 0;

  async function carry(client: Deno.Conn): Promise<void> {
    const server = await Deno.connect({ hostname, port: Number(port) });
    connections.add(server);
    try {
      const upwards = copy(client, server);
      if (dropped < drops && await server.read(new Uint8Array(1)) !== null) dropped++;
      else await copy(server, client);
      close(client);
      close(server);
      await upwards;
    } finally {
      close(client);
      close(server);
    }
  }

  function close(connection: Deno.Conn): void {
    if (connections.delete(connection)) connection.close();
  }

  async function listen(): Promise<void> {
    for await (const client of listener) {
      connections.add(client);
      const carried = carry(client).finally(() => work.delete(carried));
      work.add(carried);
    }
  }

  const listening = listen();
  return {
    url: `http://127.0.0.1:${listener.addr.port}`,
    get dropped() {
      return dropped;
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      await listening;
      for (const connection of connections) close(connection);
      await Promise.all(work);
    },
  };
}

/** Copies until either side is gone, which the other copy then notices too. */
async function copy(from: Deno.Conn, to: Deno.Conn): Promise<void> {
  try {
    await from.readable.pipeTo(to.writable, { preventClose: true });
  } catch (error) {
    const isGone = error instanceof Deno.errors.BadResource ||
      error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe ||
      error instanceof Deno.errors.Interrupted;
    if (!isGone) throw error;
  }
}
