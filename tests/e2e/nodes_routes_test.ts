/**
 * Several executables over one database share what a route may take: together they send it as much as
 * its limit says, and the rest elsewhere.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody } from "../support/chat_bodies.ts";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { callOnceHeard, startNodes } from "../support/nodes_that_pay.ts";
import { ask, pricedCatalogue } from "../support/paying_gateway.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../support/postgres_server.ts";
import { until } from "../support/until.ts";

const server = postgresOfFile();

/** Calls of a minute that the first route takes. */
const LIMIT = 60;
/** As many come to each node at once. */
const CALLS = 40;

const LIMITED = "upstream_model: limited, limits: { requests_per_minute: 60 },";
const SPARE = "{ id: remote/spare, provider: remote, upstream_model: spare, priority: 10, ";

/** The priced catalogue with a limit, and another route beside the one that has it. */
function limitedCatalogue(upstreamUrl: string): string {
  return pricedCatalogue(upstreamUrl).replace(
    /\{ id: remote\/m, provider: remote, upstream_model: m, (.*)\}\]/,
    `{ id: remote/m, provider: remote, ${LIMITED} $1}, ${SPARE}$1}]`,
  );
}

Deno.test("three nodes send a route what its limit says", NEEDS_POSTGRES, async () => {
  await using upstream = await startFakeUpstream(() => jsonReply(answerBody("Hi")));
  await using cluster = await startNodes({
    ...{ server, database: "routes", count: 3, upstreamUrl: upstream.url, credit: "10" },
  });
  const { nodes, key } = cluster;
  await nodes[0]!.apply(limitedCatalogue(upstream.url));
  await until("the limit to be known everywhere", async () => {
    const all = await Promise.all(
      nodes.map((node) => node.admin("GET", "/routes")),
    );
    return all.every((told) => JSON.stringify(told).includes("remote/spare"));
  });

  const sent = (model: string) =>
    upstream.requests.filter(({ body }) => JSON.parse(body).model === model).length;
  const answered: number[] = [];
  await until("the limit to be reached", async () => {
    const all = nodes.flatMap((node) =>
      Array.from({ length: CALLS }, () => callOnceHeard(node, key, ask))
    );
    for (const response of await Promise.all(all)) {
      answered.push(response.status);
      await response.body?.cancel();
    }
    return sent("limited") >= LIMIT;
  });
  assert.equal(sent("limited"), LIMIT);
  assert.deepEqual([...new Set(answered)], [200]);
  assert.equal(sent("limited") + sent("spare"), answered.length);
});
