/**
 * Several executables over one database: together they spend what there is and no more, each call is
 * charged once whatever becomes of its node, and what a node has leased goes back when it ends.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody } from "../support/chat_bodies.ts";
import { callAlways, CALLERS, chargedCalls } from "../support/calls_without_end.ts";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { callOnceHeard, startNodes } from "../support/nodes_that_pay.ts";
import { ask, assertBooksAddUp, NONE, pricedCatalogue } from "../support/paying_gateway.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../support/postgres_server.ts";
import { until } from "../support/until.ts";

const server = postgresOfFile();

/** A call that holds little. */
const short = { ...ask, max_tokens: 5 };

Deno.test(
  "three nodes spend what there is and no more, and leave less than one more call needs",
  NEEDS_POSTGRES,
  async () => {
    await using upstream = await startFakeUpstream(() => jsonReply(answerBody("Hi")));
    await using cluster = await startNodes({
      ...{ server, database: "funds", count: 3, upstreamUrl: upstream.url, credit: "0.01" },
    });
    const { nodes, key } = cluster;
    const statuses = await Promise.all(
      Array.from({ length: 900 }, async (_, at) => {
        const response = await callOnceHeard(nodes[at % 3]!, key, short);
        await response.body?.cancel();
        return response.status;
      }),
    );
    assert.deepEqual(new Set(statuses), new Set([200, 402]));
    let served = statuses.filter((status) => status === 200).length;
    // Some were refused as others held more than they then cost.
    for (const node of nodes) {
      for (let status = 200; status === 200;) {
        const response = await callOnceHeard(node, key, short);
        await response.body?.cancel();
        ({ status } = response);
        if (status === 200) served++;
      }
    }
    assert.equal(upstream.requests.length, served);
    const { balance, held } = await nodes[1]!.admin("GET", "/projects/paying");
    assert.equal(held, NONE);
    const left = BigInt(balance.replace(".", ""));
    assert.equal(left, 1_000_000n - 4_000n * BigInt(served));
    // Nothing lies idle anywhere that would have paid for one more.
    for (const node of nodes) {
      const refused = await callOnceHeard(node, key, short);
      assert.equal(refused.status, 402);
      const { error: { routes: [{ detail }] } } = await refused.json();
      const [, holds, has] = /^would hold ([\d.]+), the balance is ([\d.]+)$/.exec(detail)!;
      assert.equal(has, balance);
      assert.ok(left < BigInt(holds!.replace(".", "")), detail);
    }
    for (const node of nodes) await assertBooksAddUp(node);
    const told = await Promise.all(
      nodes.map(async ({ url }) => (await (await fetch(`${url}/readyz`)).json()).node),
    );
    assert.deepEqual(told.map((node) => node.nodes), nodes.map(() => nodes.length));
    assert.equal(new Set(told.map(({ session }) => session)).size, nodes.length);
    for (const { nodes: _count, session: _session, ...seconds } of told) {
      assert.deepEqual(Object.keys(seconds), [
        "database_silence_seconds",
        "database_unconfirmed_seconds",
        "changes_age_seconds",
        "clock_ahead_seconds",
      ]);
      for (const each of Object.values(seconds)) assert.equal(typeof each, "number");
    }
  },
);

Deno.test(
  "a call that used more than its hold pays for all of it, however little its node has leased",
  NEEDS_POSTGRES,
  async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 200_000, total_tokens: 200_010 };
    await using upstream = await startFakeUpstream(() => jsonReply(answerBody("Hi", usage)));
    await using cluster = await startNodes({
      ...{ server, database: "overuse", count: 1, upstreamUrl: upstream.url, credit: "10" },
    });
    const { nodes: [node], key } = cluster;
    const response = await node!.chat(key, short);
    assert.equal(response.status, 200, await response.text());
    const { balance, held } = await node!.admin("GET", "/projects/paying");
    assert.deepEqual([balance, held], ["9.19998000", NONE]);
    await assertBooksAddUp(node!);
  },
);

Deno.test(
  "a call whose node has to lease first keeps its place: nobody comes in beside it",
  NEEDS_POSTGRES,
  async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    await using upstream = await startFakeUpstream(async (_request, index) => {
      asked.resolve();
      if (index === 0) await answer.promise;
      return jsonReply(answerBody("Hi"));
    });
    await using cluster = await startNodes({
      ...{ server, database: "places", count: 1, upstreamUrl: upstream.url, credit: "10" },
    });
    const { nodes: [node], key } = cluster;
    const bounds = "limits: { concurrent: 1, requests_per_minute: 3 }";
    await node!.apply(
      pricedCatalogue(upstream.url).replace("paying, unlimited: false", `paying, ${bounds}`),
    );
    const first = node!.chat(key, short);
    await asked.promise;
    const second = await node!.chat(key, short);
    assert.equal(second.status, 429);
    assert.match(
      (await second.json()).error.message,
      /^This project's limit of 1 requests at the same time/,
    );
    answer.resolve();
    const { status, headers } = await first;
    assert.deepEqual([status, headers.get("x-ratelimit-remaining-requests")], [200, "2"]);
  },
);

Deno.test(
  "kill -9 of a node under load: every answer is charged once, others go on, and its lease comes back",
  NEEDS_POSTGRES,
  async () => {
    await using upstream = await startFakeUpstream(() => jsonReply(answerBody("Hi")));
    await using cluster = await startNodes({
      ...{ server, database: "killed_node", count: 2, upstreamUrl: upstream.url, credit: "10" },
    });
    const { nodes: [first, second], key } = cluster;
    const loads = [callAlways(first!, key), callAlways(second!, key)];
    await until("some calls", () => loads.every(({ answered }) => answered > 100));
    await first!.server.kill();
    const atKill = loads[1]!.answered;
    await until("others to go on", () => loads[1]!.answered > atKill + 100);
    await Promise.all(loads.map((load) => load.end()));
    await until("its lease to be back", async () => {
      const { held } = await second!.admin("GET", "/projects/paying");
      return held === NONE;
    });
    const answered = loads[0]!.answered + loads[1]!.answered;
    const count = await chargedCalls(second!);
    assert.ok(count >= answered && count <= answered + CALLERS, `${count} of ${answered}`);
    assert.ok(count <= upstream.requests.length);
    await assertBooksAddUp(second!);
  },
);
