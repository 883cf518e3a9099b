/**
 * Shares of limits in one database, as several nodes ask for them and give them back.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { ShareAnswer, ShareAsk, ShareKind } from "../../../src/storage/ports/shares.ts";
import { seededRandom } from "../../support/catalogue_parts.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { MemoryPools } from "../../support/memory_pools.ts";
import { type Nodes, openNodes } from "../../support/nodes_of_a_database.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { until } from "../../support/until.ts";

const server = postgresOfFile();

function ask(changes: Partial<ShareAsk>): ShareAsk {
  const { lack = changes.need ?? 0 } = changes;
  return {
    ...{ kind: "requests", scope: "project", id: "p", most: 100 },
    ...{ holds: 0, need: 0, lack, wish: lack },
    ...changes,
  };
}

async function exchange(nodes: Nodes, node: number, changes: Partial<ShareAsk>) {
  const [answer] = await nodes.storages[node]!.shares.exchange([ask(changes)]);
  return answer!;
}

Deno.test(
  "a node gets what it lacks as far as it is there, and less than it needs is nothing",
  NEEDS_POSTGRES,
  async () => {
    await using nodes = await openNodes(server, { count: 2 });
    assert.deepEqual(
      await exchange(nodes, 0, { need: 70 }),
      { holds: 70, free: 30, isWanted: false },
    );
    assert.deepEqual(
      await exchange(nodes, 1, { need: 40 }),
      { holds: 0, free: 30, isWanted: true },
      "30 are of no use to it, and others are told",
    );
    assert.deepEqual(
      await exchange(nodes, 1, { need: 1, lack: 40 }),
      { holds: 30, free: 0, isWanted: true },
    );
    assert.equal((await exchange(nodes, 0, { holds: 50 })).isWanted, true);
    assert.deepEqual(
      await exchange(nodes, 1, { holds: 30, wish: 100 }),
      { holds: 35, free: 15, isWanted: true },
      "a quarter of what is free for the calls to come, as there are two nodes",
    );
  },
);

Deno.test(
  "what an ended session may have used counts for a minute, what ran there no more",
  NEEDS_POSTGRES,
  async () => {
    await using nodes = await openNodes(server, { count: 2 });
    const [first, second] = nodes.storages;
    await first!.shares.exchange([ask({ need: 70 }), ask({ kind: "concurrent", need: 70 })]);
    await first!.close();
    const asks = [ask({ need: 40 }), ask({ kind: "concurrent", need: 40 })];
    const [requests, concurrent] = await second!.shares.exchange(asks);
    assert.equal(requests!.holds, 0);
    assert.equal(requests!.free, 30);
    assert.equal(concurrent!.holds, 40);
    await server.ask(nodes.database, "UPDATE shares SET ends_at = ends_at - 59000");
    assert.equal((await second!.shares.exchange(asks))[0]!.holds, 0);
    await server.ask(nodes.database, "UPDATE shares SET ends_at = ends_at - 1000");
    assert.equal((await second!.shares.exchange(asks))[0]!.holds, 40);
    await assert.rejects(first!.shares.exchange(asks));
  },
);

Deno.test(
  "an exchange that was delayed on its way changes nothing behind the next one",
  NEEDS_POSTGRES,
  async () => {
    await using nodes = await openNodes(server, { count: 1 });
    await exchange(nodes, 0, { need: 60 });
    await exchange(nodes, 0, { holds: 60, need: 20 });
    const late = JSON.stringify([{ ...ask({ holds: 0 }), place: 0, period: 0 }]);
    const call = `SELECT * FROM tg_exchange_shares_1(
      (SELECT max(session_id) FROM node_sessions), 1, '${late}')`;
    assert.equal(await server.ask(nodes.database, call), "");
    assert.equal(await server.ask(nodes.database, "SELECT sum(amount) FROM shares"), "80");
  },
);

Deno.test(
  "all shares together are never more than the limit, however many ask at once",
  NEEDS_POSTGRES,
  async () => {
    await using nodes = await openNodes(server, { count: 4 });
    const random = seededRandom(7);
    const upTo = (most: number) => Math.floor(random() * most);
    const ids = ["a", "b", "c", "d"];
    const held = nodes.storages.map(() => new Map(ids.map((id) => [id, 0])));
    const allOf = (id: string) => held.reduce((sum, its) => sum + its.get(id)!, 0);
    await Promise.all(nodes.storages.map(async ({ shares }, node) => {
      const its = held[node]!;
      for (let round = 0; round < 400; round++) {
        const asks = ids.filter(() => random() < 0.8).sort(() => random() - 0.5).map((id) =>
          ask({ id, holds: upTo(its.get(id)! + 1) * upTo(2), need: upTo(30), wish: upTo(90) })
        );
        // What is given back may be another's from the moment at which that is said.
        for (const { id, holds } of asks) its.set(id, holds);
        for (const [index, { holds }] of (await shares.exchange(asks)).entries()) {
          its.set(asks[index]!.id, holds);
        }
        for (const id of ids) assert.ok(allOf(id) <= 100, `${allOf(id)} of 100`);
      }
    }));
    const stored = await server.ask(nodes.database, STORED);
    assert.equal(stored, ids.map(allOf).filter((all) => all > 0).join(" "));
  },
);

const STORED = `SELECT string_agg(total::text, ' ' ORDER BY id) FROM
  (SELECT id, sum(amount) AS total FROM shares GROUP BY id) AS totals`;

Deno.test(
  "who asks while another's exchange is under way waits for its end",
  NEEDS_POSTGRES,
  async () => {
    await using nodes = await openNodes(server, { count: 2 });
    await exchange(nodes, 1, { need: 1 });
    const asks = JSON.stringify([{ ...ask({ need: 70 }), place: 0, period: 0 }]);
    const first = server.ask(
      nodes.database,
      `BEGIN; SELECT holds FROM tg_exchange_shares_1(
       (SELECT min(session_id) FROM node_sessions WHERE session_id > 0), 1, '${asks}');
     SELECT pg_sleep(1); COMMIT`,
    );
    await until("it is under way", async () =>
      await server.ask(
        nodes.database,
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'",
      ) !== "0");
    assert.deepEqual(
      await exchange(nodes, 1, { holds: 1, need: 70 }),
      { holds: 1, free: 29, isWanted: true },
    );
    assert.match(await first, /^70$/m);
  },
);

Deno.test("the database answers as pools in memory do", NEEDS_POSTGRES, async () => {
  await using nodes = await openNodes(server, { count: 3 });
  const pools = new MemoryPools(new FakeClock());
  const memory = nodes.storages.map((_, session) => pools.of(session));
  const random = seededRandom(11);
  const upTo = (most: number) => Math.floor(random() * most);
  const kinds: readonly ShareKind[] = ["requests", "tokens", "concurrent"];
  const held = nodes.storages.map(() => new Map<ShareKind, number>());
  for (let round = 0; round < 300; round++) {
    const node = upTo(3);
    const asks = kinds.filter(() => random() < 0.6).map((kind) => {
      const need = upTo(3) * upTo(40);
      const lack = need + upTo(3) * upTo(40);
      return ask({
        ...{ kind, need, lack, wish: lack + upTo(60), most: 100 + upTo(20) },
        holds: upTo((held[node]!.get(kind) ?? 0) + 1),
      });
    });
    const answers = await nodes.storages[node]!.shares.exchange(asks);
    const expected = await memory[node]!.exchange(asks);
    assert.deepEqual(answers.map(withoutTime), expected.map(withoutTime));
    for (const [index, { kind }] of asks.entries()) held[node]!.set(kind, answers[index]!.holds);
  }
});

function withoutTime({ holds, free }: ShareAnswer) {
  return { holds, free };
}
