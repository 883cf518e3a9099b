/**
 * Several executables over one database share a budget: together they spend it and no more, also once
 * one of them was killed and has started again, and who is resumed on one of them goes on at all.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody } from "../support/chat_bodies.ts";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { callOnceHeard, startNodes } from "../support/nodes_that_pay.ts";
import { ask } from "../support/paying_gateway.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../support/postgres_server.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";
import { until } from "../support/until.ts";

const server = postgresOfFile();

/** A call that holds little, and costs 0.00004. */
const short = { ...ask, max_tokens: 5 };
/** So many of them. */
const CALLS = 100;
const BUDGET = "0.004";

function call(node: ServedGateway, key: string): Promise<Response> {
  return callOnceHeard(node, key, short);
}

async function isServed(node: ServedGateway, key: string): Promise<boolean> {
  const response = await call(node, key);
  await response.body?.cancel();
  assert.ok(response.status === 200 || response.status === 402, String(response.status));
  return response.status === 200;
}

/** Calls until so many are served: then no more are. */
async function spendAll(
  nodes: readonly ServedGateway[],
  { key, calls }: { readonly key: string; readonly calls: number },
): Promise<void> {
  let served = 0;
  // Some are refused as others may cost more than they do.
  await until("all of it to be spent", async () => {
    const all = Array.from({ length: CALLS }, (_, at) => isServed(nodes[at % nodes.length]!, key));
    served += (await Promise.all(all)).filter(Boolean).length;
    return served >= calls;
  });
  assert.equal(served, calls);
  for (const node of nodes) assert.equal(await isServed(node, key), false);
}

Deno.test(
  "three nodes spend a budget and no more, whatever becomes of one of them",
  NEEDS_POSTGRES,
  async () => {
    await using upstream = await startFakeUpstream(() => jsonReply(answerBody("Hi")));
    await using cluster = await startNodes({
      ...{ server, database: "budgets", count: 3, upstreamUrl: upstream.url, credit: "10" },
    });
    const { nodes: [first, second, third], key } = cluster;
    await first!.cli("projects", "set", "paying", "--daily-budget", BUDGET);
    await until("it to be known everywhere", async () => {
      const all = await Promise.all(
        [second!, third!].map((node) => node.admin("GET", "/projects/paying")),
      );
      return all.every(({ budgets }) => JSON.stringify(budgets).includes("0.004"));
    });
    const nodes = [first!, second!, third!];
    await spendAll(nodes, { key, calls: CALLS });
    assert.equal(upstream.requests.length, CALLS);
    for (const node of nodes) {
      const response = await call(node, key);
      const { error } = await response.json();
      assert.match(
        error.message,
        /^The daily budget of 0\.00400000 of this project \(paying\) is reached: /,
      );
    }

    await first!.server.kill();
    const env = { TOLLGATE_DATABASE_URL: server.url("budgets") };
    await using again = await serveGateway({
      ...{ dataDir: first!.server.dataDir, env, expectKey: false },
    });
    assert.equal(await isServed(again, key), false);
    assert.equal(await isServed(second!, key), false);

    await until("all that is spent to be known", async () => {
      const { spent } = await third!.admin("GET", "/projects/paying");
      return spent.day === "0.00400000";
    });
    await third!.cli("projects", "resume", "paying");
    await spendAll([again, second!, third!], { key, calls: CALLS });
    assert.equal(upstream.requests.length, 2 * CALLS);
  },
);
