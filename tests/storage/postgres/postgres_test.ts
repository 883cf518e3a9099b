/**
 * The PostgreSQL driver over what only a server does: it goes away, it is somebody else's, and others
 * write to it.
 *
 * @module
 */

import assert from "node:assert/strict";
import {
  openPostgresStorage,
  type PostgresOptions,
  type PostgresStorage,
} from "../../../src/storage/postgres/postgres_storage.ts";
import { diagnoseServer } from "../../../src/storage/postgres/diagnose_server.ts";
import type { EntryResult } from "../../../src/storage/ports/entry.ts";
import type { Storage } from "../../../src/storage/ports/storage.ts";
import {
  acmeBalance,
  commitOne,
  fundProject,
  sampleClosedCall,
  sampleOpenCall,
  words,
} from "../../conformance/storage_samples.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { until } from "../../support/until.ts";
import { type Cut, cutLine } from "../../support/cutting_line.ts";

const server = postgresOfFile({ isSynced: true });
let databases = 0;

async function newDatabase(): Promise<string> {
  const database = `test_${++databases}`;
  await server.create(database);
  return server.url(database);
}

async function withStorage(
  url: string,
  run: (storage: Storage) => Promise<void>,
  options: Partial<PostgresOptions> = {},
): Promise<void> {
  const storage = await openPostgresStorage({ url, ...options });
  try {
    await run(storage);
  } finally {
    await storage.close();
  }
}

/** What a statement says, of somebody else who uses the database. */
function psql(url: string, sql: string): Promise<string> {
  return server.ask(url.split("/").at(-1)!, sql);
}

function makeCredit(amountE8: bigint) {
  return {
    kind: "credit",
    projectId: "acme",
    amountE8,
    reference: undefined,
    at: 1,
  } as const;
}

async function settled(storage: Storage): Promise<readonly (number | undefined)[]> {
  const rows = await storage.ledger.slice(0, 10_000);
  return rows.filter(({ kind }) => kind === "settle").map(({ callId }) => callId);
}

Deno.test(
  "whoever begins a session ends those before it: they write nothing more",
  NEEDS_POSTGRES,
  async () => {
    const url = await newDatabase();
    await withStorage(url, async (first) => {
      await first.beginSession();
      await fundProject(first, 1_000n);
      await withStorage(url, async (second) => {
        await second.beginSession();
        const refused = await commitOne(first, { kind: "close", call: sampleClosedCall() });
        assert.equal(!refused.ok && refused.reason, "unavailable");
        assert.match(!refused.ok ? refused.message : "", /session has ended/);
        assert.deepEqual(
          words([
            await commitOne(second, { kind: "close", call: sampleClosedCall({ callId: 2 }) }),
          ]),
          ["ok"],
        );
        // What it reads is what is there, and it adds nothing to the sums.
        assert.deepEqual(await settled(first), [2]);
        assert.equal((await first.calls.usageReport({ groupBy: [] })).lines[0]?.calls ?? 0, 0);
        assert.equal((await second.calls.usageReport({ groupBy: [] })).lines[0]!.calls, 1);
      });
    });
  },
);

/** A node that shows that it lives. */
function node(name: string, { reapMs = 60_000, beatMs = 20, onLost = () => {} } = {}) {
  return { identity: { node: name, label: `node ${name}` }, reapMs, beatMs, onLost };
}

Deno.test(
  "a session that lives is not ended by another node, which joins it; who is no node is told of both",
  NEEDS_POSTGRES,
  async () => {
    const url = await newDatabase();
    const first = await openPostgresStorage({ url, ...node("first") });
    try {
      await first.beginSession();
      await withStorage(url, async (storage) => {
        await storage.beginSession();
        assert.equal((storage as PostgresStorage).nodes.count, 2);
        assert.equal((storage as PostgresStorage).nodes.slot, 1);
        await fundProject(storage, 1_000n);
        await withStorage(url, async (nobodys) => {
          await assert.rejects(nobodys.beginSession(), /in use by node (first|second)/);
        });
      }, node("second"));
      assert.equal((await commitOne(first, makeCredit(1_000n))).ok, true);
    } finally {
      await first.close();
    }
    // They have ended in order: nobody waits for their silence.
    await withStorage(url, async (storage) => {
      await storage.beginSession();
    });
  },
);

Deno.test(
  "a node's own session before has ended, and a silent one of another node after a while",
  NEEDS_POSTGRES,
  async () => {
    const url = await newDatabase();
    const lost: string[] = [];
    const options = node("first", { onLost: () => lost.push("first") });
    const first = await openPostgresStorage({ url, ...options });
    const again = await openPostgresStorage({ url, ...node("first") });
    try {
      await first.beginSession();
      await again.beginSession();
      await until("the first to hear of it", () => lost.length === 1);
      await fundProject(again, 1_000n);
      const refused = await commitOne(first, makeCredit(1_000n));
      assert.match(!refused.ok ? refused.message : "", /session has ended/);
    } finally {
      await first.close();
      // A node that has beaten its last.
      await psql(url, "UPDATE node_sessions SET state = 'live' WHERE node = 'first'");
      await again.close();
      await psql(url, "UPDATE node_sessions SET state = 'live' WHERE node = 'first'");
    }
    await withStorage(url, async (storage) => {
      const ended: number[] = [];
      const { nodes } = storage as PostgresStorage;
      nodes.follow({ onEnded: (sessions) => ended.push(...sessions) });
      await storage.beginSession();
      await until("their end", () => ended.length === 2);
      assert.equal(nodes.count, 1);
    }, node("second", { reapMs: 3_000 }));
    assert.equal(
      await psql(url, "SELECT DISTINCT state FROM node_sessions WHERE node = 'first'"),
      "dead",
    );
  },
);

Deno.test("beats tell how the server is doing", NEEDS_POSTGRES, async () => {
  const url = await newDatabase();
  await withStorage(url, async (storage) => {
    await storage.beginSession();
    const { serverState } = storage as PostgresStorage;
    await until("a beat", () => serverState().answerMs > 0);
    assert.equal(serverState().trouble, undefined);
    assert.equal(Math.abs(serverState().clockAheadMs) < 5_000, true);
    await server.crash();
    try {
      await until("silence", () => serverState().trouble !== undefined);
    } finally {
      await server.start();
    }
    await until("its return", () => serverState().trouble === undefined);
  }, node("one"));
});

Deno.test(
  "two that begin a session at once have one each, and one of them writes",
  NEEDS_POSTGRES,
  async () => {
    const url = await newDatabase();
    const nodes = await Promise.all([1, 2, 3].map(() => openPostgresStorage({ url })));
    try {
      const sessions = await Promise.all(nodes.map((node) => node.beginSession()));
      assert.equal(new Set(sessions).size, 3);
      const credit = {
        kind: "credit",
        projectId: "acme",
        amountE8: 1n,
        reference: "r",
        at: 1,
      } as const;
      const results = await Promise.all(nodes.map((node) => commitOne(node, credit)));
      const newest = sessions.indexOf(Math.max(...sessions));
      assert.deepEqual(
        words(results),
        results.map((_, index) => index === newest ? "missing" : "unavailable"),
      );
    } finally {
      for (const node of nodes) await node.close();
    }
  },
);

for (const cut of ["before_commit", "before_answer"] satisfies Cut[]) {
  Deno.test(
    `a batch is written once when the line is cut ${cut.replace("_", " the ")}`,
    NEEDS_POSTGRES,
    async () => {
      const url = await newDatabase();
      using line = cutLine(server.port);
      await withStorage(url.replace(`:${server.port}/`, `:${line.port}/`), async (storage) => {
        await storage.beginSession();
        await fundProject(storage, 1_000n);
        line.cutNext(cut);
        const results = await storage.commitBatch([
          { kind: "hold", call: sampleOpenCall() },
          { kind: "close", call: sampleClosedCall() },
          { kind: "close", call: sampleClosedCall({ callId: 2 }) },
        ]);
        assert.deepEqual(words(results), ["ok", "ok", "ok"]);
        assert.equal(line.cuts, 1);
        assert.deepEqual(await settled(storage), [1, 2]);
        assert.deepEqual(await acmeBalance(storage), { avail: 940n, held: 0n });
        assert.equal((await storage.calls.usageReport({ groupBy: [] })).lines[0]!.calls, 2);
      });
    },
  );
}

Deno.test("a server that crashes loses nothing that was acknowledged", NEEDS_POSTGRES, async () => {
  const url = await newDatabase();
  await withStorage(url, async (storage) => {
    await storage.beginSession();
    await fundProject(storage, 1_000_000n);
    const close = (callId: number) =>
      commitOne(storage, { kind: "close", call: sampleClosedCall({ callId }) });
    assert.deepEqual(words([await close(1)]), ["ok"]);
    const meanwhile = Array.from({ length: 200 }, (_, index) => close(index + 2));
    await server.crash();
    await server.start();
    assert.deepEqual(new Set(words(await Promise.all(meanwhile))), new Set(["ok"]));
    assert.deepEqual(await settled(storage), Array.from({ length: 201 }, (_, index) => index + 1));
    assert.deepEqual(await acmeBalance(storage), { avail: 1_000_000n - 201n * 30n, held: 0n });
  });
});

Deno.test(
  "what waits for a synchronous standby that is away is told of, and written once nobody asks for it",
  NEEDS_POSTGRES,
  async () => {
    const url = await newDatabase();
    const standbys = async (setting: string) => {
      await psql(url, `ALTER SYSTEM ${setting}`);
      await psql(url, "SELECT pg_reload_conf()");
    };
    const none = /confirms nothing before a synchronous standby has it, and there is none/;
    const details = async () =>
      (await diagnoseServer({ url })).remarks.map(({ detail }) => detail).join();
    await withStorage(url, async (storage) => {
      await storage.beginSession();
      await fundProject(storage, 1_000_000n);
      const { serverState } = storage as PostgresStorage;
      assert.doesNotMatch(await details(), none);
      const closing: Promise<EntryResult>[] = [];
      try {
        await standbys("SET synchronous_standby_names = 'somebody'");
        // It holds a moment after it was said.
        await until("one to wait", () => {
          const { writingMs } = serverState();
          const call = sampleClosedCall({ callId: closing.length + 1 });
          if (writingMs === 0) closing.push(commitOne(storage, { kind: "close", call }));
          return writingMs > 500;
        });
        assert.match(await details(), none);
      } finally {
        await standbys("RESET synchronous_standby_names");
      }
      const results = await Promise.all(closing);
      assert.deepEqual(new Set(words(results)), new Set(["ok"]));
      assert.equal(serverState().writingMs, 0);
      assert.equal((await settled(storage)).length, closing.length);
    });
  },
);

Deno.test(
  "a database that was set back is never written on in silence",
  NEEDS_POSTGRES,
  async () => {
    const url = await newDatabase();
    const lost: string[] = [];
    await withStorage(url, async (storage) => {
      await storage.beginSession();
      await fundProject(storage, 1_000n);
      const close = (callId: number) =>
        commitOne(storage, { kind: "close", call: sampleClosedCall({ callId }) });
      assert.deepEqual(words([await close(1), await close(2)]), ["ok", "ok"]);
      await psql(url, "UPDATE node_sessions SET batch_no = batch_no - 2 WHERE state = 'live'");
      for (const callId of [3, 4]) {
        const refused = await close(callId);
        assert.equal(!refused.ok && refused.reason, "unavailable");
        assert.match(refused.ok ? "" : refused.message, /set back.*lost the last 2 batches/);
      }
      assert.deepEqual(await settled(storage), [1, 2]);
      assert.equal(lost.length, 1);
      assert.match(lost[0]!, /set back/);
      await storage.beginSession();
      assert.deepEqual(words([await close(5)]), ["ok"]);
    }, { onLost: ({ message }) => lost.push(message) });
  },
);

Deno.test(
  "nobody who answers: entries are refused, and the next ones written",
  NEEDS_POSTGRES,
  async () => {
    const url = await newDatabase();
    const storage = await openPostgresStorage({ url, patienceMs: 0 });
    try {
      await fundProject(storage, 1_000n);
      await server.crash();
      const refused = await commitOne(storage, { kind: "close", call: sampleClosedCall() });
      assert.equal(!refused.ok && refused.reason, "unavailable");
      await assert.rejects(storage.accounts.loadKeys(), { error: "storage_away" });
      await server.start();
      assert.deepEqual(
        words([await commitOne(storage, { kind: "close", call: sampleClosedCall() })]),
        ["ok"],
      );
      assert.deepEqual(await settled(storage), [1]);
    } finally {
      await storage.close();
    }
  },
);

Deno.test("several that open an empty database at once make it once", NEEDS_POSTGRES, async () => {
  const url = await newDatabase();
  const nodes = await Promise.all([1, 2, 3, 4].map(() => openPostgresStorage({ url })));
  const keys = await Promise.all(nodes.map((node) => node.calls.requestIdKey()));
  assert.match(keys[0]!, /^[0-9a-f]{32}$/);
  assert.equal(new Set(keys).size, 1);
  for (const node of nodes) await node.close();
});
