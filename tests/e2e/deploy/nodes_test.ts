/**
 * The nodes that `deploy/nodes` sets up, as they are there: behind the balancer they are one gateway,
 * whatever becomes of a node or of the database's primary.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody } from "../../support/chat_bodies.ts";
import { NodesExample } from "../../support/deployed/nodes_example.ts";
import { jsonReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { needsTool } from "../../support/outside_tool.ts";
import { ask, assertBooksAddUp, NONE, pricedCatalogue } from "../../support/paying_gateway.ts";
import { NEEDS_PGBOUNCER } from "../../support/postgres_server.ts";
import { until } from "../../support/until.ts";

const ignore = NEEDS_PGBOUNCER.ignore || needsTool("caddy", "bash").ignore;

const CALLERS = 6;
/** 10 prompt and 5 completion tokens at 2 and 4 a million. */
const PRICE_E8 = 4_000n;
const CREDIT_E8 = 1_000_000_000n;
const FILM = `
  - id: film
    kind: video
    routes: [{ id: builtin/film, provider: builtin, upstream_model: video-2, sale: { free: true } }]
`;

/** Asks with a key; gives the status, once the answer is whole. */
async function call(url: string, key: string): Promise<number | "cut"> {
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(ask),
    });
    await response.text();
    return response.status;
  } catch {
    return "cut";
  }
}

/** Callers who go on whatever comes, until they are told to end. */
function callAll(url: string, key: string) {
  const came = new Map<number | "cut", number>();
  let isOver = false;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isOver) {
      const what = await call(url, key);
      came.set(what, (came.get(what) ?? 0) + 1);
      // Whoever is refused comes again, but not at once.
      if (what !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  return {
    get answered() {
      return came.get(200) ?? 0;
    },
    async untilMore(calls: number): Promise<void> {
      const before = this.answered;
      await until(`${calls} more answers`, () => this.answered >= before + calls);
    },
    /** Whatever else came: no node took it, or its node was gone. */
    async end(): Promise<number> {
      isOver = true;
      await Promise.all(callers);
      for (const what of came.keys()) assert.ok([200, 502, 503].includes(Number(what)), `${what}`);
      return this.answered;
    },
  };
}

Deno.test(
  "deploy/nodes is one gateway, with a node killed, one stopped and the standby in the primary's place",
  { ignore },
  async (test) => {
    await using upstream = await startFakeUpstream(() => jsonReply(answerBody("Hi")));
    await using example = await NodesExample.start();
    const nodes = [0, 1, 2];
    const first = example.node(0);
    await first.apply(pricedCatalogue(upstream.url).replace("\nprojects:", `${FILM}projects:`));
    await first.credit("paying", "10");
    const key = await first.key("paying");
    let answered = 0;
    for (const at of nodes) {
      await until(`node ${at} to know the key`, async () => {
        const isServed = await call(example.addressOf(at), key) === 200;
        if (isServed) answered++;
        return isServed;
      });
    }
    const hasStandby = async () => {
      const found = JSON.stringify(await example.node(1).cli("doctor", "--offline"));
      return /1 standby \([^"]*and one at least has all that is acknowledged/.test(found);
    };

    await test.step("its nodes share the calls, and nothing counts that the standby has not", async () => {
      const load = callAll(example.url, key);
      await load.untilMore(100);
      answered += await load.end();
      const books = "SELECT count(DISTINCT book) FROM ledger WHERE book > 0";
      assert.equal(await example.askDatabase("db1", books), "3");
      await until("doctor to find the standby", hasStandby);
    });

    await test.step("a film of one node is every node's", async () => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const order = { model: "film", prompt: "a kite", size: "640x360", seconds: "1" };
      const response = await fetch(`${example.url}/v1/videos`, {
        method: "POST",
        headers,
        body: JSON.stringify(order),
      });
      const { id, ...film } = await response.json();
      assert.equal(response.status, 200, JSON.stringify(film));
      await until("the film", async () => {
        const { status } = await (await fetch(`${example.url}/v1/videos/${id}`, { headers }))
          .json();
        assert.notEqual(status, "failed");
        return status === "completed";
      });
      const sizes = new Set<number>();
      for (const at of nodes) {
        const content = await fetch(`${example.addressOf(at)}/v1/videos/${id}/content`, {
          headers,
        });
        assert.equal(content.status, 200);
        sizes.add((await content.bytes()).length);
      }
      assert.equal(sizes.size, 1);
    });

    await test.step("calls go on when a node is killed, and when one is stopped", async () => {
      const load = callAll(example.url, key);
      await load.untilMore(50);
      await example.node(2).server.kill();
      await load.untilMore(100);
      await example.startNode(2);
      const stopped = await example.node(1).server.stop();
      assert.equal(stopped.code, 0, stopped.stderr);
      await load.untilMore(100);
      await example.startNode(1);
      await load.untilMore(100);
      answered += await load.end();
    });

    await test.step("calls go on when the primary has crashed and its standby is one", async () => {
      const load = callAll(example.url, key);
      await load.untilMore(50);
      await example.crash("db1");
      await example.ask("db2", "ALTER SYSTEM SET synchronous_standby_names = ''");
      await example.ask("db2", "SELECT pg_reload_conf()", "SELECT pg_promote()");
      await example.lead("db1", "db2");
      await load.untilMore(100);
      answered += await load.end();
      // They have the sessions that they had.
      for (const at of nodes) assert.ok(!example.node(at).server.hasEnded);
    });

    await test.step("all that was answered is charged once, and nothing that was not served", async () => {
      await until("nothing to be held", async () => {
        const { held } = await first.admin("GET", "/projects/paying");
        return held === NONE;
      });
      const { balance } = await first.admin("GET", "/projects/paying");
      const spentE8 = CREDIT_E8 - BigInt(balance.replace(".", ""));
      assert.equal(spentE8 % PRICE_E8, 0n);
      const charged = Number(spentE8 / PRICE_E8);
      assert.ok(charged >= answered, `${charged} of ${answered}`);
      assert.ok(charged <= upstream.requests.length, `${charged} of ${upstream.requests.length}`);
      for (const at of nodes) await assertBooksAddUp(example.node(at));
    });

    await test.step("the primary that was becomes the standby", async () => {
      await example.copy("db1", "db2");
      await example.ask("db2", "ALTER SYSTEM RESET synchronous_standby_names");
      await example.ask("db2", "SELECT pg_reload_conf()");
      const load = callAll(example.url, key);
      await load.untilMore(50);
      await load.end();
      await until("doctor to find the standby", hasStandby);
    });
  },
);
