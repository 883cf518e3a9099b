/**
 * Several executables over one new database, with a project that pays.
 *
 * @module
 */

import { pricedCatalogue } from "./paying_gateway.ts";
import type { PostgresServer } from "./postgres_server.ts";
import { type ServedGateway, serveGateway } from "./served_gateway.ts";

/** Nodes of a new database; the first has set it up, with a balance. */
export async function startNodes(
  { server, database, count, upstreamUrl, credit }: {
    readonly server: PostgresServer;
    readonly database: string;
    readonly count: number;
    readonly upstreamUrl: string;
    readonly credit: string;
  },
) {
  await server.create(database);
  await using started = new AsyncDisposableStack();
  const env = { TOLLGATE_DATABASE_URL: server.url(database) };
  const first = started.use(await serveGateway({ env }));
  await first.apply(pricedCatalogue(upstreamUrl));
  await first.credit("paying", credit);
  const key = await first.key("paying");
  const nodes: ServedGateway[] = [first];
  for (let at = 1; at < count; at++) {
    const dataDir = await Deno.makeTempDir({ prefix: "tollgate-node-" });
    started.defer(() => Deno.remove(dataDir, { recursive: true }));
    nodes.push(started.use(await serveGateway({ dataDir, env, expectKey: false })));
  }
  const ending = started.move();
  return { nodes, key, [Symbol.asyncDispose]: () => ending.disposeAsync() };
}
