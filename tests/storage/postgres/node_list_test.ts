/**
 * What an operator is told of nodes: by the database of all that use it, and by its server of itself.
 *
 * @module
 */

import assert from "node:assert/strict";
import { nodeTroubles, type NodeView } from "../../../src/domain/node_view.ts";
import { diagnoseServer } from "../../../src/storage/postgres/diagnose_server.ts";
import {
  openPostgresStorage,
  type PostgresStorage,
} from "../../../src/storage/postgres/postgres_storage.ts";
import { commitOne, fundProject } from "../../conformance/storage_samples.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { until } from "../../support/until.ts";

const server = postgresOfFile();

async function openNode(database: string, node: string): Promise<PostgresStorage> {
  const storage = await openPostgresStorage({
    url: server.url(database),
    identity: { node, label: `the server ${node}`, program: "1.2.3" },
    beatMs: 20,
  });
  await storage.beginSession();
  return storage;
}

/** Once a node has said with a beat what is asked for. */
async function listed(
  storage: PostgresStorage,
  what: string,
  isSo: (nodes: readonly NodeView[]) => boolean,
): Promise<readonly NodeView[]> {
  let nodes: readonly NodeView[] = [];
  await until(what, async () => isSo(nodes = await storage.nodes.list()));
  return nodes;
}

Deno.test(
  "every node is listed with its slot, its lease, its last beat and what it lacks of others' changes",
  NEEDS_POSTGRES,
  async () => {
    await server.create("listed");
    const first = await openNode("listed", "a");
    const second = await openNode("listed", "b");
    try {
      await fundProject(first, 1_000n);
      await commitOne(second, { kind: "lease", projectId: "acme", needE8: 70n, wishE8: 70n });
      const version = await second.configuration.version();
      first.configuration.follow(() => {}, () => ({ version, ageMs: 0 }));
      second.configuration.follow(() => {}, () => ({ version: version - 1, ageMs: 4_000 }));
      const nodes = await listed(
        first,
        "both to say how far they are",
        ([one, other]) =>
          one?.beat?.changesBehind === 0 && nodeTroubles(one).length === 0 &&
          other?.beat?.changesAgeMs === 4_000,
      );
      assert.deepEqual(
        nodes.map(({ node, label, slot, program, leased }) => [node, label, slot, program, leased]),
        [
          ["a", "the server a", 0, "1.2.3", { projects: 0, leftE8: 0n, heldE8: 0n }],
          ["b", "the server b", 1, "1.2.3", { projects: 1, leftE8: 70n, heldE8: 0n }],
        ],
      );
      assert.ok(nodes.every(({ begunAt }) => Math.abs(begunAt! - Date.now()) < 3_600_000));
      assert.equal(nodes[1]!.beat!.changesBehind, 1);
      const troubles = nodeTroubles(nodes[1]!).map(({ detail }) => detail);
      assert.match(troubles.join("\n"), /^lacks the last 1 of the changes/m);
      const { remarks } = await diagnoseServer({ url: server.url("listed"), ca: undefined });
      const lines = remarks.map(({ status, detail }) => `${status}: ${detail}`).join("\n");
      assert.match(
        lines,
        /ok: In use by the server b: session \d+ since \S+Z, heard of \d+\.\d s ago; of 1 balance it has 0\.00000070, and holds 0\.00000000/,
      );
      assert.match(lines, /warning: Session \d+ lacks the last 1 of the changes/);
      // This server syncs nothing, as is said of it, and has no standby.
      assert.match(lines, /problem: The server has fsync off: a crash there loses calls/);
      assert.match(lines, /ok: No standby has a copy/);
    } finally {
      await second.close();
    }
    const [alone, ...none] = await listed(first, "the other to be gone", (all) => all.length === 1);
    assert.equal(alone!.node, "a");
    assert.deepEqual(none, []);
    await first.close();
  },
);

Deno.test("a node of a program that tells nothing is listed too", NEEDS_POSTGRES, async () => {
  await server.create("untold");
  const node = await openNode("untold", "a");
  try {
    await listed(node, "a beat", ([one]) => one?.beat !== undefined);
    await server.ask(
      "untold",
      `INSERT INTO node_sessions (session_id, node, label, state, batch_no, slot)
       VALUES (99, 'old', 'the server old', 'live', 0, 7)`,
    );
    const [, old] = await node.nodes.list();
    assert.deepEqual([old!.label, old!.program, old!.begunAt, old!.beat], [
      "the server old",
      undefined,
      undefined,
      undefined,
    ]);
    assert.deepEqual(nodeTroubles(old!), []);
    await server.ask("untold", "DELETE FROM node_sessions WHERE session_id = 99");
  } finally {
    await node.close();
  }
});

Deno.test("a server says of itself what its settings promise", NEEDS_POSTGRES, async () => {
  await server.create("facts");
  await server.ask("facts", "ALTER DATABASE facts SET synchronous_commit = off");
  const node = await openNode("facts", "a");
  try {
    const facts = await node.serverFacts();
    assert.match(facts.name, /^PostgreSQL \d/);
    assert.deepEqual({ ...facts, name: "" }, {
      name: "",
      isStandby: false,
      isReadOnly: false,
      switchedOff: ["fsync", "synchronous_commit"],
      synchronousCommit: "off",
      synchronousStandbys: "",
      standbys: [],
    });
  } finally {
    await node.close();
  }
});

Deno.test("of a node that is silent, or whose clock is off, it is said what to do", () => {
  const node = (beat: Partial<NonNullable<NodeView["beat"]>>): NodeView => ({
    session: 3,
    node: "a",
    label: "the server a",
    slot: 0,
    program: "1.2.3",
    begunAt: 1,
    beat: { agoMs: 0, clockAheadMs: 0, changesBehind: 0, changesAgeMs: 200, ...beat },
    leased: { projects: 0, leftE8: 0n, heldE8: 0n },
  });
  const details = (beat: Partial<NonNullable<NodeView["beat"]>>) =>
    nodeTroubles(node(beat)).map(({ detail }) => detail);
  assert.deepEqual(details({}), []);
  assert.deepEqual(details({ agoMs: 2_999, clockAheadMs: -4_999 }), []);
  // Others' last changes are on their way.
  assert.deepEqual(details({ changesBehind: 2 }), []);
  assert.deepEqual(details({ agoMs: 12_000 }), ["has not said for 12 seconds that it lives"]);
  assert.deepEqual(details({ clockAheadMs: -5_000 }), [
    "has a clock that is 5 seconds behind the database server's",
  ]);
  assert.deepEqual(details({ clockAheadMs: 7_200 }), [
    "has a clock that is 7 seconds ahead of the database server's",
  ]);
});
