/**
 * Several executables over one new database, with a project that pays.
 *
 * @module
 */

import { pricedCatalogue } from "./paying_gateway.ts";
import type { PostgresServer } from "./postgres_server.ts";
import { type ServedGateway, serveGateway } from "./served_gateway.ts";
import { until } from "./until.ts";

/** What becomes of a call, whatever hindrances pass: a node that is held up for a second says 503. */
export function callOnceHeard(node: ServedGateway, key: string, body: object): Promise<Response> {
  return until("a node to hear what is known", async () => {
    const response = await node.chat(key, body);
    if (response.status !== 503) return response;
    await response.body?.cancel();
    return undefined;
  });
}

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
